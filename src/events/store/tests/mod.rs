//! The store as a whole: what was answered is there, once, whatever happens in between.

use std::{fs, path::Path};

mod backlog;
mod bounded;
mod durability;
mod extracted;
mod forged;
mod ledger;
mod repeated;
mod replaced;
mod shipper;

use super::{Accepted, Appended, EventStore, Options};
use crate::{
    clock::Clock,
    events::{
        event::{Details, Event},
        extracts::Extract,
        failpoint::Failpoints,
        segments::{FAN_IN, Manifest, journal},
        statement::{Bind, Cell, QueryError, Scope, Statement},
    },
};

pub(super) const NOW: i64 = 1_790_000_000_000;
/// Files of a segment: its own and its extracts.
const EACH: usize = 1 + Extract::ALL.len();

pub(super) fn open(directory: &Path, manifest: &Manifest) -> EventStore {
    let options = Options {
        reserve: 1,
        ..Options::new(directory)
    };
    EventStore::open(options, Clock::fixed(NOW), manifest).unwrap()
}

pub(super) fn event(website: i64, name: &str, id: Option<&str>) -> Accepted {
    let event = Event {
        organization: 1,
        website,
        time: NOW,
        received: NOW,
        name: name.into(),
        details: Details::Custom,
        ..Event::default()
    };
    Accepted {
        event,
        event_id: id.map(Into::into),
    }
}

pub(super) async fn names(store: &EventStore, website: Option<i64>) -> Vec<String> {
    let statement = Statement {
        spilling: None,
        text: "SELECT name FROM {events} WHERE kind = ? ORDER BY name".into(),
        binds: vec![Bind::Int(2)],
        scope: Scope {
            organization: 1,
            website,
            from: 0,
            to: i64::MAX,
        },
    };
    let rows = store.query(statement).await.unwrap().rows;
    rows.iter()
        .map(|row| match &row[0] {
            Cell::Text(name) => name.clone(),
            other => panic!("{other:?}"),
        })
        .collect()
}

/// Files in use: what was set aside lies in folders, and the journal is no segment.
pub(super) fn segment_files(directory: &Path) -> usize {
    let entries = fs::read_dir(directory.join("segments")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.is_file() && !path.ends_with(journal::FILE))
        .count()
}

/// What the ingest domain does, with the manifest in memory.
pub(super) async fn seal(store: &EventStore, manifest: &mut Manifest) {
    store.freeze().await;
    assert!(seal_next(store, manifest).await);
}

/// Seals the oldest closed generation.
pub(super) async fn seal_next(store: &EventStore, manifest: &mut Manifest) -> bool {
    let Some(sealed) = store.seal().await.unwrap() else {
        return false;
    };
    manifest.segments.extend(sealed.segment);
    manifest.cursor = sealed.cursor;
    store.adopt(manifest);
    true
}

#[tokio::test]
async fn an_answered_event_is_seen_at_once_and_after_a_seal_and_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    store
        .append(vec![event(7, "a", None), event(8, "b", None)])
        .await
        .unwrap();
    assert_eq!(names(&store, None).await, ["a", "b"]);
    assert_eq!(names(&store, Some(8)).await, ["b"]);

    seal(&store, &mut manifest).await;
    assert_eq!(names(&store, None).await, ["a", "b"]);
    store.append(vec![event(7, "c", None)]).await.unwrap();
    assert_eq!(names(&store, Some(7)).await, ["a", "c"]);
    store.close();

    let store = open(directory.path(), &manifest);
    assert_eq!(names(&store, None).await, ["a", "b", "c"]);
    store.close();
}

