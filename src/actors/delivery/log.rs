//! The log of deliveries, read from storage.

use actix::Message;
use sea_orm::{QueryOrder, QuerySelect, prelude::*};

use super::{DeliveryError, repo};
use crate::{
    clock::from_ms,
    entities::outbox::{COLUMN, Column, Entity},
    store::{StateDb, StateError},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// Its id; receivers of webhooks see it behind `msg_`.
    pub id: String,
    pub key: String,
    /// `waiting`, `delivered`, `dead` or `gone`.
    pub state: String,
    pub attempts: u32,
    /// When it is tried next, Unix milliseconds; only while it waits.
    pub next_ms: Option<i64>,
    /// What the last try that failed came to.
    pub error: Option<String>,
    pub created_ms: i64,
    pub finished_ms: Option<i64>,
}

/// The last deliveries whose keys begin like this, newest first.
pub async fn log(db: &StateDb, prefix: &str, most: u64) -> Result<Vec<DeliveryRecord>, StateError> {
    let rows = Entity::find()
        .filter(repo::has_prefix(prefix))
        .order_by_desc(COLUMN.created_at)
        .order_by_desc(COLUMN.id)
        .limit(most)
        .all(db.reader())
        .await?;
    let logged = rows.into_iter().map(|row| DeliveryRecord {
        next_ms: (row.state == repo::WAITING).then(|| row.next_attempt_at.timestamp_millis()),
        id: row.id,
        key: row.key,
        state: row.state,
        attempts: row.attempts.unsigned_abs(),
        error: row.last_error,
        created_ms: row.created_at.timestamp_millis(),
        finished_ms: row.finished_at.map(|at| at.timestamp_millis()),
    });
    Ok(logged.collect())
}

/// A delivery that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedDelivery {
    pub key: String,
    /// When it was, Unix milliseconds.
    pub at_ms: i64,
    /// Whether the receiver wants nothing any more.
    pub is_gone: bool,
}

/// Deliveries whose keys begin like this and that were given up since a moment (Unix milliseconds).
pub async fn list_failed(
    db: &StateDb,
    prefix: &str,
    since_ms: i64,
) -> Result<Vec<FailedDelivery>, StateError> {
    // Without payloads, which are large and not needed.
    let rows: Vec<(String, String, Option<DateTimeUtc>)> = Entity::find()
        .select_only()
        .columns([Column::Key, Column::State, Column::FinishedAt])
        .filter(COLUMN.state.is_in([repo::DEAD, repo::GONE]))
        .filter(COLUMN.finished_at.gte(from_ms(since_ms)))
        .filter(repo::has_prefix(prefix))
        .into_tuple()
        .all(db.reader())
        .await?;
    let failed = rows.into_iter().filter_map(|(key, state, finished)| {
        Some(FailedDelivery {
            key,
            at_ms: finished?.timestamp_millis(),
            is_gone: state == repo::GONE,
        })
    });
    Ok(failed.collect())
}

/// Deliveries whose keys begin like this and that were put in since a moment: their keys and times (Unix milliseconds).
pub async fn list_created(
    db: &StateDb,
    prefix: &str,
    since_ms: i64,
) -> Result<Vec<(String, i64)>, StateError> {
    let rows: Vec<(String, DateTimeUtc)> = Entity::find()
        .select_only()
        .columns([Column::Key, Column::CreatedAt])
        .filter(COLUMN.created_at.gte(from_ms(since_ms)))
        .filter(repo::has_prefix(prefix))
        .into_tuple()
        .all(db.settled().await?)
        .await?;
    let created = |(key, at): (String, DateTimeUtc)| (key, at.timestamp_millis());
    Ok(rows.into_iter().map(created).collect())
}

/// Has something that ended delivered again, under the same id.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), DeliveryError>")]
pub struct Replay {
    pub id: String,
}
