//! Stored reports for tests.

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

pub(in crate::actors::monitors) fn probe(id: &str) -> Probe {
    Probe {
        id: id.into(),
        organization: "o".into(),
        fields: ProbeFields::default(),
        digest: Digest::from_secret(id),
        created_ms: 0,
        updated_ms: 0,
        revoked_ms: None,
    }
}

/// A database with probes; their organization does not matter here.
pub(in crate::actors::monitors) async fn open(probes: &[&str]) -> (tempfile::TempDir, StateDb) {
    let (directory, db) = temporary().await;
    let unbound = "PRAGMA foreign_keys = OFF";
    db.writer().execute_unprepared(unbound).await.unwrap();
    for id in probes {
        repo::insert(db.writer(), &probe(id)).await.unwrap();
    }
    (directory, db)
}

/// Stores reports of a probe, with the numbers behind those that it has.
pub(in crate::actors::monitors) async fn store(
    db: &StateDb,
    probe: &str,
    (from, to): (i64, i64),
    bytes: usize,
) {
    store_texts(db, probe, (from, to), |_| "x".repeat(bytes)).await;
}

/// The same with a text of each.
pub(in crate::actors::monitors) async fn store_texts(
    db: &StateDb,
    probe: &str,
    (from, to): (i64, i64),
    text: impl Fn(i64) -> String,
) {
    let rows = (from..=to).map(|number| monitor_report::ActiveModel {
        probe_id: Set(probe.to_owned()),
        number: Set(number),
        report: Set(text(number)),
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

pub(in crate::actors::monitors) fn key(probe: &str, number: i64) -> ReportKey {
    ReportKey {
        probe: probe.into(),
        number,
    }
}
