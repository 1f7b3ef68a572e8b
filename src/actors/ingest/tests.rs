//! The storekeeper with a real store and a real state database.

use std::{
    fs,
    sync::{Arc, Mutex},
    time::Duration,
};

use actix::Arbiter;

use super::{Compact, Env, Ingest, IngestError, Mend, Retain, RetentionOutcome, Seal, manifest};
use crate::{
    actors::{
        error::CommonError,
        kit::{Child, Handle, RestartPolicy, any_ended, drain_all, supervise},
    },
    clock::Clock,
    events::{
        enrich::{
            self, Enricher, Identity, Request, bot::Headers, geo::ProxyGeo, user_agent::Hints,
        },
        event::{Details, Event, Trust},
        segments::{
            FAN_IN, Manifest, RetentionPolicy, SegmentRow,
            journal::{self, Journal},
        },
        statement::{Rows, Scope, Statement},
        store::{Accepted, EventStore, Options},
    },
    store::{
        LastRun,
        state::{StateDb, testing},
    },
};

const NOW: i64 = 1_790_000_000_000;

struct Fixture {
    directory: tempfile::TempDir,
    clock: Clock,
    state: StateDb,
    store: EventStore,
    ingest: Handle<Ingest>,
    child: Child,
    retention: Arc<Mutex<RetentionPolicy>>,
}

impl Fixture {
    /// Files in the directory of segments, but for the journal.
    fn segment_files(&self) -> usize {
        let entries = fs::read_dir(self.directory.path().join("segments")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| path.is_file() && !path.ends_with(journal::FILE))
            .count()
    }
}

