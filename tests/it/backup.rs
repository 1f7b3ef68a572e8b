//! `pharos backup` beside a running program, and `pharos restore` into an empty directory.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use pharos::actors::ingest::{Compact, Seal};
use serde_json::{Value, json};

use crate::{app::App, process::pharos};

fn run(data: &Path, arguments: &[&str]) -> (Option<i32>, Value, String) {
    let output = pharos(data).args(arguments).output().unwrap();
    parse_output(&output)
}

fn parse_output(output: &Output) -> (Option<i32>, Value, String) {
    let said = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let wrong = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said, wrong)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

async fn send(app: &App, name: &str) -> Value {
    let event = json!({ "name": name, "eventId": name, "websiteId": app.website });
    let answer = app.send(&event).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

/// Names of events and how often each was counted.
async fn stored(app: &App) -> Vec<(String, u64)> {
    let body = json!({ "parameters": ["custom_events"], "startDate": "2026-01-01", "endDate": "2026-12-31",
        "limit": 1000 });
    let rows = app.ask(&body).await.rows(0);
    let row = |row: &Value| {
        let count = row["total_events"].as_u64();
        (
            row["name"].as_str().unwrap().to_owned(),
            count.unwrap_or_else(|| panic!("{row}")),
        )
    };
    rows.iter().map(row).collect()
}

async fn seal(app: &App) {
    let ingest = &app.platform.as_ref().unwrap().domains().ingest;
    ingest.ask(Seal).await.unwrap();
}

async fn merge(app: &App) {
    let ingest = &app.platform.as_ref().unwrap().domains().ingest;
    ingest.ask(Compact { at_rest: true }).await.unwrap();
}

fn empty(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    }
}

