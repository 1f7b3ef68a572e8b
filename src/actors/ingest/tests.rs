//! The storekeeper with a real store and a real state database.

use actix::Arbiter;

use super::{Compact, Env, Ingest, IngestError, Seal, manifest};
use crate::{
    actors::kit::{Child, Handle, RestartPolicy, drain_all, supervise},
    clock::Clock,
    events::{
        event::{Details, Event},
        segments::{FAN_IN, Manifest},
        store::{Accepted, EventStore, Options},
    },
    store::state::{StateDb, testing},
};

const NOW: i64 = 1_790_000_000_000;

struct House {
    directory: tempfile::TempDir,
    state: StateDb,
    store: EventStore,
    ingest: Handle<Ingest>,
    child: Child,
}

async fn house() -> House {
    let (directory, state) = testing::temporary().await;
    let clock = Clock::fixed(NOW);
    let options = Options {
        reserve: 1,
        ..Options::new(directory.path())
    };
    let store = EventStore::open(options, clock.clone(), &Manifest::default()).unwrap();
    let env = Env {
        store: store.clone(),
        state: state.clone(),
        clock,
    };
    let arbiter = Arbiter::new().handle();
    let (ingest, child) = supervise(env, &arbiter, RestartPolicy::default())
        .await
        .unwrap();
    House {
        directory,
        state,
        store,
        ingest,
        child,
    }
}

async fn append(store: &EventStore) {
    append_as(store, None).await;
}

/// Whether the event was new.
async fn append_as(store: &EventStore, id: Option<&str>) -> bool {
    let event = Event {
        organization: 1,
        website: 2,
        time: NOW,
        received: NOW,
        details: Details::Custom,
        ..Event::default()
    };
    store
        .append(vec![Accepted {
            event,
            event_id: id.map(Into::into),
        }])
        .await
        .unwrap()
        .stored
        == 1
}

#[actix::test]
async fn a_seal_moves_segments_and_cursor_together() {
    let house = house().await;
    assert_eq!(house.ingest.ask(Seal).await.unwrap(), 0, "nothing to seal");
    append(&house.store).await;
    append(&house.store).await;
    assert_eq!(house.ingest.ask(Seal).await.unwrap(), 1);
    let committed = manifest::load(house.state.reader(), &house.store.node())
        .await
        .unwrap();
    assert_eq!((committed.segments.len(), committed.cursor), (1, 2));
    assert_eq!(committed.segments[0].rows, 2);
    assert_eq!(
        house.store.snapshot().segments[0].row,
        committed.segments[0]
    );
    assert!(
        drain_all(vec![house.child], std::time::Duration::from_secs(5))
            .await
            .is_empty()
    );
}

#[actix::test]
async fn full_groups_are_merged_in_the_manifest_too() {
    let house = house().await;
    for _ in 0..FAN_IN {
        append(&house.store).await;
        house.ingest.ask(Seal).await.unwrap();
    }
    assert!(house.ingest.ask(Compact).await.unwrap());
    assert!(!house.ingest.ask(Compact).await.unwrap());
    let committed = manifest::load(house.state.reader(), &house.store.node())
        .await
        .unwrap();
    assert_eq!(committed.segments.len(), 1);
    assert_eq!(committed.segments[0].rows, FAN_IN as u64);
    assert_eq!(committed.cursor, FAN_IN as u64);
    assert!(
        drain_all(vec![house.child], std::time::Duration::from_secs(5))
            .await
            .is_empty()
    );
}

/// A life of the storekeeper that died between commit and adoption: the next one believes the rows to be unsealed.
#[actix::test]
async fn a_seal_that_was_committed_unnoticed_is_not_written_twice() {
    let house = house().await;
    let node = house.store.node();
    assert!(append_as(&house.store, Some("1")).await);
    house.store.freeze().await;
    let sealed = house.store.seal().await.unwrap().unwrap();
    let write = house.state.begin().await.unwrap();
    manifest::advance(&*write, &node, sealed.from, sealed.cursor)
        .await
        .unwrap();
    manifest::insert(
        &*write,
        &Clock::fixed(NOW),
        &node,
        sealed.segment.as_ref().unwrap(),
    )
    .await
    .unwrap();
    write.commit().await.unwrap();

    assert!(house.ingest.ask(Seal).await.is_err(), "somebody was faster");
    let again = loop {
        match house.ingest.ask(Seal).await {
            Err(IngestError::Unavailable(_)) => {
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            }
            other => break other,
        }
    };
    assert_eq!(again.unwrap(), 0, "boot found it");
    let committed = manifest::load(house.state.reader(), &node).await.unwrap();
    assert_eq!((committed.segments.len(), committed.cursor), (1, 1));
    assert_eq!(house.store.snapshot().generations.len(), 1);
    assert!(
        !append_as(&house.store, Some("1")).await,
        "still a duplicate"
    );
    assert!(
        drain_all(vec![house.child], std::time::Duration::from_secs(5))
            .await
            .is_empty()
    );
}

#[actix::test]
async fn a_refused_commit_takes_its_file_with_it() {
    let house = house().await;
    append(&house.store).await;
    house.state.clone().close().await.unwrap();
    assert!(house.ingest.ask(Seal).await.is_err());
    let files = std::fs::read_dir(house.directory.path().join("segments"));
    assert_eq!(files.unwrap().count(), 0);
    assert_eq!(house.store.snapshot().generations.len(), 2, "still there");
}

#[actix::test]
async fn todays_salt_is_in_the_view() {
    let house = house().await;
    assert!(house.ingest.view().of_day(NOW / 86_400_000).is_some());
    assert!(
        drain_all(vec![house.child], std::time::Duration::from_secs(5))
            .await
            .is_empty()
    );
}