async fn fixture() -> Fixture {
    let (directory, state) = testing::temporary().await;
    let clock = Clock::fixed(NOW);
    let options = Options {
        reserve: 1,
        ..Options::new(directory.path())
    };
    let store = EventStore::open(options, clock.clone(), &Manifest::default()).unwrap();
    let retention = Arc::new(Mutex::new(RetentionPolicy::default()));
    let held = Arc::clone(&retention);
    let env = Env {
        store: store.clone(),
        state: state.clone(),
        last_run: LastRun::in_memory(clock.clone()),
        clock: clock.clone(),
        retention: Arc::new(move || held.lock().unwrap().clone()),
    };
    let arbiter = Arbiter::new().handle();
    let (ingest, child) = supervise(env, &arbiter, RestartPolicy::default())
        .await
        .unwrap();
    Fixture {
        directory,
        clock,
        state,
        store,
        ingest,
        child,
        retention,
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
    let fixture = fixture().await;
    assert_eq!(
        fixture.ingest.ask(Seal).await.unwrap(),
        0,
        "nothing to seal"
    );
    append(&fixture.store).await;
    append(&fixture.store).await;
    assert_eq!(fixture.ingest.ask(Seal).await.unwrap(), 1);
    let committed = manifest::load(fixture.state.reader(), &fixture.store.node())
        .await
        .unwrap();
    assert_eq!((committed.segments.len(), committed.cursor), (1, 2));
    assert_eq!(committed.segments[0].rows, 2);
    assert_eq!(
        fixture.store.snapshot().segments[0].row,
        committed.segments[0]
    );
    assert!(
        drain_all(vec![fixture.child], std::time::Duration::from_secs(5))
            .await
            .is_empty()
    );
}

#[actix::test]
async fn full_groups_are_merged_in_the_manifest_too() {
    let fixture = fixture().await;
    for _ in 0..FAN_IN {
        append(&fixture.store).await;
        fixture.ingest.ask(Seal).await.unwrap();
    }
    // The storekeeper merges by itself as well; one waits for the other, and then nothing is left to do.
    // On a busy machine it may be too late with its answer, and goes on.
    while !matches!(
        fixture.ingest.ask(Compact { at_rest: false }).await,
        Ok(false)
    ) {}
    let committed = manifest::load(fixture.state.reader(), &fixture.store.node())
        .await
        .unwrap();
    assert_eq!(committed.segments.len(), 1);
    assert_eq!(committed.segments[0].rows, FAN_IN as u64);
    assert_eq!(committed.cursor, FAN_IN as u64);
    assert!(
        drain_all(vec![fixture.child], std::time::Duration::from_secs(5))
            .await
            .is_empty()
    );
}

/// A life of the storekeeper that died between commit and adoption: the next one believes the rows to be unsealed.
#[actix::test]
async fn a_seal_that_was_committed_unnoticed_is_not_written_twice() {
    let fixture = fixture().await;
    let node = fixture.store.node();
    assert!(append_as(&fixture.store, Some("1")).await);
    fixture.store.freeze().await;
    let sealed = fixture.store.seal().await.unwrap().unwrap();
    let write = fixture.state.begin().await.unwrap();
    manifest::advance(&*write, &node, 0, (sealed.from, sealed.cursor))
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

    assert!(
        fixture.ingest.ask(Seal).await.is_err(),
        "somebody was faster"
    );
    let again = loop {
        match fixture.ingest.ask(Seal).await {
            Err(IngestError::Common(CommonError::Unavailable(_))) => {
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            }
            other => break other,
        }
    };
    assert_eq!(again.unwrap(), 0, "boot found it");
    let committed = manifest::load(fixture.state.reader(), &node).await.unwrap();
    assert_eq!((committed.segments.len(), committed.cursor), (1, 1));
    assert_eq!(fixture.store.snapshot().generations.len(), 1);
    assert!(
        !append_as(&fixture.store, Some("1")).await,
        "still a duplicate"
    );
    assert!(
        drain_all(vec![fixture.child], std::time::Duration::from_secs(5))
            .await
            .is_empty()
    );
}

/// A replica that was behind takes over, and does not know of the last seal.
#[actix::test]
async fn a_database_that_is_rolled_back_under_the_program_takes_no_file() {
    let fixture = fixture().await;
    let node = fixture.store.node();
    append(&fixture.store).await;
    fixture.ingest.ask(Seal).await.unwrap();
    let older = manifest::load(fixture.state.reader(), &node).await.unwrap();
    append(&fixture.store).await;
    fixture.ingest.ask(Seal).await.unwrap();
    let newest = manifest::load(fixture.state.reader(), &node).await.unwrap();
    assert_eq!((older.version, newest.version), (1, 2));
    manifest::replace(&fixture.state, &Clock::fixed(NOW), &node, &older)
        .await
        .unwrap();

    append(&fixture.store).await;
    while fixture.ingest.ask(Seal).await.is_ok() {}
    // Every boot refuses the older one, until the program ends.
    let mut children = [fixture.child];
    let ended = tokio::time::timeout(Duration::from_secs(20), any_ended(&mut children));
    assert!(ended.await.unwrap().1.is_err());
    let told = fixture
        .store
        .ensure_current(&older)
        .unwrap_err()
        .to_string();
    assert!(told.contains("pharos restore-manifest"), "{told}");
    assert_eq!(rows(&fixture.store, 2).await.rows.len(), 3);
    let segments = fixture.directory.path().join("segments");
    let noted = Journal::read(&segments).unwrap().unwrap();
    assert_eq!(noted, newest);
    for file in newest.segments.iter().flat_map(SegmentRow::files) {
        assert!(segments.join(file).exists());
    }
    fixture.store.close();
}

#[actix::test]
async fn by_a_clock_that_is_far_ahead_nothing_is_too_old() {
    let fixture = fixture().await;
    append(&fixture.store).await;
    fixture.ingest.ask(Seal).await.unwrap();
    fixture.retention.lock().unwrap().days = 30;
    fixture.clock.advance(Duration::from_hours(400 * 24));
    let refused = fixture.ingest.ask(Retain).await.unwrap_err();
    assert!(matches!(refused, IngestError::Clock(_)), "{refused}");
    assert_eq!(rows(&fixture.store, 2).await.rows.len(), 1);
    assert!(
        drain_all(vec![fixture.child], std::time::Duration::from_secs(5))
            .await
            .is_empty()
    );
}

#[actix::test]
async fn a_refused_commit_takes_its_file_with_it() {
    let fixture = fixture().await;
    append(&fixture.store).await;
    fixture.state.clone().close().await.unwrap();
    assert!(fixture.ingest.ask(Seal).await.is_err());
    assert_eq!(fixture.segment_files(), 0);
    assert_eq!(fixture.store.snapshot().generations.len(), 2, "still there");
}

/// Stores an event of a website at a time.
async fn append_at(store: &EventStore, website: i64, time: i64) {
    let event = Event {
        organization: 1,
        website,
        time,
        received: NOW,
        details: Details::Custom,
        ..Event::default()
    };
    let event_id = None;
    store
        .append(vec![Accepted { event, event_id }])
        .await
        .unwrap();
}

/// The times of all events of a website that queries see.
async fn rows(store: &EventStore, website: i64) -> Rows {
    let statement = Statement {
        spilling: None,
        text: "SELECT time FROM {events} ORDER BY time".into(),
        binds: Vec::new(),
        scope: Scope {
            organization: 1,
            website: Some(website),
            from: 0,
            to: i64::MAX,
        },
    };
    store.query(statement).await.unwrap()
}

#[actix::test]
async fn a_damaged_segment_is_named_moved_and_taken_back_when_it_is_restored() {
    let fixture = fixture().await;
    for website in [2, 3] {
        append_at(&fixture.store, website, NOW).await;
        fixture.ingest.ask(Seal).await.unwrap();
    }
    let node = fixture.store.node();
    let damaged = Arc::clone(&fixture.store.snapshot().segments[0]);
    let file = damaged
        .path
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    let whole = fs::read(&damaged.path).unwrap();
    let mut bytes = whole.clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&damaged.path, &bytes).unwrap();

    // One query finds it; the storekeeper then does what it has to, asked or not.
    let answer = rows(&fixture.store, 2).await;
    assert_eq!((answer.rows.len(), answer.damaged), (0, vec![file.clone()]));
    let other = rows(&fixture.store, 3).await;
    assert_eq!(
        (other.rows.len(), other.damaged),
        (1, vec![]),
        "not its business"
    );
    let state = || async {
        let committed = manifest::load(fixture.state.reader(), &node).await.unwrap();
        let states = committed.segments.iter().map(|row| row.quarantined);
        states.collect::<Vec<_>>()
    };
    fixture.ingest.ask(Mend).await.unwrap();
    assert_eq!(state().await, [true, false]);
    let shelter = fixture
        .directory
        .path()
        .join("segments/quarantine")
        .join(&file);
    assert_eq!(fs::read(shelter).unwrap(), bytes);
    assert!(!damaged.path.exists());
    let told = fixture.store.troubles();
    assert!(told.iter().any(|line| line.contains(&file)), "{told:?}");

    // A copy that is damaged as well does not count.
    fs::write(&damaged.path, &bytes).unwrap();
    fixture.ingest.ask(Mend).await.unwrap();
    assert!(!damaged.path.exists());
    assert_eq!(rows(&fixture.store, 2).await.damaged, [file]);
    fs::write(&damaged.path, &whole).unwrap();
    fixture.ingest.ask(Mend).await.unwrap();
    assert_eq!(state().await, [false, false]);
    let answer = rows(&fixture.store, 2).await;
    assert_eq!((answer.rows.len(), answer.damaged), (1, vec![]));
    assert!(fixture.store.troubles().is_empty());
    assert!(
        drain_all(vec![fixture.child], std::time::Duration::from_secs(5))
            .await
            .is_empty()
    );
}

