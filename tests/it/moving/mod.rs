//! `pharos migrate-store`: an installation between SQLite with segments and PostgreSQL with ClickHouse.

mod answers;
mod cut;
mod home;
mod owed;

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};

use self::{
    answers::{Answers, answers, count, same},
    home::{Ended, Home, InitialData, send},
};
use crate::app::Answer;

/// Rows of a kind that were moved.
fn rows(said: &Value, kind: &str) -> u64 {
    said["kinds"][kind]["rows"].as_u64().unwrap_or_default()
}

/// The program does not start with these stores, and says why.
fn ensure_shut(home: &Home, stores: &str, why: &str) {
    let output = home.command(stores).arg("serve").output().unwrap();
    let ended = Ended::from_output(&output);
    assert_eq!(ended.code, Some(2), "{}", ended.wrong);
    assert!(ended.wrong.contains(why), "{}", ended.wrong);
}

#[actix::test]
async fn an_installation_moves_there_and_back_and_says_the_same() {
    let Some(home) = Home::new().await else {
        return;
    };
    let made = home.filled().await;
    let process = home.serve("embedded").await;
    let before = answers(&process, &made).await;
    let filled = before.values().filter(|rows| !rows.is_empty()).count();
    assert!(filled > 80, "{filled} of {} say something", before.len());
    let sealed = before
        .values()
        .flatten()
        .any(|row| row.0.contains("ann@example.com"));
    assert!(
        sealed,
        "an address that the database has under the instance's key"
    );
    process.stop();

    let said = home.moved("embedded", "scaled");
    for kind in [
        "pages",
        "customEvents",
        "vitals",
        "errors",
        "clicks",
        "identities",
    ] {
        assert!(rows(&said, kind) > 0, "{kind}: {said}");
    }
    assert!(said["tables"]["links"]["rows"].as_u64() > Some(0), "{said}");
    let there = home.clickhouse.tell("SELECT count() FROM pharos_events");
    let moved: u64 = said["kinds"]
        .as_object()
        .unwrap()
        .values()
        .map(|kind| kind["rows"].as_u64().unwrap())
        .sum();
    assert_eq!(there.trim(), moved.to_string());
    assert!(!home.data.path().join("state.db").exists());
    assert!(fs::exists(said["aside"].as_str().unwrap()).unwrap());
    ensure_shut(&home, "embedded", "the stores were moved");

    let process = home.serve("scaled").await;
    same(&before, &answers(&process, &made).await);
    // What came before the move is known, and goes on.
    send(&process, &made.credentials, "sent").await;
    send(&process, &made.credentials, "later").await;
    for name in ["sent", "later"] {
        assert_eq!(count(&process, &made, name).await, 1, "{name}");
    }
    process.stop();

    let back = home.moved("scaled", "embedded");
    for (kind, more) in [("pages", 0), ("customEvents", 1), ("clicks", 0)] {
        assert_eq!(rows(&back, kind), rows(&said, kind) + more, "{kind}");
    }
    ensure_shut(&home, "scaled", "the stores were moved");
    let process = home.serve("embedded").await;
    for name in ["sent", "later"] {
        send(&process, &made.credentials, name).await;
        assert_eq!(count(&process, &made, name).await, 1, "{name} is known");
    }
    process.stop();
    let verified = home
        .command("embedded")
        .args(["audit", "verify"])
        .output()
        .unwrap();
    assert!(verified.status.success());
}

#[actix::test]
async fn either_of_the_two_moves_alone() {
    let Some(home) = Home::new().await else {
        return;
    };
    let made = home.filled().await;
    let before = home.says("embedded", &made).await;
    for (from, to) in [
        ("embedded", "clickhouse"),
        ("clickhouse", "scaled"),
        ("scaled", "postgres"),
        ("postgres", "embedded"),
    ] {
        let said = home.moved(from, to);
        let (state, events) = (
            said["stateFrom"] != said["stateTo"],
            said["eventsFrom"] != said["eventsTo"],
        );
        assert!(state != events, "{said}");
        assert_eq!(
            said["tables"].as_object().unwrap().is_empty(),
            !state,
            "{said}"
        );
        assert_eq!(
            said["kinds"].as_object().unwrap().is_empty(),
            !events,
            "{said}"
        );
        still_says(&home, to, &made, &before).await;
    }
}

#[actix::test]
async fn what_is_in_the_way_is_said_and_nothing_is_touched() {
    let Some(home) = Home::new().await else {
        return;
    };
    home.refused("embedded", "scaled", "there is no installation");
    let made = home.filled().await;
    home.refused("embedded", "embedded", "names the stores that there are");
    let elsewhere = tempfile::tempdir().unwrap();
    let output = home
        .moving("embedded", "scaled", None)
        .env("PHAROS__STORAGE__DATA_DIR", elsewhere.path())
        .output();
    let ended = Ended::from_output(&output.unwrap());
    assert_eq!(ended.code, Some(2), "there is nothing: {}", ended.wrong);

    let process = home.serve("embedded").await;
    home.refused("embedded", "scaled", "is in use by process");
    let before = answers(&process, &made).await;
    process.stop();

    let other = tempfile::tempdir().unwrap();
    let set_up = home
        .command("scaled")
        .env("PHAROS__STORAGE__DATA_DIR", other.path())
        .arg("setup")
        .output();
    assert!(set_up.unwrap().status.success());
    home.refused(
        "embedded",
        "scaled",
        "there is an installation in the state database already",
    );
    home.clickhouse
        .tell("INSERT INTO pharos_events (organization) VALUES (1)");
    home.refused(
        "embedded",
        "clickhouse",
        "there are 1 events in ClickHouse already",
    );
    let process = home.serve("embedded").await;
    same(&before, &answers(&process, &made).await);
    process.signal(Signal::TERM);
}

#[actix::test]
async fn the_file_behind_to_decides_and_the_words_are_for_people() {
    let Some(home) = Home::new().await else {
        return;
    };
    let made = home.filled().await;
    let mut command = home.command("embedded");
    // The environment names the store that there is.
    command
        .env("PHAROS__DATABASE__URL", "sqlite")
        .args(["migrate-store", "--to"])
        .arg(home.file("postgres"));
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut lines = said.lines();
    let first = lines.next().unwrap();
    assert!(first.starts_with("state: sqlite -> postgres://"), "{said}");
    assert!(!said.contains('@'), "no password: {said}");
    let links = said
        .lines()
        .find(|line| line.trim_start().starts_with("links "))
        .unwrap();
    let words: Vec<_> = links.split_whitespace().collect();
    assert_eq!(
        (words[1], words[2], words[3].len()),
        ("1", "rows", 32),
        "{said}"
    );
    assert_eq!(
        said.lines().last(),
        Some("moved; every count and checksum agrees")
    );
    let process = home.serve("postgres").await;
    let url = format!(
        "{}/v1/query?website_id={}",
        process.base, made.credentials.website
    );
    let body = json!({ "parameters": ["summary_metrics"], "preset": "last_30d" });
    let asked = crate::web::client()
        .post(url)
        .header("x-api-key", &made.credentials.key);
    assert_eq!(Answer::send(asked.json(&body)).await.status, 200);
    process.stop();
}

/// Where a move is, as the data directory says.
fn journal(home: &Home) -> Option<Value> {
    let text = fs::read(home.data.path().join("moved.json")).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The new installation answers like the old one.
async fn still_says(home: &Home, stores: &str, made: &InitialData, before: &Answers) {
    same(before, &home.says(stores, made).await);
}
