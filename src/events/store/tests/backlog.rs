//! Sealing that falls behind: nothing is lost, memory stays, answers go on.

use super::{
    NOW,
    durability::{number, open_with},
    event, names, seal_next, segment_files,
};
use crate::events::store::{AppendError, EventStore, Options};
use crate::{
    clock::Clock,
    events::segments::{Manifest, SegmentRow},
};

#[tokio::test]
async fn a_long_backlog_is_let_go_and_still_answered_sealed_and_read_back() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open_with(directory.path(), &manifest, 2);
    let mut expected = Vec::new();
    for n in 0..9 {
        let name = format!("e{n}");
        let two = vec![event(7, &name, Some(&name)), event(7, &name, None)];
        store.append(two).await.unwrap();
        expected.extend([name.clone(), name]);
    }
    let let_go = |store: &EventStore| -> Vec<bool> {
        let generations = &store.snapshot().generations;
        generations.iter().map(|held| held.is_let_go()).collect()
    };
    // The last generation is closed behind the answer.
    store.freeze().await;
    let all = [vec![true; 7], vec![false; 3]].concat();
    assert_eq!(let_go(&store), all);
    assert_eq!(names(&store, None).await, expected);
    let tables = "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'tail_%'";
    assert_eq!(number(&store, tables).await, 3);

    for _ in 0..3 {
        assert!(seal_next(&store, &mut manifest).await);
        assert_eq!(names(&store, None).await, expected);
    }
    store.close();
    let store = open_with(directory.path(), &manifest, 2);
    assert_eq!(let_go(&store), [vec![true; 3], vec![false; 3]].concat());
    assert_eq!(names(&store, None).await, expected);
    let again = store.append(vec![event(7, "e8", Some("e8"))]).await;
    assert_eq!(again.unwrap().duplicates, 1);
    store.freeze().await;
    while seal_next(&store, &mut manifest).await {}
    assert_eq!(names(&store, None).await, expected);
    drop(store.snapshot());
    let named = manifest.segments.iter().flat_map(SegmentRow::files);
    let left = segment_files(directory.path());
    assert_eq!(left, named.count(), "no stand-in is left");
    store.close();
}

/// A query that began before a seal reads what it needs from what is there now.
#[tokio::test]
async fn a_generation_that_was_sealed_before_it_was_read_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open_with(directory.path(), &manifest, 1);
    for name in ["a", "b", "c", "d"] {
        store.append(vec![event(7, name, None)]).await.unwrap();
    }
    let before = store.snapshot();
    assert!(before.generations[0].is_let_go());
    assert!(seal_next(&store, &mut manifest).await);
    // The spool thread deletes the file behind whatever comes next.
    store.append(vec![event(7, "e", None)]).await.unwrap();
    let gone = before.generations[0].frames_from(0).unwrap_err();
    assert_eq!(gone.kind(), std::io::ErrorKind::NotFound);
    assert_eq!(names(&store, None).await, ["a", "b", "c", "d", "e"]);
    store.close();
}

/// Sealing and reading begin at the same end of a backlog: a question that loses every such race never got an answer.
#[tokio::test]
async fn questions_are_answered_while_a_backlog_is_sealed() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open_with(directory.path(), &manifest, 1);
    for n in 0..80 {
        let name = format!("e{n:02}");
        store.append(vec![event(7, &name, None)]).await.unwrap();
    }
    let expected: Vec<_> = (0..80).map(|n| format!("e{n:02}")).collect();
    let sealing = async { while seal_next(&store, &mut manifest).await {} };
    let (answer, ()) = tokio::join!(names(&store, None), sealing);
    assert_eq!(answer, expected);
    store.close();
}

#[tokio::test]
async fn beyond_the_backlog_nothing_is_taken_until_something_is_sealed() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let options = Options {
        reserve: 1,
        seal_rows: 1,
        backlog: 300,
        ..Options::new(directory.path())
    };
    let store = EventStore::open(options, Clock::fixed(NOW), &manifest).unwrap();
    let mut taken = 0;
    while store.append(vec![event(7, "a", None)]).await.is_ok() {
        taken += 1;
        assert!(taken < 100);
    }
    assert!(store.unsealed_bytes() > 300);
    let refused = store.append(vec![event(7, "a", None)]).await;
    assert!(matches!(refused, Err(AppendError::Overloaded)));
    while seal_next(&store, &mut manifest).await {}
    assert_eq!(store.unsealed_bytes(), 0);
    store.append(vec![event(7, "a", None)]).await.unwrap();
    assert_eq!(names(&store, None).await.len(), taken + 1);
    store.close();
}