#[actix::test]
async fn events_that_are_too_old_go_whole_segments_first() {
    const DAY: i64 = 86_400_000;
    let fixture = fixture().await;
    for (website, age) in [(2, 40), (2, 31), (3, 40), (3, 31), (2, 1)] {
        append_at(&fixture.store, website, NOW - age * DAY).await;
        if age != 40 {
            fixture.ingest.ask(Seal).await.unwrap();
        }
    }
    let ages = |website| {
        let store = fixture.store.clone();
        async move { rows(&store, website).await.rows.len() }
    };
    let retain = |days, websites: &[(i64, u32)]| {
        *fixture.retention.lock().unwrap() = RetentionPolicy {
            days,
            websites: websites.iter().copied().collect(),
        };
        fixture.ingest.ask(Retain)
    };
    assert_eq!(retain(0, &[]).await.unwrap(), RetentionOutcome::default());
    assert_eq!((ages(2).await, ages(3).await), (3, 2));
    let part = RetentionOutcome {
        dropped: 0,
        rewritten: 1,
    };
    assert_eq!(retain(35, &[(3, 0)]).await.unwrap(), part);
    assert_eq!((ages(2).await, ages(3).await), (2, 2));
    let whole = RetentionOutcome {
        dropped: 2,
        rewritten: 0,
    };
    assert_eq!(retain(30, &[]).await.unwrap(), whole);
    assert_eq!((ages(2).await, ages(3).await), (1, 0));
    assert_eq!(retain(30, &[]).await.unwrap(), RetentionOutcome::default());
    // The segment and its extracts.
    assert_eq!(fixture.segment_files(), 3);
    assert!(
        drain_all(vec![fixture.child], std::time::Duration::from_secs(5))
            .await
            .is_empty()
    );
}

