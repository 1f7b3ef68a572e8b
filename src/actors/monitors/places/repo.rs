//! The tables of probes.

use std::collections::HashMap;

use sea_orm::{ActiveValue::Set, QuerySelect as _, prelude::*};

use super::{Probe, ProbeFields, ProbeState};
use crate::{
    actors::digest::Digest,
    clock::from_ms,
    entities::{
        self,
        monitor_probe::{self, ActiveModel, Entity, Model},
    },
    ids::ProbeId,
};

/// Millionths of a degree.
const MICRO: f64 = 1_000_000.0;

/// Every probe. One whose digest is damaged is left out.
pub(in crate::actors::monitors) async fn load_all(
    db: &impl ConnectionTrait,
) -> Result<Vec<(Probe, ProbeState)>, DbErr> {
    let rows = Entity::find().all(db).await?;
    Ok(rows.into_iter().filter_map(read).collect())
}

fn read(row: Model) -> Option<(Probe, ProbeState)> {
    let state = to_state(&row);
    let degrees = |micro: Option<i32>| micro.map(|micro| f64::from(micro) / MICRO);
    let probe = Probe {
        digest: Digest::from_hex(&row.digest)?,
        id: row.id.into(),
        organization: row.organization_id.into(),
        fields: ProbeFields {
            name: row.name,
            country: row.country,
            latitude: degrees(row.latitude),
            longitude: degrees(row.longitude),
        },
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
        revoked_ms: row.revoked_at.map(|at| at.timestamp_millis()),
    };
    Some((probe, state))
}

fn to_state(row: &Model) -> ProbeState {
    ProbeState {
        last_seen_ms: row.last_seen_at.map(|at| at.timestamp_millis()),
        silent_ms: row.silent_since.map(|at| at.timestamp_millis()),
        version: row.version.clone(),
        host: row.host.clone(),
        lost: row.lost.unsigned_abs(),
    }
}

/// What changes with the requests of probes, of all.
pub(in crate::actors::monitors) async fn load_states(
    db: &impl ConnectionTrait,
) -> Result<HashMap<ProbeId, ProbeState>, DbErr> {
    let rows = Entity::find().all(db).await?;
    let states = rows
        .iter()
        .map(|row| (row.id.as_str().into(), to_state(row)));
    Ok(states.collect())
}

fn to_row(probe: &Probe) -> ActiveModel {
    let micro = |degrees: Option<f64>| degrees.map(|degrees| (degrees * MICRO).round() as i32);
    ActiveModel {
        id: Set(probe.id.to_string()),
        organization_id: Set(probe.organization.to_string()),
        name: Set(probe.fields.name.clone()),
        country: Set(probe.fields.country.clone()),
        latitude: Set(micro(probe.fields.latitude)),
        longitude: Set(micro(probe.fields.longitude)),
        digest: Set(probe.digest.to_hex()),
        created_at: Set(from_ms(probe.created_ms)),
        updated_at: Set(from_ms(probe.updated_ms)),
        revoked_at: Set(probe.revoked_ms.map(from_ms)),
        ..Default::default()
    }
}

pub(in crate::actors::monitors) async fn insert(
    db: &impl ConnectionTrait,
    probe: &Probe,
) -> Result<(), DbErr> {
    let row = ActiveModel {
        last_seen_at: Set(None),
        silent_since: Set(None),
        version: Set(None),
        host: Set(None),
        spool: Set(None),
        acknowledged: Set(0),
        received: Set(0),
        lost: Set(0),
        ..to_row(probe)
    };
    entities::insert(db, row).await
}

/// Writes what can be set of a probe; its state stays.
pub(in crate::actors::monitors) async fn update(
    db: &impl ConnectionTrait,
    probe: &Probe,
) -> Result<(), DbErr> {
    entities::update(db, probe.id.as_str(), to_row(probe)).await?;
    Ok(())
}

pub(in crate::actors::monitors) async fn delete(
    db: &impl ConnectionTrait,
    id: &ProbeId,
) -> Result<(), DbErr> {
    entities::delete::<Entity>(db, id.as_str()).await.map(drop)
}

/// Writes since when owners know that a probe does not report.
pub(in crate::actors::monitors) async fn set_silent(
    db: &impl ConnectionTrait,
    id: &ProbeId,
    since_ms: Option<i64>,
) -> Result<(), DbErr> {
    let row = ActiveModel {
        silent_since: Set(since_ms.map(from_ms)),
        ..Default::default()
    };
    entities::update(db, id.as_str(), row).await.map(drop)
}

/// The row of a probe, locked until the transaction ends: its token does not end meanwhile.
pub(super) async fn find(
    db: &impl ConnectionTrait,
    id: &ProbeId,
) -> Result<Option<monitor_probe::Model>, DbErr> {
    let row = Entity::find_by_id(id.as_str()).lock_exclusive();
    row.one(db).await
}
