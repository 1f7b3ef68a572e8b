//! The real binary under `kill -9` between the steps of a batch: recorded, sent, its keys kept, noted.

use std::{fs, path::Path};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{Server, count};
use crate::{
    app::{Answer, until},
    process::{Credentials, Process, pharos, set_up, start},
};

const STEPS: [&str; 4] = ["ship-recorded", "ship-sent", "ship-kept", "ship-noted"];

async fn run(data: &Path, server: &Server) -> Process {
    let mut command = pharos(data);
    command
        .env("PHAROS__EVENTS__STORE", "clickhouse")
        .env("PHAROS__EVENTS__CLICKHOUSE_URL", server.url())
        .env("PHAROS_DRILL_FAILPOINTS", data.join("points"));
    start(command).await
}

async fn send(process: &Process, credentials: &Credentials, n: u64) {
    let event =
        json!({ "name": "a", "websiteId": credentials.website, "eventId": format!("e{n}") });
    let request = crate::web::client().post(format!("{}/track", process.track));
    let answer = Answer::send(request.header("x-api-key", &credentials.key).json(&event)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

/// Bytes that wait for ClickHouse.
async fn waiting_bytes(process: &Process) -> String {
    let url = format!("{}/metrics", process.base);
    let text = Answer::send(crate::web::client().get(url)).await.text;
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    let found = lines.find(|(name, _)| *name == "pharos_ship_backlog_bytes");
    found.unwrap().1.to_owned()
}

fn journal(data: &Path) -> Value {
    let text = fs::read(data.join("shipper.json")).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_else(|_| json!({ "cursor": 0, "batch": null }))
}

/// Whether the batch has come to a step that it waits at.
fn has_come_to(step: &str, data: &Path, server: &Server, (cursor, sent): (&Value, u64)) -> bool {
    let now = journal(data);
    let recorded = now["cursor"] == *cursor && now["batch"].is_object();
    match step {
        "ship-recorded" => recorded,
        "ship-sent" | "ship-kept" => recorded && count(server, "kind = 2") == sent,
        _ => now["cursor"] != *cursor && now["batch"].is_null(),
    }
}

#[actix::test]
async fn a_kill_behind_any_step_loses_nothing_and_doubles_nothing() {
    let Some(server) = Server::start() else {
        return;
    };
    let data = tempfile::tempdir().unwrap();
    let data = data.path();
    let credentials = set_up(data);
    let points = data.join("points");
    fs::create_dir(&points).unwrap();
    let mut sent = 0;
    for step in STEPS {
        let process = run(data, &server).await;
        // Also what was noted about those that were sent twice.
        until("what is in the log was shipped", async || {
            count(&server, "kind = 2") == sent && waiting_bytes(&process).await == "0"
        })
        .await;
        let cursor = journal(data)["cursor"].clone();
        fs::write(points.join(step), "wait").unwrap();
        send(&process, &credentials, sent).await;
        sent += 1;
        until(step, async || {
            has_come_to(step, data, &server, (&cursor, sent))
        })
        .await;
        // Acknowledged, and no part of what is under way.
        send(&process, &credentials, sent).await;
        sent += 1;
        process.signal(Signal::KILL);
        drop(process);
        fs::remove_file(points.join(step)).unwrap();

        let process = run(data, &server).await;
        for n in 0..sent {
            send(&process, &credentials, n).await;
        }
        until("everything is shipped", async || {
            count(&server, "kind = 2") == sent && journal(data)["batch"].is_null()
        })
        .await;
        process.stop();
    }
    assert_eq!(count(&server, "kind = 2"), sent, "nothing is there twice");
    let keys = server.tell("SELECT uniqExact(dedup_key) FROM pharos_events WHERE kind = 2");
    assert_eq!(keys.trim(), sent.to_string());
}
