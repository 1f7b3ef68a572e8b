//! Logs with frames in them that no life of the program would write now, or knows that it wrote.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{NOW, durability::open_with, event, names, open, seal, seal_next};
use crate::events::store::{EventStore, Options};
use crate::{
    clock::Clock,
    events::{
        log::{file, frame, recovery},
        record,
        segments::Manifest,
    },
};

/// Adds a file with one frame behind the log of a closed store.
fn forge(directory: &Path, payload: &[u8]) {
    forge_version(directory, record::SCHEMA, payload);
}

fn forge_version(directory: &Path, version: u8, payload: &[u8]) {
    let spool = directory.join("spool");
    let node = recovery::node_id(&spool).unwrap();
    let found = recovery::recover(&spool, node, 0, &mut |_| Ok(())).unwrap();
    let mut log = file::LogFile::create(&spool, node, found.next_number, found.next_lsn).unwrap();
    let (number, lsn) = (found.next_number, found.next_lsn);
    let mut out = Vec::new();
    frame::encode(&mut out, number, version, lsn, NOW, |out| {
        out.extend_from_slice(payload);
    });
    log.append(&out).unwrap();
}

fn only_log_file(directory: &Path) -> PathBuf {
    let files = recovery::log_files(&directory.join("spool")).unwrap();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

#[tokio::test]
async fn an_event_that_was_sent_again_after_a_failed_sync_counts_once() {
    let directory = tempfile::tempdir().unwrap();
    let manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    store
        .append(vec![event(7, "a", Some("1")), event(7, "b", Some("2"))])
        .await
        .unwrap();
    store.close();
    // The first frame reached the disk although its sync failed; this is the client's second attempt.
    let scan = file::scan(&only_log_file(directory.path()))
        .unwrap()
        .unwrap();
    forge(directory.path(), &scan.frames[0].payload);

    let store = open(directory.path(), &manifest);
    assert_eq!(names(&store, None).await, ["a", "b"]);
    store.close();
}

/// The seal of the first attempt must not make the second one look new.
#[tokio::test]
async fn an_event_that_was_sent_again_counts_once_when_only_its_first_attempt_was_sealed() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    store.append(vec![event(7, "a", Some("1"))]).await.unwrap();
    store.close();
    let scan = file::scan(&only_log_file(directory.path()))
        .unwrap()
        .unwrap();
    forge(directory.path(), &scan.frames[0].payload);

    let store = open_with(directory.path(), &manifest, 1);
    store.append(vec![event(7, "b", Some("2"))]).await.unwrap();
    assert!(seal_next(&store, &mut manifest).await);
    assert_eq!(manifest.cursor, 1);
    store.close();
    for _ in 0..2 {
        let store = open_with(directory.path(), &manifest, 1);
        assert_eq!(names(&store, None).await, ["a", "b"]);
        let again = store.append(vec![event(7, "a", Some("1"))]).await.unwrap();
        assert_eq!(again.duplicates, 1);
        while seal_next(&store, &mut manifest).await {}
        store.close();
    }
}

#[tokio::test]
async fn events_that_cannot_be_read_stop_no_seal_and_are_set_aside() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let mut garbage = Vec::new();
    frame::push_record(&mut garbage, None, &[0xff; 3]);
    fs::create_dir_all(directory.path().join("spool")).unwrap();
    forge(directory.path(), &garbage);
    let store = open(directory.path(), &manifest);
    seal(&store, &mut manifest).await;
    assert_eq!((manifest.segments.len(), manifest.cursor), (0, 1));
    let kept = directory
        .path()
        .join("spool/quarantine/00000000000000000001.frame");
    assert_eq!(fs::read(kept).unwrap(), garbage);
    store.append(vec![event(7, "a", None)]).await.unwrap();
    seal(&store, &mut manifest).await;
    assert_eq!(names(&store, None).await, ["a"]);
    store.close();
}

#[tokio::test]
async fn a_log_of_a_later_program_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), &Manifest::default());
    store.append(vec![event(7, "a", None)]).await.unwrap();
    store.close();
    let file = only_log_file(directory.path());
    let before = fs::read(&file).unwrap();
    forge_version(directory.path(), record::SCHEMA + 1, b"?");
    let options = Options::new(directory.path());
    let refused = EventStore::open(options, Clock::fixed(NOW), &Manifest::default());
    let refused = format!("{:#}", refused.err().unwrap());
    assert!(refused.contains("a later pharos wrote it"), "{refused}");
    assert_eq!(fs::read(file).unwrap(), before);
}
