//! Edited settings are taken over by the running program, and bad ones are not.

use std::{fs, path::Path};

use rustix::process::Signal;
use serde_json::json;

use crate::{
    app::{Answer, until},
    process::{Credentials, Process, pharos, set_up, start},
};

fn write(file: &Path, queries: &str) {
    let text = format!("[limits]\nquery_requests_anonymous = {queries}\n");
    fs::write(file, text).unwrap();
}

/// The limit in a refusal; asks until a request is refused.
async fn limit(process: &Process) -> String {
    let url = format!("{}/v1/query", process.base);
    for _ in 0..10 {
        let request = crate::web::client().post(&url).json(&json!({}));
        let answer = Answer::send(request).await;
        if answer.status == 429 {
            return answer.header("x-ratelimit-limit").to_owned();
        }
        assert_eq!(answer.status, 401);
    }
    panic!("nobody is refused");
}

#[actix::test]
async fn limits_follow_the_file_on_sighup_and_when_it_changes_and_ignore_bad_edits() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("mine.toml");
    set_up(data.path());
    write(&file, "1");
    let edited = fs::metadata(&file).unwrap().modified().unwrap();
    let mut command = pharos(data.path());
    command.arg("serve").arg("--config").arg(&file);
    let process = start(command).await;
    assert_eq!(limit(&process).await, "1");

    // As long as before and as old: only the signal can say that it changed.
    write(&file, "2");
    fs::File::options()
        .append(true)
        .open(&file)
        .unwrap()
        .set_modified(edited)
        .unwrap();
    process.signal(Signal::HUP);
    until("the new limit shows", async || limit(&process).await == "2").await;

    write(&file, "\"many\"");
    process.signal(Signal::HUP);
    until("the bad edit is refused", async || {
        process.count_log_lines("the running ones stay") > 0
    })
    .await;
    assert!(
        process.count_log_lines("query_requests_anonymous") > 0,
        "the reason is in the log"
    );
    assert_eq!(limit(&process).await, "2");

    write(&file, "3");
    until("the edit is noticed", async || limit(&process).await == "3").await;
}

/// A database of one record: every IPv4 address is in Munich. (The layout is written by the tests of `enrich::geo`.)
const CITY: &[u8] = include_bytes!("fixtures/city.mmdb");

fn city(name: [u8; 6]) -> Vec<u8> {
    let at = CITY.windows(6).position(|six| six == b"Munich").unwrap();
    let mut bytes = CITY.to_vec();
    bytes[at..at + 6].copy_from_slice(&name);
    bytes
}

/// Sends a page view and says in which cities visitors were until now.
async fn cities(process: &Process, made: &Credentials, id: &str) -> Vec<String> {
    let client = crate::web::client();
    let page = json!({"eventId": id, "name": "screen_view", "path": "http://localhost/"});
    let url = format!("{}/?client_id={}", process.track, made.website);
    assert_eq!(Answer::send(client.post(url).json(&page)).await.status, 200);
    let url = format!("{}/v1/query?website_id={}", process.base, made.website);
    let body =
        json!({"parameters": ["city"], "preset": "today", "sortBy": "city", "sortOrder": "asc"});
    let answer = Answer::send(client.post(url).header("x-api-key", &made.key).json(&body)).await;
    let rows = answer.rows(0);
    let name = |row: &serde_json::Value| row["city"].as_str().unwrap().to_owned();
    rows.iter().map(name).collect()
}

#[actix::test]
async fn places_follow_the_database_when_it_changes_and_survive_a_damaged_one() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("city.mmdb");
    fs::write(&file, city(*b"Munich")).unwrap();
    let made = set_up(data.path());
    let mut command = pharos(data.path());
    command.arg("serve").env("PHAROS__GEO__DATABASE", &file);
    let process = start(command).await;
    assert_eq!(cities(&process, &made, "1").await, ["Munich"]);

    fs::write(&file, "damaged").unwrap();
    until("the damaged file is refused", async || {
        process.count_log_lines("places are looked up where they were") > 0
    })
    .await;
    assert_eq!(cities(&process, &made, "2").await, ["Munich"]);

    fs::write(&file, city(*b"Berlin")).unwrap();
    until("the new file is read", async || {
        process.count_log_lines("the database of places was read again") > 0
    })
    .await;
    assert_eq!(cities(&process, &made, "3").await, ["Berlin", "Munich"]);
}