/// Two processes, each with its own event store, that share a state database.
#[actix::test]
async fn one_visitor_has_one_number_in_all_stores() {
    let fixture = fixture().await;
    let directory = tempfile::tempdir().unwrap();
    let options = Options {
        reserve: 1,
        ..Options::new(directory.path())
    };
    let clock = Clock::fixed(NOW);
    let store = EventStore::open(options, clock.clone(), &Manifest::default()).unwrap();
    let env = Env {
        store: store.clone(),
        state: testing::reopen(&fixture.directory).await,
        last_run: LastRun::in_memory(clock.clone()),
        clock,
        retention: Arc::new(RetentionPolicy::default),
    };
    let arbiter = Arbiter::new().handle();
    let (other, child) = supervise::<Ingest>(env, &arbiter, RestartPolicy::default())
        .await
        .unwrap();
    assert_ne!(store.node(), fixture.store.node());
    let mut visitors = Vec::new();
    for ingest in [&fixture.ingest, &other] {
        let ingest = ingest.clone();
        let salts = move |day: i64| ingest.view().get(day);
        let enricher = Enricher::open(&enrich::Options::default(), Arc::new(salts)).unwrap();
        let request = Request {
            ip: None,
            user_agent: None,
            hints: Hints::default(),
            headers: Headers::default(),
            told: ProxyGeo::default(),
            trust: Trust::Client,
            received: NOW,
        };
        let mut event = Event::default();
        let identity = Identity {
            anonymous: "anon_1",
            ..Identity::default()
        };
        enricher
            .visit(&request)
            .unwrap()
            .stamp(&mut event, identity);
        visitors.push(event.visitor);
    }
    assert_eq!(visitors[0], visitors[1]);
    assert_ne!(visitors[0], crate::events::event::identity("anon_1"));
    let children = vec![fixture.child, child];
    assert!(
        drain_all(children, std::time::Duration::from_secs(5))
            .await
            .is_empty()
    );
    store.close();
}

#[actix::test]
async fn todays_salt_is_in_the_view() {
    let fixture = fixture().await;
    assert!(fixture.ingest.view().get(NOW / 86_400_000).is_some());
    assert!(
        drain_all(vec![fixture.child], std::time::Duration::from_secs(5))
            .await
            .is_empty()
    );
}