#[tokio::test]
async fn an_event_id_counts_once_across_batches_seals_and_restarts() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    let twice = store
        .append(vec![event(7, "a", Some("1")), event(7, "a", Some("1"))])
        .await;
    assert_eq!(
        twice.unwrap(),
        Appended {
            stored: 1,
            duplicates: 1
        }
    );
    let again = store
        .append(vec![event(7, "a", Some("1")), event(8, "b", Some("1"))])
        .await;
    assert_eq!(
        again.unwrap(),
        Appended {
            stored: 1,
            duplicates: 1
        },
        "another website is another event"
    );

    let store = {
        store.close();
        open(directory.path(), &manifest)
    };
    assert_eq!(
        store
            .append(vec![event(7, "a", Some("1"))])
            .await
            .unwrap()
            .duplicates,
        1,
        "from the spool"
    );
    seal(&store, &mut manifest).await;
    assert_eq!(
        store
            .append(vec![event(7, "a", Some("1"))])
            .await
            .unwrap()
            .duplicates,
        1,
        "from the key file"
    );
    store.close();
    let store = open(directory.path(), &manifest);
    assert_eq!(
        store
            .append(vec![event(7, "a", Some("1"))])
            .await
            .unwrap()
            .duplicates,
        1,
        "reopened key file"
    );
    assert_eq!(names(&store, None).await, ["a", "b"]);
    store.close();
}

#[tokio::test]
async fn a_seal_that_never_committed_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    store.append(vec![event(7, "a", Some("1"))]).await.unwrap();
    store.freeze().await;
    let lost = store.seal().await.unwrap().unwrap();
    assert_eq!(lost.segment.unwrap().rows, 1);
    assert_eq!(names(&store, None).await, ["a"]);
    store.close();

    let store = open(directory.path(), &manifest);
    assert_eq!(names(&store, None).await, ["a"]);
    let strays = segment_files(directory.path());
    assert_eq!(strays, 0, "the file of the lost seal is set aside");
    assert_eq!(
        store
            .append(vec![event(7, "a", Some("1"))])
            .await
            .unwrap()
            .duplicates,
        1
    );
    store.close();
}

#[tokio::test]
async fn sixteen_segments_become_one_and_every_row_stays() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    let mut expected = Vec::new();
    for n in 0..FAN_IN {
        let name = format!("e{n:02}");
        store.append(vec![event(7, &name, None)]).await.unwrap();
        seal(&store, &mut manifest).await;
        expected.push(name);
    }
    let before = store.snapshot();
    let merged = store.compact(false).await.unwrap().unwrap();
    manifest
        .segments
        .retain(|row| !merged.replaced.contains(&row.id));
    manifest.segments.extend(merged.segments);
    store.adopt(&manifest);
    assert_eq!(names(&store, None).await, expected);
    let files = || segment_files(directory.path());
    assert_eq!(
        files(),
        EACH * (expected.len() + 1),
        "an older snapshot still holds its files"
    );
    drop(before);
    assert_eq!(files(), EACH);
    store.close();
}

#[tokio::test]
async fn a_stop_in_the_middle_of_a_merge_leaves_nothing_half_done() {
    let directory = tempfile::tempdir().unwrap();
    let points = tempfile::tempdir().unwrap();
    fs::write(points.path().join("merge"), "wait").unwrap();
    let options = Options {
        reserve: 1,
        failpoints: Failpoints::in_directory(points.path()),
        ..Options::new(directory.path())
    };
    let mut manifest = Manifest::default();
    let store = EventStore::open(options, Clock::fixed(NOW), &manifest).unwrap();
    for n in 0..FAN_IN {
        let sent = event(1, &format!("e{n:02}"), None);
        store.append(vec![sent]).await.unwrap();
        seal(&store, &mut manifest).await;
    }
    let files = |extension: &str| {
        let entries = fs::read_dir(directory.path().join("segments")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| path.extension().is_some_and(|found| found == extension))
            .count()
    };
    let stop = async {
        while files("tmp") == 0 {
            tokio::task::yield_now().await;
        }
        store.close();
        assert_eq!((files("tmp"), files("parquet")), (0, EACH * FAN_IN));
    };
    let (merged, ()) = tokio::join!(store.compact(false), stop);
    assert!(merged.is_err());
    drop(store);
    let store = open(directory.path(), &manifest);
    assert_eq!(names(&store, Some(1)).await.len(), FAN_IN);
}

