//! Reports of probes that send a lot.

use sea_orm::ActiveValue::Set;

use super::*;
use crate::{
    actors::{
        digest::Digest,
        monitors::places::{Probe, ProbeFields, repo},
    },
    entities,
    store::{StateDb, state::testing::temporary},
};

/// A database with probes; their organization does not matter here.
async fn open(probes: &[&str]) -> (tempfile::TempDir, StateDb) {
    let (directory, db) = temporary().await;
    let unbound = "PRAGMA foreign_keys = OFF";
    db.writer().execute_unprepared(unbound).await.unwrap();
    for id in probes {
        let probe = Probe {
            id: (*id).into(),
            organization: "o".into(),
            fields: ProbeFields::default(),
            digest: Digest::from_secret(id),
            created_ms: 0,
            updated_ms: 0,
            revoked_ms: None,
        };
        repo::insert(db.writer(), &probe).await.unwrap();
    }
    (directory, db)
}

/// Stores reports of a probe, with the numbers behind those that it has.
async fn store(db: &StateDb, probe: &str, (from, to): (i64, i64), bytes: usize) {
    let rows = (from..=to).map(|number| monitor_report::ActiveModel {
        probe_id: Set(probe.to_owned()),
        number: Set(number),
        report: Set("x".repeat(bytes)),
    });
    monitor_report::Entity::insert_many(rows)
        .exec_without_returning(db.writer())
        .await
        .unwrap();
    let row = monitor_probe::ActiveModel {
        received: Set(to),
        ..Default::default()
    };
    entities::update(db.writer(), probe, row).await.unwrap();
}

fn key(probe: &str, number: i64) -> ReportKey {
    ReportKey {
        probe: probe.into(),
        number,
    }
}

/// How many reports of each probe were read.
fn count(new: &NewReports, probe: &str) -> usize {
    new.rows.iter().filter(|row| row.probe_id == probe).count()
}

#[tokio::test]
async fn a_probe_with_many_reports_leaves_room_for_the_others() {
    let (_directory, db) = open(&["p", "q"]).await;
    store(&db, "p", (1, 250), 10).await;
    store(&db, "q", (1, 3), 10).await;
    let mut read = [key("p", 0), key("q", 0)];
    let first = load_new(db.writer(), &read).await.unwrap();
    assert_eq!((count(&first, "p"), count(&first, "q")), (100, 3));
    assert!(first.has_more);
    assert_eq!(first.ends, [key("q", 3)]);
    read = [key("p", 200), key("q", 3)];
    let last = load_new(db.writer(), &read).await.unwrap();
    let numbers: Vec<i64> = last.rows.iter().map(|row| row.number).collect();
    assert_eq!(numbers, (201..=250).collect::<Vec<_>>());
    assert!(!last.has_more);
    // Reports that were deleted are not looked for again.
    delete_reports(db.writer(), &[key("p", 250)]).await.unwrap();
    let none = load_new(db.writer(), &[key("p", 249)]).await.unwrap();
    assert!(none.rows.is_empty());
    assert_eq!(none.ends, [key("p", 250)]);
}

#[tokio::test]
async fn large_reports_are_read_in_smaller_handfuls() {
    let (_directory, db) = open(&["p", "q"]).await;
    store(&db, "p", (1, 2), MAX_BYTES / 2).await;
    store(&db, "q", (1, 1), 10).await;
    let read = [key("p", 0), key("q", 0)];
    let new = load_new(db.writer(), &read).await.unwrap();
    assert_eq!((count(&new, "p"), count(&new, "q")), (2, 0));
    assert!(new.has_more);
    let turned = [key("q", 0), key("p", 0)];
    let new = load_new(db.writer(), &turned).await.unwrap();
    assert_eq!(count(&new, "q"), 1);
}
