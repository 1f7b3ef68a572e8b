//! The promises of the module, seen from outside.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    path::{Path, PathBuf},
};

use proptest::prelude::*;
use toml::{Table, Value};

use super::*;
use crate::config::sections::{EventStore, LogFormat};

fn parse(text: &str) -> Result<Settings, Mistakes> {
    Settings::parse(Some((Path::new("my.toml"), text.as_bytes())), [])
}

fn parse_with(text: &str, variables: &[(&str, &str)]) -> Result<Settings, Mistakes> {
    let variables = variables
        .iter()
        .map(|(name, value)| (name.into(), value.into()));
    Settings::parse(Some((Path::new("my.toml"), text.as_bytes())), variables)
}

fn mistakes(text: &str, variables: &[(&str, &str)]) -> Vec<String> {
    let error = parse_with(text, variables).unwrap_err();
    error.to_string().lines().map(str::to_owned).collect()
}

fn keys(prefix: &str, table: &Table, found: &mut BTreeSet<String>) {
    for (name, value) in table {
        match value {
            Value::Table(table) => keys(&format!("{prefix}{name}."), table, found),
            _ => drop(found.insert(format!("{prefix}{name}"))),
        }
    }
}

#[test]
fn the_default_file_lists_every_setting() {
    let (mut written, mut known) = (BTreeSet::new(), BTreeSet::new());
    keys("", &DEFAULTS.parse().unwrap(), &mut written);
    let settings = Settings::parse(None, []).unwrap();
    keys("", &Table::try_from(&settings).unwrap(), &mut known);
    assert_eq!(written, known);
}

#[test]
fn every_setting_of_the_default_file_has_a_sentence() {
    let mut commented = false;
    for line in DEFAULTS.lines() {
        let is_setting = line.contains(" = ") && !line.starts_with('#');
        // A sentence may cover the lines that follow it directly.
        assert!(!is_setting || commented, "{line}");
        commented =
            line.starts_with('#') || (commented && is_setting) || line.starts_with("[plans.");
    }
}

#[test]
fn the_defaults_are_the_promised_ones() {
    let settings = Settings::parse(None, []).unwrap();
    assert_eq!(settings, parse("").unwrap());
    assert_eq!(
        settings.server.api_listen,
        "127.0.0.1:8080".parse().unwrap()
    );
    assert_eq!(settings.query.memory, Bytes(192 << 20));
    assert_eq!(settings.events.store, EventStore::Embedded);
    assert_eq!(settings.limits.body_bytes, 2_097_152);
    assert_eq!(settings.database.url.expose(), "sqlite");
    assert!(settings.plans.named.contains_key(&settings.plans.default));
    assert!(settings.server.worker_count() >= 1 && settings.query.thread_count() >= 1);
}

#[test]
fn the_environment_counts_more_than_the_file_and_the_file_more_than_the_defaults() {
    let file = "limits.track_requests = 1\nlimits.query_requests = 2";
    let settings = parse_with(file, &[("PHAROS__LIMITS__QUERY_REQUESTS", "3")]).unwrap();
    let limits = settings.limits;
    assert_eq!(
        (
            limits.track_requests,
            limits.query_requests,
            limits.compile_requests
        ),
        (1, 3, 300)
    );
}

#[test]
fn variables_hold_every_kind_of_value() {
    let settings = parse_with(
        "",
        &[
            ("PHAROS__SERVER__API_LISTEN", "[::1]:99"),
            ("PHAROS__SERVER__TRUSTED_PROXIES", "10.0.0.0/8, ::1/128,"),
            ("PHAROS__EGRESS__BLOCKED_PORTS", "22,25"),
            ("PHAROS__EGRESS__ALLOW", ""),
            ("PHAROS__PLANS__FREE__WEBSITES", "3"),
            ("PHAROS__PLANS__TEAM__FEATURES", "errors,vitals"),
            ("PHAROS__INGEST__HONOUR_DNT", "true"),
            ("PHAROS__LOG__FORMAT", "json"),
            ("PHAROS_CACHE", "not ours"),
        ],
    )
    .unwrap();
    assert_eq!(settings.server.api_listen.port(), 99);
    assert_eq!(settings.server.trusted_proxies.len(), 2);
    assert_eq!(settings.egress.blocked_ports, [22, 25]);
    assert!(settings.egress.allow.is_empty());
    assert_eq!(settings.plans.named["free"].websites, 3);
    assert_eq!(settings.plans.named["free"].next, "hobby");
    assert_eq!(settings.plans.named["team"].features, ["errors", "vitals"]);
    assert!(settings.ingest.honour_dnt);
    assert_eq!(settings.log.format, LogFormat::Json);
}

