//! The store under what disks, crashes and hurried readers do to it.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use super::{NOW, event, names, open, seal, seal_next, segment_files};
use crate::events::store::{AppendError, Appended, EventStore, Options};
use crate::{
    clock::Clock,
    events::{
        error::EngineError,
        segments::{FAN_IN, Manifest},
        statement::{Cell, Scope, Statement},
    },
};

pub(super) fn open_with(directory: &Path, manifest: &Manifest, seal_rows: u64) -> EventStore {
    let options = Options {
        reserve: 1,
        seal_rows,
        ..Options::new(directory)
    };
    EventStore::open(options, Clock::fixed(NOW), manifest).unwrap()
}

pub(super) async fn number(store: &EventStore, text: &str) -> i64 {
    let statement = Statement {
        spilling: None,
        text: text.into(),
        binds: Vec::new(),
        scope: Scope {
            organization: 1,
            website: None,
            from: 0,
            to: i64::MAX,
        },
    };
    match store.query(statement).await.unwrap().rows[0][0] {
        Cell::Int(number) => number,
        ref other => panic!("{other:?}"),
    }
}

const COUNT: &str = "SELECT count(*) FROM {events}";

#[tokio::test]
async fn a_long_log_is_read_back_in_pieces_and_sealed_without_waiting_for_events() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open_with(directory.path(), &manifest, 1_000);
    for n in 0..5 {
        let name = format!("e{n}");
        store.append(vec![event(7, &name, None)]).await.unwrap();
    }
    store.close();

    let store = open_with(directory.path(), &manifest, 2);
    assert_eq!(store.snapshot().generations.len(), 3);
    store.seal_due().await;
    while seal_next(&store, &mut manifest).await {}
    let rows: Vec<u64> = manifest.segments.iter().map(|row| row.rows).collect();
    assert_eq!((rows, manifest.cursor), (vec![2, 2], 4));
    assert_eq!(number(&store, COUNT).await, 5);
    store.close();
}

#[tokio::test]
async fn a_seal_that_failed_is_tried_again_with_the_same_pieces() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    for n in 0..3 {
        let name = format!("e{n}");
        store.append(vec![event(7, &name, None)]).await.unwrap();
        if n == 0 {
            store.freeze().await;
        }
        let refused = store.seal().await.unwrap().unwrap();
        store.discard(&refused.segment);
        assert_eq!(store.snapshot().generations.len(), 2);
        assert_eq!(segment_files(directory.path()), 0);
    }
    seal(&store, &mut manifest).await;
    seal(&store, &mut manifest).await;
    assert_eq!(names(&store, None).await, ["e0", "e1", "e2"]);
    assert_eq!(manifest.segments.len(), 2);
    store.close();
}

#[tokio::test]
async fn tables_of_sealed_generations_do_not_pile_up_in_the_engine() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    let sealed = 24;
    for n in 0..sealed {
        let name = format!("e{n}");
        store.append(vec![event(7, &name, None)]).await.unwrap();
        assert_eq!(number(&store, COUNT).await, n + 1);
        seal(&store, &mut manifest).await;
    }
    assert_eq!(number(&store, COUNT).await, sealed);
    // A thread of the engine may hold a generation for a while after its answer; its table then goes with a later
    // one's. So a few may be left, but never one for each generation.
    let tables = "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'tail_%'";
    let left = number(&store, tables).await;
    assert!(left < sealed / 2, "{left} tables are left");
    store.close();
}

#[tokio::test]
async fn nothing_is_sealed_before_its_keys_are_on_disk() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    let (keys, away) = (
        directory.path().join("dedup"),
        directory.path().join("away"),
    );
    fs::rename(&keys, &away).unwrap();
    store.append(vec![event(7, "a", Some("1"))]).await.unwrap();
    store.freeze().await;
    assert!(matches!(store.seal().await, Err(EngineError::Disk(_))));
    assert_eq!(segment_files(directory.path()), 0);
    fs::rename(&away, &keys).unwrap();
    assert!(seal_next(&store, &mut manifest).await);
    store.close();

    let store = open(directory.path(), &manifest);
    let again = store.append(vec![event(7, "a", Some("1"))]).await.unwrap();
    assert_eq!((again.stored, again.duplicates), (0, 1));
    store.close();
}

