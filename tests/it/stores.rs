//! Where the programs of the tests keep events and counts: in the data directory and in the process, or with `PHAROS_TEST_CLICKHOUSE`
//! and `PHAROS_TEST_REDIS` (`scripts/stores`) in a database of their own there, one for each data directory, and in that Redis.

use std::{fmt::Write as _, fs, path::Path};

use serde_json::{Value, json};

use crate::{clickhouse::tell, database};

/// How long Redis may take where a test is not about that: machines that test are busy.
pub const PATIENCE_MS: u32 = 5_000;

/// Lines of TOML for a data directory, beside those that a test has; its database is there.
pub fn toml(directory: &Path, own: &str) -> String {
    let mut lines = String::new();
    for (name, value) in settings(directory) {
        let (section, _) = name.split_once('.').unwrap();
        let is_decided = match section {
            "events" => own.contains("events.store"),
            _ => own.contains(name),
        };
        if !is_decided {
            let _ = writeln!(lines, "{name} = {value}");
        }
    }
    lines
}

/// The same, as a spawned program finds them in its environment.
pub fn environment(directory: &Path) -> impl Iterator<Item = (String, String)> {
    let named = |name: &str| format!("PHAROS__{}", name.to_uppercase().replace('.', "__"));
    let settings = settings(directory).into_iter();
    settings.map(move |(name, value)| {
        let text = value.as_str().map(str::to_owned);
        (named(name), text.unwrap_or_else(|| value.to_string()))
    })
}

/// Deletes the events of a data directory that are elsewhere.
pub fn drop_database(directory: &Path) {
    if let Some(front) = front() {
        let name = database::name(directory);
        tell(&front, &format!("DROP DATABASE IF EXISTS {name} SYNC"));
    }
}

fn settings(directory: &Path) -> Vec<(&'static str, Value)> {
    let mut settings = Vec::new();
    if let Some(front) = front() {
        let name = database::name(directory);
        tell(&front, &format!("CREATE DATABASE IF NOT EXISTS {name}"));
        settings.push(("events.store", json!("clickhouse")));
        settings.push(("events.clickhouse_url", json!(format!("{front}/{name}"))));
    }
    // Visitor ids are derived from the data directory's secret.
    if let Ok(redis) = std::env::var("PHAROS_TEST_REDIS") {
        settings.push(("redis.url", json!(redis)));
        settings.push(("redis.timeout_ms", json!(PATIENCE_MS)));
    }
    settings
}

fn front() -> Option<String> {
    std::env::var("PHAROS_TEST_CLICKHOUSE").ok()
}

/// `tests/apart.txt` names what there is, with a reason each.
#[test]
fn what_runs_once_exists_and_says_why() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let list = fs::read_to_string(home.join("apart.txt")).unwrap();
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let mut count = 0;
    for line in lines {
        let (name, why) = line.split_once(' ').unwrap();
        assert!(why.trim().len() > 5, "{name} says no reason");
        let (mut place, mut parts) = (home.join("it"), name.split("::").peekable());
        while let Some(part) = parts.next() {
            let (file, inner) = (place.join(format!("{part}.rs")), place.join(part));
            if file.is_file() || inner.join("mod.rs").is_file() {
                place = inner;
                continue;
            }
            assert!(parts.peek().is_none(), "there is no {name}");
            let module = [
                place.with_extension("rs"),
                place.join("mod.rs"),
                place.join("main.rs"),
            ];
            let module = module.iter().find(|file| file.is_file()).unwrap();
            let source = fs::read_to_string(module).unwrap();
            let declared = [format!("fn {part}("), format!("mod {part};")];
            assert!(
                declared.iter().any(|found| source.contains(found)),
                "there is no {name}"
            );
        }
        count += 1;
    }
    assert!(count > 20, "{count}");
}
