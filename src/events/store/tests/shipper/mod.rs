//! From the log to a ClickHouse that fails in every way (drill F17): no event twice, none lost, the same name for the same rows.

mod claims;
mod fake;

use std::{fs, path::Path, time::Duration};

use super::{NOW, event};
use crate::events::store::{
    AppendError, Appended, EventStore, Options,
    shipper::{
        Pace, Remote,
        journal::{FILE, Journal},
    },
};
use crate::{
    clock::Clock,
    events::{
        clickhouse::{Address, ClickHouse},
        failpoint::Failpoints,
        segments::{Manifest, SegmentRow},
        statement::{QueryError, Scope, Statement},
    },
};

use fake::{Fake, POISON, WAYS, Way};

/// Steps of a batch.
const STEPS: [&str; 4] = ["ship-recorded", "ship-sent", "ship-kept", "ship-noted"];

fn options(directory: &Path, fake: &Fake) -> Options {
    let engine = ClickHouse::new(crate::events::clickhouse::Options {
        patience: Duration::from_millis(300),
        ..crate::events::clickhouse::Options::new(Address::parse(&fake.url()).unwrap())
    });
    let pace = Pace {
        every: Duration::from_millis(4),
        least: Duration::from_millis(1),
        first_pause: Duration::from_millis(1),
        longest_pause: Duration::from_millis(4),
    };
    Options {
        reserve: 1,
        remote: Some(Remote {
            is_ready: false,
            engine: engine.unwrap(),
            ack: false,
            pace,
            claims: None,
        }),
        failpoints: Failpoints::in_directory(directory.join("points")),
        ..Options::new(directory)
    }
}

fn open(directory: &Path, fake: &Fake) -> EventStore {
    open_at(directory, fake, Clock::fixed(NOW))
}

fn open_at(directory: &Path, fake: &Fake, clock: Clock) -> EventStore {
    EventStore::open(options(directory, fake), clock, &Manifest::default()).unwrap()
}

fn name(n: usize) -> String {
    format!("name-{n:06}")
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(name).collect()
}

/// Stores the n-th event under its own id.
async fn send(store: &EventStore, n: usize) -> Appended {
    let name = name(n);
    store
        .append(vec![event(7, &name, Some(&name))])
        .await
        .unwrap()
}

async fn until(what: &str, condition: impl Fn() -> bool) {
    let there = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(30), there).await;
    assert!(waited.is_ok(), "it never happened: {what}");
}

#[tokio::test]
async fn every_event_arrives_once_whatever_becomes_of_the_answers() {
    let directory = tempfile::tempdir().unwrap();
    let fake = Fake::start();
    let store = open(directory.path(), &fake);
    let mut sent = 0;
    for first in WAYS {
        for second in WAYS {
            fake.next(&[first, second]);
            for _ in 0..3 {
                assert_eq!(send(&store, sent).await.stored, 1);
                sent += 1;
            }
            // Sent again while it is on its way, and when it is there.
            assert_eq!(send(&store, sent - 1).await.duplicates, 1);
            store.ship_all().await.unwrap();
            assert_eq!(send(&store, sent - 1).await.duplicates, 1);
        }
    }
    store.ship_all().await.unwrap();
    assert_eq!(fake.names(), names(sent));
    let shipped = store.shipped();
    assert!(
        shipped.events >= sent as u64 && shipped.retries >= 25,
        "{shipped:?}"
    );
    assert_eq!(store.unsealed_bytes(), 0);
    store.close();
    let left = fs::read_dir(directory.path().join("spool")).unwrap();
    let left = left.map(|entry| entry.unwrap().path());
    let left = left.filter(|path| path.extension().is_some_and(|extension| extension == "seg"));
    assert_eq!(left.count(), 0, "what is shipped is deleted");
}