#[tokio::test]
async fn a_damaged_segment_is_left_out_and_the_rest_is_answered() {
    let damages: [fn(&Path); 3] = [
        |path| fs::remove_file(path).unwrap(),
        |path| {
            let file = fs::OpenOptions::new().write(true).open(path).unwrap();
            file.set_len(30).unwrap();
        },
        |path| {
            let mut bytes = fs::read(path).unwrap();
            // Neither length nor ends change.
            bytes[4..40].fill(0xff);
            fs::write(path, bytes).unwrap();
        },
    ];
    for (at, damage) in damages.into_iter().enumerate() {
        let directory = tempfile::tempdir().unwrap();
        let mut manifest = Manifest::default();
        let store = open(directory.path(), &manifest);
        for name in ["a", "b"] {
            store.append(vec![event(7, name, None)]).await.unwrap();
            seal(&store, &mut manifest).await;
        }
        store.append(vec![event(7, "c", None)]).await.unwrap();
        damage(&store.snapshot().segments[0].path);
        assert_eq!(names(&store, None).await, ["b", "c"], "damage {at}");
        let known = store.health().quarantined.load(Ordering::Relaxed);
        assert_eq!(known, 1);
        store.append(vec![event(7, "d", None)]).await.unwrap();
        seal(&store, &mut manifest).await;
        assert_eq!(names(&store, None).await, ["b", "c", "d"], "damage {at}");
        store.close();
    }
}

#[tokio::test]
async fn a_missing_segment_is_noticed_at_start() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    store.append(vec![event(7, "a", None)]).await.unwrap();
    seal(&store, &mut manifest).await;
    let path = store.snapshot().segments[0].path.clone();
    store.close();
    fs::remove_file(path).unwrap();
    let store = open(directory.path(), &manifest);
    assert_eq!(store.health().quarantined.load(Ordering::Relaxed), 1);
    assert!(names(&store, None).await.is_empty());
    store.close();
}

#[tokio::test]
async fn segments_of_another_state_database_are_not_deleted() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    store.append(vec![event(7, "a", None)]).await.unwrap();
    seal(&store, &mut manifest).await;
    store.close();
    let options = Options {
        reserve: 1,
        ..Options::new(directory.path())
    };
    let opened = EventStore::open(options, Clock::fixed(NOW), &Manifest::default());
    let said = opened.err().unwrap().to_string();
    assert!(said.contains("not the database"), "{said}");

    // Nor are they when something is in the log, as usual.
    let store = open(directory.path(), &manifest);
    store.append(vec![event(7, "b", None)]).await.unwrap();
    store.close();
    let options = Options {
        reserve: 1,
        ..Options::new(directory.path())
    };
    assert!(EventStore::open(options, Clock::fixed(NOW), &Manifest::default()).is_err());
    let store = open(directory.path(), &manifest);
    assert_eq!(names(&store, None).await, ["a", "b"]);
    store.close();
}

#[tokio::test]
async fn a_disk_that_refuses_costs_no_event_its_id_and_is_tried_again_by_itself() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    store.append(vec![event(7, "a", None)]).await.unwrap();
    seal(&store, &mut manifest).await;
    // No file can be made.
    let (spool, away) = (
        directory.path().join("spool"),
        directory.path().join("away"),
    );
    fs::rename(&spool, &away).unwrap();
    for _ in 0..3 {
        let refused = store.append(vec![event(7, "b", Some("1"))]).await;
        assert!(refused.is_err(), "{refused:?}");
        assert!(!store.is_writable());
    }
    assert_eq!(names(&store, None).await, ["a"]);
    fs::rename(&away, &spool).unwrap();
    while !store.is_writable() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let taken = store.append(vec![event(7, "b", Some("1"))]).await.unwrap();
    assert_eq!(
        taken,
        Appended {
            stored: 1,
            duplicates: 0
        }
    );
    assert_eq!(names(&store, None).await, ["a", "b"]);
    store.close();
    assert!(!store.is_writable());
}

