//! Edited settings are taken over by the running program, and bad ones are not.

use std::{fs, path::Path};

use rustix::process::Signal;
use serde_json::json;

use crate::{
    app::{Answer, until},
    process::{Process, pharos, set_up, start},
};

fn write(file: &Path, queries: &str) {
    let text = format!("[limits]\nquery_requests_anonymous = {queries}\n");
    fs::write(file, text).unwrap();
}

/// The limit that a refused stranger is told; asks until one is refused.
async fn limit(process: &Process) -> String {
    let url = format!("{}/v1/query", process.base);
    for _ in 0..10 {
        let request = reqwest::Client::new().post(&url).json(&json!({}));
        let answer = Answer::of(request).await;
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
        process.said("the running ones stay") > 0
    })
    .await;
    assert!(
        process.said("query_requests_anonymous") > 0,
        "the reason is in the log"
    );
    assert_eq!(limit(&process).await, "2");

    write(&file, "3");
    until("the edit is noticed", async || limit(&process).await == "3").await;
}
