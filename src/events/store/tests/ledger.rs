//! What is not stored, from the request that was refused to the row of a segment.

use std::path::Path;

use super::{NOW, event, open, seal, seal_next};
use crate::events::store::{EventStore, Options};
use crate::{
    clock::Clock,
    events::{
        event::Event,
        ledger::{Outcome, Reason},
        segments::Manifest,
        statement::{Cell, Scope, Statement},
        store::Accepted,
    },
};

/// `reason`, `origin` and number of every counter of a website, and the number of events.
const BALANCE: &str = "SELECT CASE WHEN kind = 100 THEN name ELSE 'stored' END AS reason, coalesce(host, '') AS host, \
    CAST(sum(CASE WHEN kind = 100 THEN value ELSE 1 END) AS BIGINT) AS n FROM {received} GROUP BY reason, host ORDER BY reason, host";

async fn balance(store: &EventStore, website: i64) -> Vec<(String, String, i64)> {
    let statement = Statement {
        spilling: None,
        text: BALANCE.into(),
        binds: Vec::new(),
        scope: Scope {
            organization: 1,
            website: Some(website),
            from: 0,
            to: i64::MAX,
        },
    };
    let rows = store.query(statement).await.unwrap().rows;
    rows.iter()
        .map(|row| match row.as_slice() {
            [Cell::Text(reason), Cell::Text(host), Cell::Int(n)] => {
                (reason.clone(), host.clone(), *n)
            }
            other => panic!("{other:?}"),
        })
        .collect()
}

fn texts(expected: &[(&str, &str, i64)]) -> Vec<(String, String, i64)> {
    let own = |(reason, host, n): &(&str, &str, i64)| ((*reason).into(), (*host).into(), *n);
    expected.iter().map(own).collect()
}

fn refuse(store: &EventStore, reason: Reason, origin: Option<&str>, count: u64) {
    store.count(&Outcome {
        organization: 1,
        website: 7,
        reason,
        at: NOW,
        origin,
        count,
    });
}

#[tokio::test]
async fn duplicates_are_counted_by_the_batch_that_answers_them_and_survive_a_crash() {
    let directory = tempfile::tempdir().unwrap();
    let manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    let send = |ids: &[&str]| ids.iter().map(|id| event(7, "e", Some(id))).collect();
    store.append(send(&["a", "b", "a"])).await.unwrap();
    store.append(send(&["b", "c"])).await.unwrap();
    store.append(send(&["a", "c"])).await.unwrap();
    let expected = texts(&[("duplicate", "", 4), ("stored", "", 3)]);
    assert_eq!(balance(&store, 7).await, expected);
    // The directory as a kill would leave it: nothing was closed.
    let copy = copied(directory.path());
    store.close();

    let store = open(copy.path(), &manifest);
    assert_eq!(balance(&store, 7).await, expected);
    assert_eq!(balance(&store, 8).await, texts(&[]), "another website");
    store.close();
}

#[tokio::test]
async fn refusals_are_visible_when_asked_for_and_durable_at_a_stop() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let store = open(directory.path(), &manifest);
    for _ in 0..1_000 {
        refuse(
            &store,
            Reason::OriginNotAuthorized,
            Some("https://else.example"),
            1,
        );
    }
    refuse(&store, Reason::Bot, None, 5);
    store.settle().await;
    let expected = [
        ("bot", "", 5),
        ("origin_not_authorized", "https://else.example", 1_000),
    ];
    assert_eq!(balance(&store, 7).await, texts(&expected));
    refuse(&store, Reason::Bot, None, 2);
    store.close();

    let store = open(directory.path(), &manifest);
    let expected = [
        ("bot", "", 7),
        ("origin_not_authorized", "https://else.example", 1_000),
    ];
    assert_eq!(balance(&store, 7).await, texts(&expected));
    seal(&store, &mut manifest).await;
    let rows: Vec<u64> = manifest.segments.iter().map(|row| row.rows).collect();
    assert_eq!(rows, [2], "a seal adds up");
    assert_eq!(balance(&store, 7).await, texts(&expected));
    store.close();
}

#[tokio::test]
async fn what_was_refused_waits_for_the_next_batch_or_a_second() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), &Manifest::default());
    refuse(&store, Reason::RateLimited, None, 3);
    // No call settles or appends: the spool thread remembers by itself.
    let written = tokio::time::timeout(std::time::Duration::from_secs(20), async {
        while balance(&store, 7).await.is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    });
    assert!(written.await.is_ok(), "it never became durable");
    assert_eq!(balance(&store, 7).await, texts(&[("rate_limited", "", 3)]));
    store.close();
}

#[tokio::test]
async fn events_count_when_they_are_received_wherever_they_happened() {
    let directory = tempfile::tempdir().unwrap();
    let mut manifest = Manifest::default();
    let options = Options {
        reserve: 1,
        seal_rows: 1,
        ..Options::new(directory.path())
    };
    let store = EventStore::open(options, Clock::fixed(NOW), &manifest).unwrap();
    let old = Accepted {
        event: Event {
            time: NOW - 400 * 86_400_000,
            ..event(7, "late", None).event
        },
        event_id: None,
    };
    store.append(vec![old]).await.unwrap();
    while seal_next(&store, &mut manifest).await {}
    let count = async |text: &str| {
        let statement = Statement {
            spilling: None,
            text: text.into(),
            binds: Vec::new(),
            scope: Scope {
                organization: 1,
                website: None,
                from: NOW - 1_000,
                to: NOW + 1_000,
            },
        };
        store.query(statement).await.unwrap().rows[0][0].clone()
    };
    assert_eq!(count("SELECT count(*) FROM {events}").await, Cell::Int(0));
    assert_eq!(count("SELECT count(*) FROM {received}").await, Cell::Int(1));
    store.close();
}

/// Everything below a directory, as it is on disk now.
fn copied(from: &Path) -> tempfile::TempDir {
    fn copy(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let target = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                copy(&entry.path(), &target);
            } else {
                std::fs::copy(entry.path(), target).unwrap();
            }
        }
    }
    let to = tempfile::tempdir().unwrap();
    copy(from, to.path());
    to
}