#[tokio::test]
async fn a_log_that_fails_twice_says_that_it_is_broken() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    store.append(vec![event(7, "a", None)]).await.unwrap();
    seal(&store, &mut manifest).await;
    let (spool, away) = (
        directory.path().join("spool"),
        directory.path().join("away"),
    );
    fs::rename(&spool, &away).unwrap();
    for _ in 0..2 {
        let refused = store.append(vec![event(7, "b", None)]).await;
        assert!(
            matches!(refused, Err(AppendError::Closed(_))),
            "{refused:?}"
        );
    }
    store.broken().await;
    store.close();
}

#[tokio::test]
async fn a_stop_ends_upkeep_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    store.append(vec![event(7, "a", None)]).await.unwrap();
    store.freeze().await;
    store.stop_upkeep(std::time::Instant::now());
    assert!(matches!(store.seal().await, Err(EngineError::Disk(_))));
    assert_eq!(names(&store, None).await, ["a"]);
    store.close();
    let late = store.append(vec![event(7, "b", None)]).await;
    assert!(matches!(late, Err(AppendError::Closed(_))), "{late:?}");
}

#[tokio::test]
async fn appends_that_meet_the_end_are_stored_whole_or_refused() {
    let directory = tempfile::tempdir().unwrap();
    let manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    let appends = (0..40).map(|n| {
        let (store, name) = (store.clone(), format!("e{n:02}"));
        async move {
            if n == 20 {
                let closing = store.clone();
                tokio::task::spawn_blocking(move || closing.close())
                    .await
                    .unwrap();
            }
            let taken = store.append(vec![event(7, &name, Some(&name))]).await;
            taken.is_ok().then_some(name)
        }
    });
    let outcomes = futures_util::future::join_all(appends).await;
    let stored: Vec<String> = outcomes.into_iter().flatten().collect();
    let store = open(directory.path(), &manifest);
    let found = names(&store, None).await;
    assert!(
        stored.iter().all(|name| found.contains(name)),
        "{stored:?} {found:?}"
    );
    store.close();
}

/// Readers count while rows are appended, sealed and merged: never one too few, never one too many.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_count_is_exact_while_the_tail_is_sealed_and_segments_are_merged() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    // Rows that are asked to be stored, rows that are answered, and whether that was the last one.
    let counts: Arc<(AtomicU64, AtomicU64, AtomicBool)> = Arc::default();
    let mut tasks = tokio::task::JoinSet::new();
    for reader in 0..3 {
        let (store, counts) = (store.clone(), Arc::clone(&counts));
        tasks.spawn(async move {
            let (asked, answered, done) = &*counts;
            let mut seen = 0;
            while !done.load(Ordering::SeqCst) {
                let least = answered.load(Ordering::SeqCst);
                let count = number(&store, COUNT).await as u64;
                let most = asked.load(Ordering::SeqCst);
                assert!(
                    (least.max(seen)..=most).contains(&count),
                    "reader {reader}: {count} is not within {least}..={most} after {seen}"
                );
                seen = count;
            }
        });
    }
    let (writer, told) = (store.clone(), Arc::clone(&counts));
    tasks.spawn(async move {
        let (asked, answered, done) = &*told;
        while !done.load(Ordering::SeqCst) {
            asked.fetch_add(3, Ordering::SeqCst);
            let rows = (0..3).map(|_| event(7, "e", None)).collect();
            writer.append(rows).await.unwrap();
            answered.fetch_add(3, Ordering::SeqCst);
        }
    });
    let (mut seals, mut merges) = (0, 0);
    while seals < FAN_IN + 4 || merges == 0 {
        store.freeze().await;
        if !seal_next(&store, &mut manifest).await {
            tokio::task::yield_now().await;
            continue;
        }
        seals += 1;
        while let Some(merged) = store.compact(false).await.unwrap() {
            manifest
                .segments
                .retain(|row| !merged.replaced.contains(&row.id));
            manifest.segments.extend(merged.segments);
            store.adopt(&manifest);
            merges += 1;
        }
    }
    counts.2.store(true, Ordering::SeqCst);
    while let Some(outcome) = tasks.join_next().await {
        outcome.unwrap();
    }
    let stored = number(&store, COUNT).await as u64;
    assert_eq!(stored, counts.1.load(Ordering::SeqCst));
    store.close();
}
