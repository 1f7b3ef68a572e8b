//! `tests/contract.csv` says which test keeps which promise; this keeps it true and whole.

use std::{collections::BTreeSet, fs, path::Path};

use super::commands::COMMANDS;

/// What is promised besides commands and settings.
const OTHERS: &[&str] = &[
    "answers.foreign",
    "answers.health",
    "answers.request-id",
    "answers.visible",
    "command.exit",
    "command.help",
    "command.progress",
    "configuration.defaults",
    "configuration.precedence",
    "configuration.reload",
    "decided.alarms.webhooks",
    "decided.blocked",
    "decided.chats",
    "decided.compatibility",
    "decided.discovery",
    "decided.encodings",
    "decided.flags",
    "decided.flags.ofrep",
    "decided.goals",
    "decided.identify",
    "decided.ingestion.bots",
    "decided.ingestion.caps",
    "decided.ingestion.codes",
    "decided.ingestion.lengths",
    "decided.ingestion.order",
    "decided.ingestion.times",
    "decided.ingestion.websites",
    "decided.keys",
    "decided.keys.header",
    "decided.keys.website",
    "decided.limits.headers",
    "decided.limits.order",
    "decided.links.clicks",
    "decided.links.ends",
    "decided.links.slugs",
    "decided.mcp",
    "decided.monitors.checks",
    "decided.monitors.targets",
    "decided.oauth",
    "decided.people.cookies",
    "decided.people.guessing",
    "decided.query.batch",
    "decided.query.caps",
    "decided.query.filters",
    "decided.query.granularity",
    "decided.query.group-by",
    "decided.query.hourly",
    "decided.query.limits",
    "decided.query.offset",
    "decided.query.private",
    "decided.query.public",
    "decided.query.refusals",
    "decided.query.summary",
    "decided.query.targets",
    "decided.query.types",
    "decided.scim",
    "decided.sso",
    "decided.status-pages",
    "decided.status-pages.slugs",
    "decided.tracker",
    "decided.websites.client-id",
    "deleting.account",
    "deleting.flag",
    "deleting.link",
    "deleting.monitor",
    "deleting.organization",
    "deleting.status-page",
    "deleting.website",
    "hosts.base",
    "hosts.links",
    "hosts.mcp",
    "hosts.metrics",
    "hosts.rpc",
    "hosts.share",
    "hosts.status",
    "hosts.track",
    "ingest.ack.remote",
    "life.kill",
    "life.signals",
    "life.upgrade",
    "roles",
    "storage.lock",
];

/// Everything that is promised.
fn promised() -> BTreeSet<String> {
    let settings: toml::Table = include_str!("../../../config/pharos.toml").parse().unwrap();
    let keys = settings.iter().flat_map(|(section, keys)| {
        let keys = keys.as_table().unwrap().keys();
        keys.map(move |key| match section.as_str() {
            "plans" if key != "enabled" && key != "default" => "plans.named".to_owned(),
            "events" if key.starts_with("clickhouse") || key == "store" => {
                "events.clickhouse".to_owned()
            }
            _ => format!("{section}.{key}"),
        })
    });
    let commands = COMMANDS.iter().filter(|(command, _)| !command.is_empty());
    let commands = commands.map(|(command, _)| format!("command.{}", command.replace(' ', ".")));
    let others = OTHERS.iter().map(|name| (*name).to_owned());
    keys.chain(commands).chain(others).collect()
}

/// The text of a test, its attributes included.
fn test(root: &Path, name: &str) -> Option<String> {
    let (module, name) = name.rsplit_once("::")?;
    let file = format!("tests/it/{}", module.replace("::", "/"));
    let here = [format!("{file}.rs"), format!("{file}/mod.rs")];
    let text = here
        .iter()
        .find_map(|file| fs::read_to_string(root.join(file)).ok())?;
    let place = text.find(&format!("fn {name}("))?;
    let begins = text[..place].rfind("\n\n")?;
    let length = text[place..].find("\n}\n")?;
    let test = &text[begins..place + length];
    test.contains("test]").then(|| test.to_owned())
}

#[test]
fn every_promise_names_tests_that_exist_and_can_be_run_from_outside() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = fs::read_to_string(root.join("tests/contract.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let head: Vec<&str> = reader.headers().unwrap().iter().collect();
    assert_eq!(head, ["promise", "says", "test"]);
    let (mut kept, mut last) = (BTreeSet::new(), String::new());
    for row in reader.records() {
        let row = row.unwrap();
        let [promise, says, name] = [&row[0], &row[1], &row[2]];
        assert!(!says.is_empty(), "{row:?}");
        assert!(
            promise >= last.as_str(),
            "in order: {promise} behind {last}"
        );
        promise.clone_into(&mut last);
        let test = test(root, name).unwrap_or_else(|| panic!("no such test: {row:?}"));
        assert!(!test.contains(".platform"), "it knows the inside: {row:?}");
        kept.insert(promise.to_owned());
    }
    let promised = promised();
    let missing: Vec<_> = promised.difference(&kept).collect();
    assert!(missing.is_empty(), "nothing keeps these: {missing:?}");
    let unknown: Vec<_> = kept.difference(&promised).collect();
    assert!(unknown.is_empty(), "nobody promised these: {unknown:?}");
}

#[test]
fn a_test_that_is_not_there_is_not_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let there = "contract::table::a_test_that_is_not_there_is_not_found";
    assert!(test(root, there).is_some());
    for none in [
        "there",
        "contract::table::promised",
        "contract::none::there",
    ] {
        assert_eq!(test(root, none), None);
    }
}
