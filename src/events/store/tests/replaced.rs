//! Files that are no longer named: kept for a while, and gone at once when what is in them has to be.

use std::{path::Path, time::Duration};

use super::{NOW, event, names, open, seal, segment_files};
use crate::events::store::{Accepted, EventStore, Options};
use crate::{
    clock::Clock,
    events::{
        event::Trust,
        segments::{FAN_IN, Manifest, aside, journal},
    },
};

fn count_files(directory: &Path, folder: &str) -> u64 {
    let kept = aside::folder_stats(&directory.join("segments"), folder);
    kept.unwrap().files
}

/// A store with as many segments as are merged, the manifest of these, and that of the merged ones, which is shown.
async fn merged(directory: &Path, clock: &Clock) -> (EventStore, Manifest, Manifest) {
    let options = Options {
        reserve: 1,
        ..Options::new(directory)
    };
    let mut manifest = Manifest::default();
    let store = EventStore::open(options, clock.clone(), &manifest).unwrap();
    for n in 0..FAN_IN {
        let name = format!("e{n:02}");
        store.append(vec![event(7, &name, None)]).await.unwrap();
        seal(&store, &mut manifest).await;
    }
    let before = manifest.clone();
    let merged = store.compact(false).await.unwrap().unwrap();
    manifest.segments = merged.segments;
    manifest.version += 1;
    store.note(&manifest).await;
    store.adopt(&manifest);
    assert_eq!(names(&store, None).await.len(), FAN_IN);
    (store, before, manifest)
}

#[tokio::test]
async fn a_database_that_has_lost_a_merge_is_refused_and_without_a_journal_finds_its_files() {
    let directory = tempfile::tempdir().unwrap();
    let clock = Clock::fixed(NOW);
    let (store, before, after) = merged(directory.path(), &clock).await;
    store.close();
    drop(store);
    let options = || Options {
        reserve: 1,
        ..Options::new(directory.path())
    };
    let refused = EventStore::open(options(), clock.clone(), &before).err();
    let told = refused.unwrap().to_string();
    assert!(told.contains("pharos restore-manifest"), "{told}");

    std::fs::remove_file(directory.path().join("segments").join(journal::FILE)).unwrap();
    let store = EventStore::open(options(), clock, &before).unwrap();
    assert_eq!(names(&store, None).await.len(), FAN_IN);
    // No manifest names merged files now, and they are not deleted for that.
    assert!(count_files(directory.path(), aside::STRAYS) > 0);
    store.look_aside();
    let troubles = store.troubles();
    assert!(troubles[0].contains("segments/strays"), "{troubles:?}");
    store.close();
    drop(store);
    std::fs::remove_file(directory.path().join("segments").join(journal::FILE)).unwrap();
    let store = open(directory.path(), &after);
    assert_eq!(names(&store, None).await.len(), FAN_IN);
    assert_eq!(
        count_files(directory.path(), aside::STRAYS),
        before.segments.len() as u64 * 3
    );
    store.close();
}

#[tokio::test]
async fn a_log_that_begins_later_beside_unknown_files_is_refused_without_a_journal() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    store.append(vec![event(7, "a", None)]).await.unwrap();
    seal(&store, &mut manifest).await;
    let older = manifest.clone();
    store.append(vec![event(7, "b", None)]).await.unwrap();
    seal(&store, &mut manifest).await;
    store.append(vec![event(7, "c", None)]).await.unwrap();
    store.close();
    drop(store);
    std::fs::remove_file(directory.path().join("segments").join(journal::FILE)).unwrap();
    let options = Options::new(directory.path());
    let refused = EventStore::open(options, Clock::fixed(NOW), &older).err();
    let told = refused.unwrap().to_string();
    assert!(told.contains("is older than the files"), "{told}");
    let store = open(directory.path(), &manifest);
    assert_eq!(names(&store, None).await, ["a", "b", "c"]);
    store.close();
}

#[tokio::test]
async fn replaced_files_go_in_time_and_at_once_when_events_are_erased() {
    let directory = tempfile::tempdir().unwrap();
    let clock = Clock::fixed(NOW);
    let (store, ..) = merged(directory.path(), &clock).await;
    let replaced = || count_files(directory.path(), aside::REPLACED);
    assert!(replaced() >= FAN_IN as u64);
    clock.advance(Duration::from_hours(24) - Duration::from_millis(1));
    store.expire_replaced();
    assert!(replaced() >= FAN_IN as u64);
    clock.advance(Duration::from_millis(1));
    store.expire_replaced();
    assert_eq!(replaced(), 0);
    store.close();

    let directory = tempfile::tempdir().unwrap();
    let (store, _, mut manifest) = merged(directory.path(), &clock).await;
    let replaced = || count_files(directory.path(), aside::REPLACED);
    assert!(replaced() >= FAN_IN as u64);
    manifest.segments.clear();
    store.adopt(&manifest);
    assert_eq!((replaced(), segment_files(directory.path())), (0, 0));
    store.close();
}

fn trusted(name: &str, id: &str) -> Accepted {
    let mut sent = event(7, name, Some(id));
    sent.event.trust = Trust::Key;
    sent
}

#[tokio::test]
async fn an_id_with_the_public_client_id_swallows_no_event_with_a_key() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    let forged = vec![event(7, "forged", Some("order-1"))];
    store.append(forged.clone()).await.unwrap();
    let paid = vec![trusted("paid", "order-1")];
    assert_eq!(store.append(paid.clone()).await.unwrap().stored, 1);
    seal(&store, &mut manifest).await;
    for again in [forged, paid] {
        let again = store.append(again).await.unwrap();
        assert_eq!((again.stored, again.duplicates), (0, 1));
    }
    assert_eq!(names(&store, None).await, ["forged", "paid"]);
    store.close();
}

/// An earlier program made one key of both.
#[tokio::test]
async fn what_an_earlier_program_stored_is_still_known_and_nothing_later_swallows() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    let early = vec![event(7, "early", Some("1")), event(7, "early", Some("2"))];
    store.append(early).await.unwrap();
    seal(&store, &mut manifest).await;
    store.close();
    drop(store);
    std::fs::remove_file(directory.path().join("dedup/trusted_from")).unwrap();
    for id in ["1", "2"] {
        let store = open(directory.path(), &manifest);
        let again = store.append(vec![trusted("again", id)]).await.unwrap();
        assert_eq!(again.duplicates, 1, "sent again over the upgrade");
        store
            .append(vec![event(7, "forged", Some("3"))])
            .await
            .unwrap();
        seal(&store, &mut manifest).await;
        store.close();
    }
    let store = open(directory.path(), &manifest);
    store.append(vec![trusted("paid", "3")]).await.unwrap();
    let stored = names(&store, None).await;
    assert_eq!(stored, ["early", "early", "forged", "paid"]);
    store.close();
}