#[tokio::test]
async fn ten_minutes_without_clickhouse_cost_nothing_but_time() {
    let directory = tempfile::tempdir().unwrap();
    let fake = Fake::start();
    let clock = Clock::fixed(NOW);
    let mut store = open_at(directory.path(), &fake, clock.clone());
    send(&store, 0).await;
    store.ship_all().await.unwrap();
    fake.away(true);
    let before = fake.tokens().len();
    for minute in 1..=10 {
        clock.advance(Duration::from_mins(1));
        assert_eq!(
            send(&store, minute).await.stored,
            1,
            "events go on being taken"
        );
        if minute == 5 {
            // The program is restarted meanwhile.
            store.close();
            store = open_at(directory.path(), &fake, clock.clone());
        }
        let tried = store.shipped().retries;
        until("it is tried again", || store.shipped().retries > tried).await;
    }
    assert_eq!(fake.tokens().len(), before);
    assert!(store.oldest_unsealed().is_some());
    let troubles = store.troubles();
    assert!(
        troubles
            .iter()
            .any(|trouble| trouble.contains("ClickHouse")),
        "{troubles:?}"
    );
    fake.away(false);
    store.ship_all().await.unwrap();
    assert_eq!(fake.names(), names(11));
    assert_eq!(store.troubles(), [""; 0]);
    assert_eq!(send(&store, 3).await.duplicates, 1, "ids are remembered");
    store.close();
}

/// Each step is the last one of a life; the next life goes on from there.
#[tokio::test]
async fn a_life_may_end_behind_any_step() {
    let fake = Fake::start();
    let directory = tempfile::tempdir().unwrap();
    let points = directory.path().join("points");
    fs::create_dir(&points).unwrap();
    let mut sent = 0;
    for step in STEPS {
        fs::write(points.join(step), "fail").unwrap();
        let store = open(directory.path(), &fake);
        for _ in 0..2 {
            send(&store, sent).await;
            sent += 1;
        }
        until("the step is reached", || store.shipped().retries > 0).await;
        let journal = Journal::read(directory.path()).unwrap().unwrap();
        let batch = journal.batch;
        assert!(batch.is_some() || step == "ship-noted", "{step}");
        // What comes while a batch is under way is none of it.
        send(&store, sent).await;
        sent += 1;
        store.close();
        fs::remove_file(points.join(step)).unwrap();

        let store = open(directory.path(), &fake);
        store.ship_all().await.unwrap();
        assert_eq!(fake.names(), names(sent), "{step}");
        if let Some(batch) = batch {
            assert!(
                fake.tokens().contains(&batch.token(&store.node())),
                "{step}"
            );
        }
        for n in 0..sent {
            assert_eq!(send(&store, n).await.duplicates, 1, "{step}: {n}");
        }
        store.close();
    }
}

#[tokio::test]
async fn events_that_are_refused_for_what_they_hold_are_set_aside() {
    let directory = tempfile::tempdir().unwrap();
    let fake = Fake::start();
    fake.away(true);
    let store = open(directory.path(), &fake);
    for n in 0..9 {
        send(&store, n).await;
        if n % 4 == 0 {
            store.append(vec![event(7, POISON, None)]).await.unwrap();
        }
    }
    fake.away(false);
    fake.next(&[Way::StoredUnheard]);
    store.ship_all().await.unwrap();
    let mut stored = fake.names();
    stored.sort();
    assert_eq!(stored, names(9));
    assert_eq!(store.shipped().quarantined, 3);
    let aside = fs::read_dir(directory.path().join("spool/quarantine")).unwrap();
    let aside: Vec<_> = aside
        .map(|entry| fs::read(entry.unwrap().path()).unwrap())
        .collect();
    assert_eq!(aside.len(), 3);
    let found = |bytes: &Vec<u8>| memchr::memmem::find(bytes, POISON.as_bytes()).is_some();
    assert!(aside.iter().all(found));
    assert!(
        store.troubles()[0].contains("3 events"),
        "{:?}",
        store.troubles()
    );
    store.close();
}

