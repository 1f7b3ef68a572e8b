//! A state database that is older than the event files: an old dump was put back, or a replica was behind.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    app::{Answer, until},
    database::{drop_copy, drop_database, keep_copy, put_back},
    process::{Credentials, Process, free_address, has_drills, pharos, set_up_by, start},
    shift::ProcessClock,
};

fn program(data: &Path) -> Command {
    let mut command = pharos(data);
    command
        .env("PHAROS__EVENTS__STORE", "embedded")
        .env("PHAROS_DRILL_SEAL_ROWS", "5")
        .env("PHAROS__LIMITS__TRACK_REQUESTS", "0")
        .env("PHAROS__LIMITS__QUERY_REQUESTS", "0");
    command
}

async fn serve(data: &Path) -> Process {
    let mut command = program(data);
    command.arg("serve");
    start(command).await
}

/// Sends events with these ids, one request each.
async fn send(process: &Process, made: &Credentials, ids: std::ops::Range<u32>) {
    let client = crate::web::client();
    for id in ids {
        let event = json!({ "name": format!("{id}"), "eventId": format!("{id}"), "websiteId": made.website });
        let request = client.post(format!("{}/track", process.track));
        let answer = Answer::send(request.header("x-api-key", &made.key).json(&event)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
}

/// Every stored event and how often, by its number.
async fn stored(process: &Process, made: &Credentials) -> BTreeMap<u32, u64> {
    let url = format!("{}/v1/query?website_id={}", process.base, made.website);
    let ask = json!({ "parameters": ["custom_events"], "preset": "last_7d", "limit": 1000 });
    let request = crate::web::client().post(url);
    let answer = Answer::send(request.header("x-api-key", &made.key).json(&ask)).await;
    let number = |row: &Value| row["name"].as_str().unwrap().parse().unwrap();
    let rows = answer.rows(0);
    let counted = rows
        .iter()
        .map(|row| (number(row), row["total_events"].as_u64().unwrap()));
    counted.collect()
}

fn once(ids: std::ops::Range<u32>) -> BTreeMap<u32, u64> {
    ids.map(|id| (id, 1)).collect()
}

/// Everything below a directory that events are in, with its bytes.
fn files(data: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = ["segments", "spool", "dedup"]
        .map(|place| data.join(place))
        .to_vec();
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                found.insert(path, bytes);
            }
        }
    }
    found
}

/// What a start says that ends by itself.
async fn refused(data: &Path) -> String {
    let log = data.join("refused.log");
    let mut command = program(data);
    let mut child = command
        .arg("serve")
        .env("PHAROS__SERVER__API_LISTEN", free_address())
        .env("PHAROS__SERVER__TRACK_LISTEN", free_address())
        .env("PHAROS__SERVER__LINKS_LISTEN", free_address())
        .stdout(Stdio::null())
        .stderr(fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let said = || fs::read_to_string(&log).unwrap();
    let mut status = None;
    until("it starts or ends", async || {
        status = child.try_wait().unwrap();
        status.is_some() || said().contains("listening")
    })
    .await;
    if status.is_none() {
        child.kill().unwrap();
        child.wait().unwrap();
        panic!("it was started: {}", said());
    }
    assert_eq!(status.unwrap().code(), Some(2), "{}", said());
    said()
}

#[actix::test]
async fn an_older_state_database_is_refused_and_loses_no_event() {
    // A seal of a usual size takes too many events.
    if !has_drills() {
        return;
    }
    let data = tempfile::tempdir().unwrap();
    let data = data.path();
    let made = set_up_by(program(data));
    let process = serve(data).await;
    send(&process, &made, 0..12).await;
    until("some is sealed", async || {
        process.count_log_lines("sealed a generation") >= 2
    })
    .await;
    process.stop();
    keep_copy(data, "older").await;

    let process = serve(data).await;
    send(&process, &made, 12..112).await;
    until("some is merged", async || {
        process.count_log_lines("merged segments") >= 1
    })
    .await;
    process.stop();
    keep_copy(data, "newer").await;

    // Refused, and nothing is touched.
    put_back(data, "older").await;
    let before = files(data);
    let said = refused(data).await;
    assert!(said.contains("older than the event files"), "{said}");
    assert!(said.contains("pharos restore-manifest"), "{said}");
    assert_eq!(before, files(data));
    let told = program(data).args(["doctor", "--json"]).output().unwrap();
    let findings: Vec<Value> = serde_json::from_slice(&told.stdout).unwrap();
    let found = findings.iter().find(|found| found["what"] == "event files");
    assert_eq!(found.unwrap()["health"], "bad", "{found:?}");

    // The newer one was put back.
    put_back(data, "newer").await;
    let process = serve(data).await;
    assert_eq!(stored(&process, &made).await, once(0..112));
    process.stop();

    // There is no newer one.
    put_back(data, "older").await;
    let restored = program(data)
        .args(["restore-manifest", "--json"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&restored.stderr);
    assert!(restored.status.success(), "{said}");
    let process = serve(data).await;
    assert_eq!(stored(&process, &made).await, once(0..112));
    send(&process, &made, 0..120).await;
    assert_eq!(stored(&process, &made).await, once(0..120), "each id once");
    process.stop();
    let again = program(data).arg("restore-manifest").output().unwrap();
    let said = String::from_utf8_lossy(&again.stderr);
    assert_eq!(again.status.code(), Some(2), "{said}");
    assert!(said.contains("is not older"), "{said}");
    for copy in ["older", "newer"] {
        drop_copy(data, copy).await;
    }
    drop_database(data).await;
}

#[actix::test]
async fn replaced_files_are_kept_for_as_many_hours_as_is_said() {
    if !has_drills() {
        return;
    }
    for hours in [2, 0] {
        let data = tempfile::tempdir().unwrap();
        let data = data.path();
        let made = set_up_by(program(data));
        let shown = ProcessClock::new(data.join("clock"));
        let mut command = program(data);
        command
            .arg("serve")
            .env("PHAROS__EVENTS__KEEP_REPLACED_HOURS", hours.to_string());
        shown.on(&mut command);
        let process = start(command).await;
        send(&process, &made, 0..100).await;
        until("some is merged", async || {
            process.count_log_lines("merged segments") >= 1
        })
        .await;
        let replaced = data.join("segments/replaced");
        let kept = || fs::read_dir(&replaced).map_or(0, Iterator::count);
        if hours > 0 {
            until("they are set aside", async || kept() > 16).await;
            shown.ahead(hours * 3_600_000 + 60_000);
        }
        until("they are gone", async || kept() == 0).await;
        assert_eq!(replaced.exists(), hours > 0);
        assert_eq!(stored(&process, &made).await, once(0..100));
        process.stop();
        drop_database(data).await;
    }
}
