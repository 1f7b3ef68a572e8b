//! What workers have done, as it is noted.

use sea_orm::ActiveValue::Set;

use super::{
    BeginFile, ImportsEnv, ImportsError, NoteFile, Status,
    ledger::{self, FileProgress},
    messages::{FailImport, NoteFileId, NotePlan},
    repo::{self, Change},
};
use crate::entities::{self, event_import};

pub(super) async fn begin_file(
    env: ImportsEnv,
    message: BeginFile,
) -> Result<FileProgress, ImportsError> {
    let write = env.db.begin().await?;
    let begun = ledger::begin(&*write, &env.clock, &message.website, message.format).await?;
    write.commit().await?;
    Ok(begun)
}

pub(super) async fn note_file_id(env: ImportsEnv, message: NoteFileId) -> Result<(), ImportsError> {
    let write = env.db.begin().await?;
    let row = event_import::ActiveModel {
        file_id: Set(Some(message.file)),
        ..Default::default()
    };
    entities::update(&*write, message.id.as_str(), row).await?;
    Ok(write.commit().await?)
}

pub(super) async fn note_file(env: ImportsEnv, message: NoteFile) -> Result<bool, ImportsError> {
    let write = env.db.begin().await?;
    ledger::note(&*write, &env.clock, &message.file, message.is_done).await?;
    let mut is_open = true;
    if let Some((id, report)) = &message.import {
        let row = repo::find(&*write, id).await?;
        // What was cancelled meanwhile stays so; what was stored is noted.
        is_open = row.status == Status::Importing.as_str();
        let status = match Status::parse(&row.status) {
            _ if is_open && message.is_done => Status::Done,
            Some(status) => status,
            None => Status::Importing,
        };
        let change = Change {
            result: Some(repo::to_json(report)?),
            ..Change::default()
        };
        repo::set_status(&*write, &env.clock, id, (status, change)).await?;
    }
    write.commit().await?;
    if message.is_done {
        env.db.forget().await?;
    }
    Ok(is_open)
}

pub(super) async fn note_plan(env: ImportsEnv, message: NotePlan) -> Result<(), ImportsError> {
    let write = env.db.begin().await?;
    let row = repo::find(&*write, &message.id).await?;
    if row.status == Status::Planning.as_str() {
        let change = Change {
            plan: Some(repo::to_json(&message.plan)?),
            ..Change::default()
        };
        repo::set_status(&*write, &env.clock, &message.id, (Status::Planned, change)).await?;
    }
    Ok(write.commit().await?)
}

pub(super) async fn fail(env: ImportsEnv, message: FailImport) -> Result<(), ImportsError> {
    let write = env.db.begin().await?;
    let row = repo::find(&*write, &message.id).await?;
    let working = [Status::Planning, Status::Importing].map(Status::as_str);
    if working.contains(&row.status.as_str()) {
        let change = Change {
            failure: Some(message.failure),
            ..Change::default()
        };
        repo::set_status(&*write, &env.clock, &message.id, (Status::Failed, change)).await?;
    }
    Ok(write.commit().await?)
}
