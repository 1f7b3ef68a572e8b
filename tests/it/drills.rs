//! The real binary under `kill -9`: what was answered is there, once.

use std::{
    collections::HashSet,
    path::Path,
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use pharos::{actors::ingest::Seal, clock::Clock};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    app::{App, NOW},
    process::{Credentials, Process, is_own, pharos, set_up, start},
};

/// Kills of the short mode; `PHAROS_DRILL_KILLS` asks for more.
const KILLS: u32 = 5;
const CLIENTS: usize = 8;
/// Rows of a segment: so few that kills hit seals and merges as well.
const SEAL_ROWS: &str = "40";

/// The program without limits, which the drills would run into.
fn unlimited(data: &Path) -> Command {
    let mut command = pharos(data);
    command
        .env("PHAROS_DRILL_SEAL_ROWS", SEAL_ROWS)
        .env("PHAROS__LIMITS__TRACK_REQUESTS", "0")
        .env("PHAROS__LIMITS__QUERY_REQUESTS", "0")
        .env("PHAROS__LIMITS__KEY_IN_FLIGHT", "0");
    command
}

/// What the clients know: ids that were answered with success.
#[derive(Default)]
struct Ledger {
    acknowledged: Mutex<HashSet<String>>,
    next: AtomicU64,
}

/// Sends batches until the program is gone; every third batch is sent twice.
async fn drive(process: &Process, credentials: &Credentials, ledger: &Ledger, stop: &AtomicBool) {
    let http = crate::web::client();
    let url = format!("{}/track", process.track);
    while !stop.load(Ordering::Relaxed) {
        let first = ledger.next.fetch_add(5, Ordering::Relaxed);
        let ids: Vec<String> = (first..first + 5).map(|n| format!("event-{n}")).collect();
        let events: Vec<Value> = ids
            .iter()
            .map(|id| json!({ "name": id, "eventId": id, "websiteId": credentials.website }))
            .collect();
        for _ in 0..=usize::from(first.is_multiple_of(3)) {
            let sent = http
                .post(&url)
                .header("x-api-key", &credentials.key)
                .json(&events)
                .send()
                .await;
            match sent {
                Ok(answer) if answer.status() == 200 => {
                    ledger
                        .acknowledged
                        .lock()
                        .unwrap()
                        .extend(ids.iter().cloned());
                }
                Ok(answer) => assert_eq!(answer.status(), 503, "{:?}", answer.text().await),
                Err(_) => return,
            }
        }
    }
}

/// Every stored event of the drill: name and how often.
async fn stored(process: &Process, credentials: &Credentials) -> Vec<(String, u64)> {
    let http = crate::web::client();
    let mut found = Vec::new();
    for page in 1.. {
        let body = json!({
            "parameters": ["custom_events"], "preset": "last_7d", "limit": 10_000, "page": page,
            "sortBy": "name", "sortOrder": "asc",
        });
        let url = format!(
            "{}/v1/query?website_id={}",
            process.base, credentials.website
        );
        let answer = http
            .post(url)
            .header("x-api-key", &credentials.key)
            .json(&body)
            .send()
            .await
            .unwrap();
        let answer: Value = answer.json().await.unwrap();
        assert_eq!(answer["data"][0]["success"], true, "{answer}");
        let rows = answer["data"][0]["data"]
            .as_array()
            .unwrap_or_else(|| panic!("{answer}"));
        found.extend(rows.iter().map(|row| {
            (
                row["name"].as_str().unwrap().to_owned(),
                row["total_events"].as_u64().unwrap(),
            )
        }));
        if rows.len() < 10_000 {
            break;
        }
    }
    found
}

#[actix::test]
async fn killed_at_any_moment_it_loses_nothing_and_doubles_nothing() {
    let kills = std::env::var("PHAROS_DRILL_KILLS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(KILLS);
    let data = tempfile::tempdir().unwrap();
    let credentials = Arc::new(set_up(data.path()));
    let ledger = Arc::new(Ledger::default());
    for kill in 0..kills {
        let process = Arc::new(start(unlimited(data.path())).await);
        let stop = Arc::new(AtomicBool::new(false));
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                let (process, credentials) = (Arc::clone(&process), Arc::clone(&credentials));
                let (ledger, stop) = (Arc::clone(&ledger), Arc::clone(&stop));
                tokio::spawn(async move { drive(&process, &credentials, &ledger, &stop).await })
            })
            .collect();
        // Not a time but an amount: the kill comes while requests are under way.
        let enough = ledger.acknowledged.lock().unwrap().len() + 50 + (kill as usize * 37) % 200;
        while ledger.acknowledged.lock().unwrap().len() < enough {
            tokio::task::yield_now().await;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        process.signal(Signal::KILL);
        stop.store(true, Ordering::Relaxed);
        for client in clients {
            client.await.unwrap();
        }
    }
    let process = start(unlimited(data.path())).await;
    let stored = stored(&process, &credentials).await;
    let acknowledged = ledger.acknowledged.lock().unwrap();
    let names: HashSet<&String> = stored.iter().map(|(name, _)| name).collect();
    let lost: Vec<_> = acknowledged
        .iter()
        .filter(|id| !names.contains(id))
        .collect();
    let doubled: Vec<_> = stored.iter().filter(|(_, count)| *count != 1).collect();
    assert!(
        lost.is_empty(),
        "{} of {} lost, such as {:?}",
        lost.len(),
        acknowledged.len(),
        lost.first()
    );
    assert!(doubled.is_empty(), "doubled: {doubled:?}");
    drop(acknowledged);
    stop(process);
    no_orphans(data.path());
}