#[tokio::test]
async fn the_engine_reaches_no_file_but_the_segments() {
    let directory = tempfile::tempdir().unwrap();
    let secret = directory.path().join("secret.csv");
    std::fs::write(&secret, "a,b\n1,2\n").unwrap();
    let store = open(directory.path(), &Manifest::default());
    let scope = Scope {
        organization: 1,
        website: None,
        from: 0,
        to: 1,
    };
    let attempts = [
        format!("SELECT * FROM read_csv('{}')", secret.display()),
        "SELECT * FROM read_text('/etc/passwd')".into(),
        format!(
            "COPY (SELECT 1) TO '{}'",
            directory.path().join("out.csv").display()
        ),
        format!(
            "ATTACH '{}' AS other",
            directory.path().join("x.db").display()
        ),
        "SET memory_limit = '10GB'".into(),
        "SET enable_external_access = true".into(),
        "INSTALL httpfs".into(),
        "LOAD httpfs".into(),
        "SET lock_configuration = false".into(),
        "SET threads = 64".into(),
        "SET allowed_directories = ['/']".into(),
        "RESET memory_limit".into(),
        "SELECT * FROM read_parquet('/etc/passwd')".into(),
        "SELECT * FROM '/etc/passwd'".into(),
        "SELECT * FROM glob('/etc/*')".into(),
        "COPY (SELECT 1) TO '/dev/stdout'".into(),
        "EXPORT DATABASE 'out'".into(),
        "SELECT * FROM read_csv('https://127.0.0.1/x.csv')".into(),
        format!(
            "SELECT * FROM read_text('{}/segments/../secret.csv')",
            directory.path().display()
        ),
    ];
    for text in attempts {
        let statement = Statement {
            spilling: None,
            text: text.clone(),
            binds: Vec::new(),
            scope: scope.clone(),
        };
        let Err(QueryError::Engine(why)) = store.query(statement).await else {
            panic!("{text}");
        };
        // It was understood, and not allowed.
        assert!(!why.contains("Parser Error"), "{text}: {why}");
    }
    store.close();
}

#[tokio::test]
async fn a_statement_beyond_the_deadline_is_stopped_and_the_engine_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let options = Options {
        reserve: 1,
        deadline: std::time::Duration::from_millis(200),
        concurrent: 1,
        ..Options::new(directory.path())
    };
    let store = EventStore::open(options, Clock::fixed(NOW), &Manifest::default()).unwrap();
    store.append(vec![event(7, "a", None)]).await.unwrap();
    let slow = Statement {
        spilling: None,
        text:
            "SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range + b.range = 3"
                .into(),
        binds: Vec::new(),
        scope: Scope {
            organization: 1,
            website: None,
            from: 0,
            to: 1,
        },
    };
    let outcome = store.query(slow).await;
    assert!(
        matches!(outcome, Err(QueryError::Deadline(_))),
        "{outcome:?}"
    );
    assert_eq!(names(&store, None).await, ["a"]);
    store.close();
}

#[tokio::test]
async fn what_a_later_program_wrote_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    store.append(vec![event(7, "a", None)]).await.unwrap();
    seal(&store, &mut manifest).await;
    store.close();
    drop(store);
    let mut later = manifest.clone();
    later.segments[0].schema += 1;
    let options = Options::new(directory.path());
    let refused = EventStore::open(options, Clock::fixed(NOW), &later)
        .err()
        .unwrap();
    assert!(
        refused.to_string().contains("a later pharos wrote it"),
        "{refused}"
    );
    let store = open(directory.path(), &manifest);
    assert_eq!(names(&store, None).await, ["a"]);
    store.close();
}