#[test]
fn a_list_in_a_variable_is_comma_separated_or_written_as_in_the_file() {
    let written = [
        ("PHAROS__EGRESS__ALLOW", r#"["127.0.0.0/8", "10.0.0.0/8"]"#),
        ("PHAROS__EGRESS__BLOCKED_PORTS", "[22, 25]"),
    ];
    let separated = [
        ("PHAROS__EGRESS__ALLOW", "127.0.0.0/8,10.0.0.0/8"),
        ("PHAROS__EGRESS__BLOCKED_PORTS", "22,25"),
    ];
    let [written, separated] =
        [written, separated].map(|variables| parse_with("", &variables).unwrap().egress);
    assert_eq!(written.allow.len(), 2);
    assert_eq!(written.allow, separated.allow);
    assert_eq!(written.blocked_ports, separated.blocked_ports);
    assert_eq!(
        mistakes(
            "",
            &[
                ("PHAROS__EGRESS__ALLOW", r#"["127.0.0.0/8""#),
                ("PHAROS__EGRESS__BLOCKED_PORTS", "[\"22\"]"),
            ],
        ),
        [
            "PHAROS__EGRESS__ALLOW: `egress.allow` must be comma-separated texts (a,b) or a list ([\"a\", \"b\"])",
            "PHAROS__EGRESS__BLOCKED_PORTS: `egress.blocked_ports` must be comma-separated whole numbers (22,25) or a list ([22, 25])",
        ]
    );
}

#[test]
fn unknown_settings_name_their_line_and_the_nearest_key() {
    let found = mistakes(
        "track_requests = 5\n[limits]\n\ntrack_requets = 1\n[servre]\nworkers = 2\n[plans.team]\nwebsite = 1\n[x]\n",
        &[("PHAROS__LIMITS__QUERY_REQUEST", "1")],
    );
    assert_eq!(
        found,
        [
            "my.toml:1: `track_requests` is not a known setting (did you mean `limits.track_requests`?)",
            "my.toml:4: `limits.track_requets` is not a known setting (did you mean `limits.track_requests`?)",
            "my.toml:5: `servre` is not a known setting (did you mean `server`?)",
            "my.toml:8: `plans.team.website` is not a known setting (did you mean `plans.team.websites`?)",
            "my.toml:9: `x` is not a known setting",
            "PHAROS__LIMITS__QUERY_REQUEST: `limits.query_request` is not a known setting (did you mean `limits.query_requests`?)",
        ]
    );
}

#[test]
fn every_mistake_is_reported_at_once() {
    let file = r#"
[server]
api_listen = "localhost:8080"
trusted_proxies = ["10.0.0.0/8", "ten"]
base_url = "ftp://a.example"
workers = "many"
allowed_origins = ["https://a.example", "https://a.example/"]
[limits]
track_requests = -1
query_requests = 5000000000
[egress]
blocked_ports = [22, 70000]
[query]
memory = "lots"
concurrent = 0
[log]
format = "xml"
level = "loud"
[plans]
default = "gold"
"#;
    let found = mistakes(file, &[("PHAROS__INGEST__HONOUR_GPC", "yes")]);
    let expected = [
        "my.toml:3: `server.api_listen` must be an address and a port",
        "my.toml:4: `server.trusted_proxies[1]` must be a network",
        "my.toml:5: `server.base_url` must be an address that begins with http:// or https://",
        "my.toml:6: `server.workers` must be a whole number",
        "my.toml:7: `server.allowed_origins[1]` must be an origin",
        "my.toml:9: `limits.track_requests` must be a whole number from 0 to 4294967295",
        "my.toml:10: `limits.query_requests` must be a whole number from 0 to 4294967295",
        "my.toml:12: `egress.blocked_ports[1]` must be a whole number from 0 to 65535",
        "my.toml:14: `query.memory` must be a whole number with a unit",
        "my.toml:15: `query.concurrent` must be at least 1",
        "my.toml:17: `log.format` must be `auto`, `pretty`, `json`",
        "my.toml:18: `log.level` holds \"loud\"",
        "my.toml:20: `plans.default` must be one of the plans free, hobby, pro, scale",
        "PHAROS__INGEST__HONOUR_GPC: `ingest.honour_gpc` must be true or false",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}\n{expected}");
    }
}

#[test]
fn text_that_is_no_toml_names_the_line() {
    let found = mistakes("[server]\nworkers = = 2\n", &[]);
    assert!(found[0].starts_with("my.toml:2: is no TOML: "), "{found:?}");
    let error = Settings::parse(Some((Path::new("f"), b"\n\n\xff")), []).unwrap_err();
    assert_eq!(error.to_string(), "f:3: this line is not UTF-8 text");
    assert!(mistakes("[log]\n[server]\n[log]\n", &[])[0].starts_with("my.toml:3: "));
}

#[test]
fn keys_are_not_guessed_from_quoted_dots() {
    assert!(parse("\"limits.track_requests\" = 5").is_err());
    assert!(parse("[plans.\"a.b\"]\nwebsites = 5").is_err());
    assert!(parse("[plans.\"\"]\nwebsites = 5").is_err());
    assert!(parse("[plans.a-b_1]\nwebsites = 5").is_ok());
    assert_eq!(
        mistakes("plans = 5", &[]),
        ["my.toml:1: `plans` is a section, not a setting"]
    );
}

#[test]
fn settings_of_clickhouse_go_together() {
    let url = "events.clickhouse_url = 'http://u:hunter2@h/d'";
    for (text, key) in [
        (
            "events.store = 'clickhouse'".to_owned(),
            "events.clickhouse_url",
        ),
        (format!("{url}\ningest.ack = 'remote'"), "ingest.ack"),
    ] {
        let found = mistakes(&text, &[]);
        assert!(found[0].contains(key), "{found:?}");
        assert!(!found[0].contains("hunter2"), "{found:?}");
    }
    assert!(
        parse(&format!(
            "{url}\nevents.store = 'clickhouse'\ningest.ack = 'remote'"
        ))
        .is_ok()
    );
    assert!(parse(url).is_ok());
}

#[test]
fn secrets_are_never_shown() {
    let secret = "hunter2";
    let text = format!("database.url = 'postgres://u:{secret}@h/d'\nagent.api_key = '{secret}'");
    let settings = parse(&text).unwrap();
    assert!(settings.database.url.expose().contains(secret));
    assert!(!format!("{settings:?}").contains(secret));
    assert!(!toml::to_string(&settings).unwrap().contains(secret));
    for wrong in [
        format!("database.url = 'mysql://u:{secret}@h/d'"),
        format!("mail.smtp_url = 'http://u:{secret}@h/d'"),
        format!("redis.url = 'http://u:{secret}@h'"),
        format!("events.clickhouse_url = '{secret}'"),
        format!("agent.api_key = '{secret}"),
        format!("agent.api_key = ['{secret}']"),
        format!("server.base_url = 'http://u:{secret}@h'"),
    ] {
        let error = parse(&wrong).unwrap_err();
        assert!(!format!("{error} {error:?}").contains(secret), "{error}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_no_mistake_in_it() {
    let missing = PathBuf::from("/nonexistent/pharos.toml");
    assert!(matches!(
        Settings::load(Some(&missing)),
        Err(LoadError::Unreadable { .. })
    ));
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text: String) {
        let _ = parse(&text);
    }

    #[test]
    fn arbitrary_bytes_never_panic(text: Vec<u8>) {
        let _ = Settings::parse(Some((Path::new("f"), &text)), []);
    }

    #[test]
    fn nearly_right_text_never_panics(
        section in "(server|limits|plans|plans\\.free|plans\\.[a-z\"]{0,3}|egress|log|[a-z.\"]{0,6})",
        key in "(workers|allow|level|default|blocked_ports|memory|[a-z.\"]{0,8})",
        value in "(-?[0-9]{1,25}|0x[0-9a-f]{1,20}|\"[ -~]{0,12}\"|\\[[0-9,\"a]{0,8}\\]|\\{[a-z=1]{0,5}\\}|true|1979-05-27|inf|[ -~]{0,9})",
    ) {
        let _ = parse(&format!("[{section}]\n{key} = {value}\n"));
        let _ = parse(&format!("{section}.{key} = {value}\n"));
    }

    #[test]
    fn arbitrary_variables_never_panic(name in "[A-Z_.]{0,12}", value: String) {
        let names = [format!("PHAROS__{name}"), "PHAROS__SERVER__BASE_URL".into(), "PHAROS__EGRESS__ALLOW".into(), "PHAROS__LOG__LEVEL".into(), "PHAROS__QUERY__MEMORY".into()];
        let _ = Settings::parse(None, names.map(|name| (OsString::from(name), OsString::from(&value))));
    }
}
