//! The table `event_imports`.

use sea_orm::{
    ActiveValue::Set, ConnectionTrait, PaginatorTrait as _, QueryOrder as _, QuerySelect as _,
    prelude::*,
};
use serde::{Serialize, de::DeserializeOwned};

use super::{Import, ImportsError, MAX_LISTED, Status, ledger};
use crate::{
    actors::error::CommonError,
    clock::Clock,
    entities::{self, event_import, import},
    events::import::Format,
    ids::{ImportId, WebsiteId},
};

/// Of a website, newest first.
pub(super) async fn list(
    db: &impl ConnectionTrait,
    website: &WebsiteId,
) -> Result<Vec<event_import::Model>, DbErr> {
    event_import::Entity::within(website)
        .order_by_desc(event_import::COLUMN.created_at)
        .order_by_desc(event_import::COLUMN.id)
        .limit(MAX_LISTED)
        .all(db)
        .await
}

pub(super) async fn find(
    db: &impl ConnectionTrait,
    id: &ImportId,
) -> Result<event_import::Model, ImportsError> {
    let row = event_import::Entity::find_by_id(id.to_string())
        .one(db)
        .await?;
    row.ok_or_else(|| ImportsError::NotFound(id.clone()))
}

/// How many imports of a website have one of these statuses.
pub(super) async fn count(
    db: &impl ConnectionTrait,
    website: &str,
    statuses: &[Status],
) -> Result<u64, DbErr> {
    let statuses = statuses.iter().map(|status| status.as_str());
    event_import::Entity::within(&WebsiteId::from(website))
        .filter(event_import::COLUMN.status.is_in(statuses))
        .count(db)
        .await
}

/// What has waited longest for this node's worker.
pub(super) async fn next(
    db: &impl ConnectionTrait,
    node: &str,
    status: Status,
) -> Result<Option<event_import::Model>, DbErr> {
    event_import::Entity::find()
        .filter(event_import::COLUMN.node.eq(node))
        .filter(event_import::COLUMN.status.eq(status.as_str()))
        .order_by_asc(event_import::COLUMN.updated_at)
        .order_by_asc(event_import::COLUMN.id)
        .one(db)
        .await
}

/// Those of this node that have a file or could.
pub(super) async fn with_files(
    db: &impl ConnectionTrait,
    node: &str,
) -> Result<Vec<event_import::Model>, DbErr> {
    let statuses = Status::OPEN.into_iter().chain([Status::Failed]);
    event_import::Entity::find()
        .filter(event_import::COLUMN.node.eq(node))
        .filter(
            event_import::COLUMN
                .status
                .is_in(statuses.map(Status::as_str)),
        )
        .all(db)
        .await
}

/// Events of the file that were stored before this import.
pub(super) async fn stored(
    db: &impl ConnectionTrait,
    row: &event_import::Model,
) -> Result<u64, DbErr> {
    let Some(file) = &row.file_id else {
        return Ok(0);
    };
    let file = import::Entity::find_by_id(file.clone()).one(db).await?;
    Ok(file.map_or(0, |file| u64::try_from(file.events).unwrap_or_default()))
}

/// The file that an import stores.
pub(super) async fn file_of(
    db: &impl ConnectionTrait,
    row: &event_import::Model,
) -> Result<Option<ledger::FileProgress>, CommonError> {
    let Some(file) = &row.file_id else {
        return Ok(None);
    };
    let file = import::Entity::find_by_id(file.clone()).one(db).await?;
    file.map(ledger::read).transpose()
}

/// Columns that are set together with the status.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub(super) size: Option<u64>,
    pub(super) plan: Option<String>,
    pub(super) result: Option<String>,
    pub(super) failure: Option<String>,
}

/// Brings an import to a status.
pub(super) async fn set_status(
    db: &impl ConnectionTrait,
    clock: &Clock,
    id: &ImportId,
    (status, change): (Status, Change),
) -> Result<(), DbErr> {
    let is_open = Status::OPEN.contains(&status);
    let mut row = event_import::ActiveModel {
        status: Set(status.as_str().to_owned()),
        updated_at: Set(clock.now()),
        failure: Set(change.failure),
        finished_at: Set((!is_open).then(|| clock.now())),
        ..Default::default()
    };
    if let Some(size) = change.size {
        row.size = Set(Some(i64::try_from(size).unwrap_or(i64::MAX)));
    }
    if change.plan.is_some() {
        row.plan = Set(change.plan);
    }
    if change.result.is_some() {
        row.result = Set(change.result);
    }
    entities::update(db, id.as_str(), row).await.map(drop)
}

pub(super) fn to_json(value: &impl Serialize) -> Result<String, DbErr> {
    serde_json::to_string(value).map_err(|error| DbErr::Json(error.to_string()))
}

fn from_json<T: DeserializeOwned>(
    id: &str,
    text: Option<String>,
) -> Result<Option<T>, CommonError> {
    let read = text.map(|text| serde_json::from_str(&text)).transpose();
    read.map_err(|error| CommonError::damaged("import", id, error))
}

/// An import as it is stored; its file and its worker know the rest.
pub(super) fn import(row: event_import::Model) -> Result<Import, CommonError> {
    let id = row.id;
    let damaged = |what: &str| CommonError::damaged("import", &id, format!("unknown {what}"));
    Ok(Import {
        website: row.website_id.into(),
        format: Format::find(&row.format).ok_or_else(|| damaged("format"))?,
        filename: row.filename,
        size: row.size.and_then(|size| u64::try_from(size).ok()),
        digest: row.digest,
        status: Status::parse(&row.status).ok_or_else(|| damaged("status"))?,
        uploaded: 0,
        read: 0,
        plan: from_json(&id, row.plan)?,
        result: from_json(&id, row.result)?,
        earlier: 0,
        failure: row.failure,
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
        finished_ms: row.finished_at.map(|at| at.timestamp_millis()),
        id: id.into(),
    })
}