/// A frame whose sync failed was never acknowledged, and is no part of the batch that was recorded without it.
#[tokio::test]
async fn what_was_never_acknowledged_does_not_change_a_batch() {
    let directory = tempfile::tempdir().unwrap();
    let fake = Fake::start();
    fake.away(true);
    let store = open(directory.path(), &fake);
    for n in 0..3 {
        send(&store, n).await;
    }
    let token = format!("{}:1-3", store.node());
    store.close();
    let recorded = r#"{"cursor":0,"batch":{"from":1,"to":3,"frames":[[1,1],[3,3]]}}"#;
    fs::write(directory.path().join(FILE), recorded).unwrap();
    fake.away(false);
    let store = open(directory.path(), &fake);
    store.ship_all().await.unwrap();
    assert_eq!(fake.names(), [name(0), name(2)]);
    assert_eq!(fake.tokens(), [token]);
    assert_eq!(
        send(&store, 1).await.stored,
        1,
        "its retry is the first one"
    );
    store.ship_all().await.unwrap();
    assert_eq!(fake.names(), [name(0), name(2), name(1)]);
    store.close();
}

#[tokio::test]
async fn clients_wait_for_clickhouse_where_they_are_promised_to() {
    let directory = tempfile::tempdir().unwrap();
    let fake = Fake::start();
    let mut options = options(directory.path(), &fake);
    if let Some(remote) = &mut options.remote {
        remote.ack = true;
    }
    let store = EventStore::open(options, Clock::fixed(NOW), &Manifest::default()).unwrap();
    let take = async |n: usize| {
        let name = name(n);
        store.take(vec![event(7, &name, Some(&name))]).await
    };
    for n in 0..3 {
        assert_eq!(take(n).await.unwrap().stored, 1);
        assert_eq!(
            fake.names(),
            names(n + 1),
            "it is there when the answer comes"
        );
    }
    fake.away(true);
    let (answer, ()) = tokio::join!(take(3), async {
        until("it is tried", || store.shipped().retries > 0).await;
        assert!(
            matches!(take(4).await, Err(AppendError::Remote)),
            "refused at once"
        );
        fake.away(false);
    });
    assert_eq!(answer.unwrap().stored, 1);
    assert_eq!(
        fake.names(),
        names(4),
        "what was refused at once is not stored"
    );
    store.close();
}

#[tokio::test]
async fn a_directory_belongs_to_one_kind_of_store() {
    let directory = tempfile::tempdir().unwrap();
    let fake = Fake::start();
    let segment = Manifest {
        segments: vec![SegmentRow::example("a", 0, 1, 0)],
        cursor: 5,
        ..Manifest::default()
    };
    let remote = || options(directory.path(), &fake);
    let refused = EventStore::open(remote(), Clock::fixed(NOW), &segment).map(drop);
    let said = refused.unwrap_err().to_string();
    assert!(said.contains("events.store"), "{said}");

    let store = open(directory.path(), &fake);
    send(&store, 0).await;
    store.ship_all().await.unwrap();
    store.close();
    let embedded = Options::new(directory.path());
    let refused = EventStore::open(embedded, Clock::fixed(NOW), &Manifest::default()).map(drop);
    let said = refused.unwrap_err().to_string();
    assert!(said.contains("are in ClickHouse"), "{said}");
}

#[tokio::test]
async fn statements_say_when_clickhouse_is_away() {
    let directory = tempfile::tempdir().unwrap();
    let fake = Fake::start();
    fake.away(true);
    let store = open(directory.path(), &fake);
    let statement = Statement {
        spilling: None,
        text: "SELECT count() FROM {events}".to_owned(),
        binds: Vec::new(),
        scope: Scope {
            organization: 1,
            website: Some(7),
            from: 0,
            to: 1,
        },
    };
    for _ in 0..2 {
        let refused = store.query(statement.clone()).await;
        assert!(
            matches!(refused, Err(QueryError::Unavailable(_))),
            "{refused:?}"
        );
        assert!(!store.answers().await);
    }
    store.close();
}