/// Every file below a directory.
fn all(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(all(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[actix::test]
async fn what_was_acknowledged_before_a_backup_is_in_it_once_while_the_server_goes_on() {
    let mut app = App::spawn().await;
    let copies = tempfile::tempdir().unwrap();
    let mut sent = BTreeSet::new();
    for round in 0..3 {
        for n in 0..5 {
            let name = format!("before-{round}-{n}");
            send(&app, &name).await;
            sent.insert(name);
        }
        let before = sent.clone();
        let (data, there) = (app.directory().to_owned(), copies.path().to_owned());
        let backup = std::thread::spawn(move || run(&data, &["backup", text(&there), "--json"]));
        let mut n = 0;
        while !backup.is_finished() {
            let name = format!("meanwhile-{round}-{n}");
            send(&app, &name).await;
            sent.insert(name);
            n += 1;
            if n % 7 == 0 {
                seal(&app).await;
            }
            if n % 29 == 0 {
                merge(&app).await;
            }
        }
        let (code, made, wrong) = backup.join().unwrap();
        assert_eq!(code, Some(0), "{wrong}");
        assert_eq!(made["leftOut"], json!([]));

        app.restart_after(async |data| {
            empty(data);
            let (code, restored, wrong) = run(
                data,
                &["restore", text(copies.path()), "--verify", "--json"],
            );
            assert_eq!(code, Some(0), "{wrong}");
            assert_eq!(restored["name"], made["name"]);
            assert_eq!(restored["events"], made["events"]);
            assert!(!data.join("restore.tmp").exists());
        })
        .await;
        let stored = stored(&app).await;
        assert!(stored.iter().all(|(_, count)| *count == 1), "{stored:?}");
        let stored: BTreeSet<_> = stored.into_iter().map(|(name, _)| name).collect();
        assert!(stored.is_superset(&before), "{stored:?}");
        assert!(stored.is_subset(&sent), "{stored:?}");
        for name in &before {
            send(&app, name).await;
        }
        sent = stored;
    }
    assert_eq!(
        stored(&app).await.len(),
        sent.len(),
        "duplicates are still known"
    );
    app.finish().await;
}

#[actix::test]
async fn a_later_backup_adds_what_is_new_and_old_ones_go_when_told() {
    let app = App::spawn().await;
    let copies = tempfile::tempdir().unwrap();
    let segments = || {
        fs::read_dir(copies.path().join("segments"))
            .unwrap()
            .count()
    };
    let mut names = Vec::new();
    let mut shared = Vec::new();
    for round in 0..3 {
        send(&app, &format!("round-{round}")).await;
        seal(&app).await;
        let (code, made, wrong) = run(app.directory(), &["backup", text(copies.path()), "--json"]);
        assert_eq!(code, Some(0), "{wrong}");
        assert_eq!(made["events"], round + 1);
        let file = |file: &&Value| file["path"].as_str().unwrap().starts_with("segments/");
        let files = made["files"].as_array().unwrap().iter().filter(file);
        let bytes: u64 = files.map(|file| file["bytes"].as_u64().unwrap()).sum();
        shared.push((
            bytes,
            made["newBytes"].as_u64().unwrap(),
            made["bytes"].as_u64().unwrap(),
        ));
        names.push(made["name"].as_str().unwrap().to_owned());
    }
    let (before, (_, new, all_of_it)) = (shared[1].0, shared[2]);
    assert_eq!(
        all_of_it - new,
        before,
        "segments of the second are not copied again"
    );
    let full = segments();
    merge(&app).await;
    let keep = ["backup", text(copies.path()), "--keep", "1", "--json"];
    let (code, made, wrong) = run(app.directory(), &keep);
    assert_eq!(code, Some(0), "{wrong}");
    assert_eq!(made["pruned"]["backups"], 3);
    assert!(segments() <= full, "what only they had is gone");
    for name in names {
        assert!(!copies.path().join(name).exists());
    }
    let elsewhere = tempfile::tempdir().unwrap();
    let (code, restored, wrong) = run(
        elsewhere.path(),
        &["restore", text(copies.path()), "--verify", "--json"],
    );
    assert_eq!((code, &restored["events"]), (Some(0), &json!(3)), "{wrong}");
    app.finish().await;
}

#[actix::test]
async fn of_a_damaged_backup_nothing_is_restored() {
    let app = App::spawn().await;
    let copies = tempfile::tempdir().unwrap();
    send(&app, "sealed").await;
    seal(&app).await;
    send(&app, "not sealed").await;
    let (code, _, wrong) = run(app.directory(), &["backup", text(copies.path())]);
    assert_eq!(code, Some(0), "{wrong}");
    let into = tempfile::tempdir().unwrap();
    let restore = ["restore", text(copies.path()), "--verify"];
    let nothing = || {
        let lock = into.path().join("pharos.lock");
        assert!(all(into.path()).iter().all(|file| *file == lock));
    };
    let files = all(copies.path());
    assert!(files.len() >= 8, "{files:?}");
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        if name == "pharos.lock" {
            continue;
        }
        let whole = fs::read(&file).unwrap();
        let mut bytes = whole.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x20;
        // Segments may be second names of the server's own files.
        fs::remove_file(&file).unwrap();
        fs::write(&file, &bytes).unwrap();
        let (code, _, wrong) = run(into.path(), &restore);
        assert!(matches!(code, Some(1 | 2)), "{name}: {wrong}");
        assert!(
            wrong.contains(&name) || name == "backup.json",
            "{name}: {wrong}"
        );
        nothing();
        fs::remove_file(&file).unwrap();
        let (code, _, wrong) = run(into.path(), &restore);
        assert!(
            matches!(code, Some(1 | 2)) && wrong.contains("hint: "),
            "{name}: {wrong}"
        );
        nothing();
        fs::write(&file, &whole).unwrap();
    }
    let (code, _, wrong) = run(into.path(), &restore);
    assert_eq!(code, Some(0), "{wrong}");
    let (code, _, wrong) = run(into.path(), &restore);
    assert_eq!(code, Some(2));
    assert!(wrong.contains("is not empty"), "{wrong}");
    app.finish().await;
}

#[actix::test]
async fn what_cannot_be_done_is_said_and_what_was_cut_off_is_cleared_away() {
    let app = App::spawn().await;
    let copies = tempfile::tempdir().unwrap();
    let inside = app.directory().join("copies");
    let nowhere = tempfile::tempdir().unwrap();
    let there = text(copies.path());
    for (data, arguments, told) in [
        (
            app.directory(),
            vec!["backup", text(&inside)],
            "is inside of the data directory",
        ),
        (
            nowhere.path(),
            vec!["backup", there],
            "there is no installation",
        ),
        (
            nowhere.path(),
            vec!["restore", there],
            "there is no complete backup",
        ),
        (
            app.directory(),
            vec!["restore", there],
            "there is no complete backup",
        ),
    ] {
        let (code, _, wrong) = run(data, &arguments);
        assert_eq!(code, Some(2), "{wrong}");
        assert!(wrong.contains(told) && wrong.contains("hint: "), "{wrong}");
    }
    let cut = copies.path().join("2026-01-01T00-00-00.000Z.partial");
    fs::create_dir_all(&cut).unwrap();
    let staging = app.directory().join("backup.tmp/segments");
    fs::create_dir_all(&staging).unwrap();
    fs::write(staging.join("old.parquet"), "x").unwrap();
    let (code, _, wrong) = run(app.directory(), &["backup", there]);
    assert_eq!(code, Some(0), "{wrong}");
    assert!(!cut.exists() && !app.directory().join("backup.tmp").exists());
    let (code, _, wrong) = run(app.directory(), &["restore", there]);
    assert_eq!(code, Some(2), "the server runs");
    assert!(wrong.contains("hint: stop that process first"), "{wrong}");
    let (code, _, wrong) = run(nowhere.path(), &["restore", there, "--at", "yesterday"]);
    assert_eq!(code, Some(2));
    assert!(wrong.contains("there is no backup `yesterday`"), "{wrong}");
    app.finish().await;
}
