//! A question that was answered costs nothing until its own rows change, and its answer is never stale.

use super::{NOW, event, names, open, seal};
use crate::events::store::EventStore;
use crate::events::{
    segments::{FAN_IN, Manifest},
    store::Options,
};

#[tokio::test]
async fn only_new_rows_of_ones_own_are_a_new_question() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    store.append(vec![event(7, "a", Some("1"))]).await.unwrap();
    assert_eq!(names(&store, Some(7)).await, ["a"]);
    assert_eq!(
        (names(&store, Some(7)).await.len(), store.result_cache()),
        (1, 1)
    );
    // Another owner's rows, a duplicate and a seal change nothing for website 7; the organization got a row.
    assert_eq!(names(&store, None).await, ["a"]);
    store.append(vec![event(8, "b", None)]).await.unwrap();
    seal(&store, &mut manifest).await;
    assert_eq!(
        (names(&store, Some(7)).await.len(), store.result_cache()),
        (1, 2)
    );
    assert_eq!(
        (names(&store, None).await.len(), store.result_cache()),
        (2, 2)
    );
    store.append(vec![event(7, "c", None)]).await.unwrap();
    assert_eq!(names(&store, Some(7)).await, ["a", "c"]);
    assert_eq!(store.result_cache(), 2);
    store.close();
}

#[tokio::test]
async fn merges_keep_answers_and_retention_does_not() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    for _ in 0..FAN_IN {
        store.append(vec![event(7, "a", None)]).await.unwrap();
        seal(&store, &mut manifest).await;
    }
    assert_eq!(names(&store, Some(7)).await.len(), FAN_IN);
    let merged = store.compact(false).await.unwrap().unwrap();
    manifest
        .segments
        .retain(|row| !merged.replaced.contains(&row.id));
    manifest.segments.extend(merged.segments);
    store.adopt(&manifest);
    assert_eq!(
        (names(&store, Some(7)).await.len(), store.result_cache()),
        (FAN_IN, 1)
    );
    manifest.segments.clear();
    store.adopt(&manifest);
    assert_eq!(
        (names(&store, Some(7)).await.len(), store.result_cache()),
        (0, 1)
    );
    store.close();
}

#[tokio::test]
async fn what_is_damaged_is_not_answered_from_memory() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    store.append(vec![event(7, "a", None)]).await.unwrap();
    seal(&store, &mut manifest).await;
    assert_eq!(names(&store, Some(7)).await, ["a"]);
    manifest.segments[0].quarantined = true;
    store.adopt(&manifest);
    assert!(names(&store, Some(7)).await.is_empty());
    store.close();
}

#[tokio::test]
async fn without_room_every_question_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let options = Options {
        reserve: 1,
        result_cache: 0,
        ..Options::new(directory.path())
    };
    let clock = crate::clock::Clock::fixed(NOW);
    let store = EventStore::open(options, clock, &Manifest::default()).unwrap();
    assert_eq!(
        names(&store, None).await.len(),
        names(&store, None).await.len()
    );
    assert_eq!(store.result_cache(), 0);
    store.close();
}
