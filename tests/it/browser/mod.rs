//! The tracker in a real browser: what pages and their visitors do is what the queries answer.
//!
//! `tests/clients/browser.mjs` drives Chromium through the scenarios. `scripts/test` installs both; where Chromium
//! cannot be had it says so and sets `PHAROS_NO_BROWSER`.

mod console;
mod docs;
mod hostile;
mod inert;
mod sending;
mod silence;
mod visiting;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use pharos::clock::Clock;
use serde_json::{Value, json};

use crate::app::App;

/// The server of the test pages is in front; conditions are polled until they hold.
const SETTINGS: &str = r#"
    server.trusted_proxies = ["127.0.0.0/8"]
    server.tracker_path = "/app.js"
    limits.track_requests = 0
    limits.query_requests = 0
    limits.key_requests = 0
"#;

/// The program with a website for the pages of the scenarios; nothing where there is no browser.
async fn shop() -> Option<App> {
    if std::env::var_os("PHAROS_NO_BROWSER").is_some() {
        return None;
    }
    // Browsers say when something happened, by the machine's clock.
    let mut app = App::at(Clock::system(), SETTINGS).await;
    let website = json!({ "name": "Shop", "domain": "shop.example.com" });
    let made = app
        .post(format!("{}/websites/create", app.base), &website)
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    made.body["id"]
        .as_str()
        .unwrap()
        .clone_into(&mut app.website);
    Some(app)
}

/// Runs a scenario to its end and gives what it says.
pub async fn browse(app: &App, scenario: &str) -> Value {
    let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let chromium = std::env::var_os("PHAROS_CHROMIUM")
        .map_or_else(|| PathBuf::from("/usr/bin/chromium"), PathBuf::from);
    for needed in [clients.join("node_modules/playwright-core"), chromium] {
        assert!(
            needed.exists(),
            "{} is not there: run scripts/test, which installs it",
            needed.display()
        );
    }
    let mut node = Command::new("node");
    node.current_dir(clients)
        .args(["browser.mjs", scenario, &app.track, &app.website]);
    let output = tokio::task::spawn_blocking(move || node.output()).await;
    let output = output.unwrap().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{out}{err}");
    serde_json::from_str(&out).unwrap()
}

/// The rows of a type as pairs of two columns, in the order of the first.
async fn pairs(app: &App, parameter: &str, name: &str, value: &str) -> Vec<(String, Value)> {
    let rows = app.rows(parameter).await;
    let mut pairs: Vec<(String, Value)> = rows
        .iter()
        .map(|row| (row[name].as_str().unwrap().to_owned(), row[value].clone()))
        .collect();
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    pairs
}

async fn total(app: &App, parameter: &str, column: &str) -> i64 {
    let rows = app.rows(parameter).await;
    rows.iter()
        .filter_map(|row| row[column].as_i64())
        .sum::<i64>()
}

fn named(pairs: &[(&str, i64)]) -> Vec<(String, Value)> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect()
}
