//! What becomes of ingestion when the disk has no room, or refuses to sync.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::{
    app::{Answer, until},
    process::{Credentials, Process, pharos, set_up, start},
    shift::ProcessClock,
};

async fn serve(data: &Path, settings: &[(&str, &str)]) -> Process {
    let mut command = pharos(data);
    command
        .arg("serve")
        .env("PHAROS__LIMITS__TRACK_REQUESTS", "0")
        .envs(settings.iter().copied());
    ProcessClock::new(data.join("clock")).on(&mut command);
    command.env("PHAROS_TEST_NO_SYNC", data.join("no-sync"));
    start(command).await
}

async fn event(process: &Process, made: &Credentials, id: &str) -> Answer {
    let event = json!({ "name": id, "eventId": id, "websiteId": made.website });
    let request = crate::web::client().post(format!("{}/track", process.track));
    Answer::send(request.header("x-api-key", &made.key).json(&event)).await
}

async fn names(process: &Process, made: &Credentials) -> Vec<Value> {
    let url = format!("{}/v1/query?website_id={}", process.base, made.website);
    let body = json!({ "parameters": ["custom_events"], "preset": "today", "sortBy": "name", "sortOrder": "asc" });
    let request = crate::web::client()
        .post(url)
        .header("x-api-key", &made.key);
    let rows = Answer::send(request.json(&body)).await.rows(0);
    rows.into_iter().map(|row| row["name"].clone()).collect()
}

#[actix::test]
async fn a_log_that_failed_twice_comes_back_while_events_keep_coming() {
    let data = tempfile::tempdir().unwrap();
    let (made, refuses) = (set_up(data.path()), data.path().join("no-sync"));
    let process = serve(data.path(), &[]).await;
    assert_eq!(event(&process, &made, "a").await.status, 200);
    fs::write(&refuses, "").unwrap();
    for id in ["b", "c", "d"] {
        assert_eq!(event(&process, &made, id).await.status, 503);
    }
    fs::remove_file(&refuses).unwrap();
    // Without a pause in which the log could be tried.
    until("the log is written again", async || {
        event(&process, &made, "e").await.status == 200
    })
    .await;
    assert_eq!(names(&process, &made).await, ["a", "e"]);
    process.stop();
}

#[actix::test]
async fn a_disk_that_refuses_to_sync_closes_ingestion_or_ends_the_program_and_loses_nothing() {
    let data = tempfile::tempdir().unwrap();
    let (made, refuses) = (set_up(data.path()), data.path().join("no-sync"));
    let process = serve(data.path(), &[]).await;
    assert_eq!(event(&process, &made, "a").await.status, 200);
    fs::write(&refuses, "").unwrap();
    let refused = event(&process, &made, "b").await;
    assert_eq!(
        (refused.status, &refused.body["code"]),
        (503, &json!("SERVICE_UNAVAILABLE")),
        "{}",
        refused.text
    );
    assert!(!refused.header("retry-after").is_empty());
    // What was there can be asked for meanwhile, and a fresh log is begun once the disk takes one.
    assert_eq!(names(&process, &made).await, ["a"]);
    fs::remove_file(&refuses).unwrap();
    until("the disk is tried again", async || {
        event(&process, &made, "c").await.status == 200
    })
    .await;
    process.stop();

    let mut process = serve(data.path(), &[("PHAROS__INGEST__ON_FSYNC_ERROR", "exit")]).await;
    assert_eq!(event(&process, &made, "d").await.status, 200);
    fs::write(&refuses, "").unwrap();
    let mut ended = None;
    until("the program ends", async || {
        // After a few failures, later connections are refused.
        let event = json!({ "name": "e", "websiteId": made.website });
        let request = crate::web::client().post(format!("{}/track", process.track));
        if let Ok(answer) = request.json(&event).send().await {
            assert_eq!(answer.status(), 503);
        }
        ended = process.child.try_wait().unwrap();
        ended.is_some()
    })
    .await;
    let ended = ended.unwrap();
    assert!(!ended.success() && ended.code().is_some(), "{ended}");
    fs::remove_file(&refuses).unwrap();
    let process = serve(data.path(), &[]).await;
    let all = names(&process, &made).await;
    // Of what was not confirmed, either may be true.
    assert!(
        all.contains(&json!("a")) && all.contains(&json!("d")),
        "{all:?}"
    );
    process.stop();
}

#[actix::test]
async fn events_are_refused_while_the_disk_has_less_room_than_is_reserved() {
    let data = tempfile::tempdir().unwrap();
    let made = set_up(data.path());
    let process = serve(
        data.path(),
        &[("PHAROS__STORAGE__RESERVE_BYTES", "9000000000000000000")],
    )
    .await;
    until("the disk was looked at", async || {
        event(&process, &made, "a").await.status == 503
    })
    .await;
    let refused = event(&process, &made, "a").await;
    assert_eq!(
        refused.body["code"], "SERVICE_UNAVAILABLE",
        "{}",
        refused.text
    );
    assert!(!refused.header("retry-after").is_empty());
    process.stop();
}