/// Ends the program in good order.
fn stop(mut process: Process) {
    let id = rustix::process::Pid::from_raw(process.child.id() as i32).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    assert_eq!(process.child.wait().unwrap().code(), Some(0));
}

/// Every file has a purpose: nothing is left of what the kills cut off, nor of what the stop did.
fn no_orphans(data: &Path) {
    let mut extensions = HashSet::new();
    let mut segments = 0;
    for directory in ["segments", "dedup", "spool"] {
        for entry in std::fs::read_dir(data.join(directory)).unwrap() {
            let path = entry.unwrap().path();
            let extension = path
                .extension()
                .map(|text| text.to_string_lossy().into_owned());
            segments += usize::from(extension.as_deref() == Some("parquet"));
            extensions.extend(extension);
        }
    }
    // Another program may seal at its own size alone.
    assert!(segments > 0 || !is_own(), "no kill hit a seal");
    for extension in &extensions {
        let known = ["parquet", "keys", "seg", "journal"].contains(&extension.as_str());
        assert!(known, "`.{extension}` files were left");
    }
}

#[actix::test]
async fn a_stop_by_signal_finishes_what_was_accepted_and_exits_with_0() {
    let data = tempfile::tempdir().unwrap();
    let credentials = set_up(data.path());
    let mut process = start(unlimited(data.path())).await;
    let http = crate::web::client();
    let event = json!({ "name": "last", "websiteId": credentials.website });
    let sent = http
        .post(format!("{}/track", process.track))
        .header("x-api-key", &credentials.key)
        .json(&event)
        .send()
        .await
        .unwrap();
    assert_eq!(sent.status(), 200);
    process.signal(Signal::TERM);
    let status = process.child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    drop(process);

    let process = start(unlimited(data.path())).await;
    assert_eq!(
        stored(&process, &credentials).await,
        [("last".to_owned(), 1)]
    );
}

#[actix::test]
async fn a_second_process_on_the_same_directory_is_told_who_holds_it() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    let process = start(unlimited(data.path())).await;
    let second = pharos(data.path()).args(["setup"]).output().unwrap();
    assert_eq!(second.status.code(), Some(2));
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(said.contains(&process.child.id().to_string()), "{said}");
    assert!(said.contains("hint"), "{said}");
}

/// The day changes between an event and its repetition, and with it the salt and the file that it would go to.
#[actix::test]
async fn a_retry_across_midnight_is_the_same_event() {
    let before = NOW + 12 * 3_600_000 - 1_000;
    let mut app = App::at(Clock::fixed(before), "").await;
    let server = json!({ "name": "server", "eventId": "1", "websiteId": app.website });
    let page = json!([{ "eventId": "2", "name": "screen_view", "path": "https://localhost/a",
        "anonymousId": "anon_1", "sessionId": "s_1" }]);
    let url = |app: &App| format!("{}/batch?client_id={}", app.track, app.website);
    for turn in 0..4 {
        assert_eq!(app.send(&server).await.status, 200, "turn {turn}");
        let sent = app.post_anonymously(url(&app), &page).await;
        assert_eq!(sent.status, 200, "turn {turn}: {}", sent.text);
        match turn {
            0 => app.clock.advance(Duration::from_secs(2)),
            1 => {
                let ingest = &app.platform.as_ref().unwrap().domains().ingest;
                ingest.ask(Seal).await.unwrap();
            }
            _ => app.restart().await,
        }
    }
    let asked = json!({ "parameters": ["custom_events", "top_pages"],
        "startDate": "2026-10-14", "endDate": "2026-10-15" });
    let answer = app.ask(&asked).await;
    assert_eq!(answer.rows(0)[0]["total_events"], 1, "{}", answer.text);
    assert_eq!(answer.rows(1)[0]["pageviews"], 1, "{}", answer.text);
    app.finish().await;
}
