//! From one status of an import to the next: created, planned, stored, cancelled, left alone.

use super::{
    CreateImport, Import, ImportsEnv, ImportsError, ImportsView, MAX_OPEN, Status,
    env::KEPT,
    repo::{self, Change},
};
use crate::{
    actors::error::CommonError,
    entities::{self, event_import},
    ids::ImportId,
};

/// Begins an import.
pub(super) async fn insert(
    env: &ImportsEnv,
    view: &ImportsView,
    message: CreateImport,
) -> Result<Import, ImportsError> {
    let most = env.options.max_bytes;
    if message.size.is_some_and(|size| size > most) {
        let message = format!("The file may have at most {most} bytes");
        return Err(ImportsError::TooLarge(message));
    }
    if !env.events.is_writable() {
        return Err(ImportsError::DiskFull);
    }
    end_abandoned(env, view).await?;
    let id = ImportId::new();
    let size = message.size.and_then(|size| i64::try_from(size).ok());
    let row = event_import::Model {
        id: id.to_string(),
        website_id: message.website.to_string(),
        format: message.format.name().to_owned(),
        filename: message.filename,
        size,
        digest: message.digest,
        status: Status::Uploading.as_str().to_owned(),
        node: view.node.clone(),
        file_id: None,
        plan: None,
        result: None,
        failure: None,
        created_by: message.created_by.map(String::from),
        created_at: env.clock.now(),
        updated_at: env.clock.now(),
        finished_at: None,
    };
    let write = env.db.begin().await?;
    if repo::count(&*write, message.website.as_str(), &Status::OPEN).await? >= MAX_OPEN {
        return Err(CommonError::refused(format!(
            "{MAX_OPEN} imports of this website haven't ended. Cancel some first."
        ))
        .into());
    }
    entities::insert(&*write, event_import::ActiveModel::from(row.clone())).await?;
    // A file without a row is removed later.
    view.uploads.create(&id).await?;
    write.commit().await?;
    view.complete(row).await
}

pub(super) async fn plan(
    env: &ImportsEnv,
    _: &ImportsView,
    import: Import,
) -> Result<(), ImportsError> {
    let id = &import.id;
    match import.status {
        // Planned again, or being planned: the file is the same.
        Status::Planned | Status::Planning => return Ok(()),
        Status::Uploading => {}
        other => return Err(conflict(id, "planned", other)),
    }
    if import.size.is_some_and(|size| size != import.uploaded) {
        let message = format!(
            "{} of {} bytes are uploaded. Upload the rest first",
            import.uploaded,
            import.size.unwrap_or_default()
        );
        return Err(ImportsError::Conflict(id.clone(), message));
    }
    let change = Change {
        size: Some(import.uploaded),
        ..Change::default()
    };
    let write = env.db.begin().await?;
    repo::set_status(&*write, &env.clock, id, (Status::Planning, change)).await?;
    Ok(write.commit().await?)
}

pub(super) async fn apply(
    env: &ImportsEnv,
    view: &ImportsView,
    import: Import,
) -> Result<(), ImportsError> {
    let id = &import.id;
    match import.status {
        Status::Importing | Status::Done => return Ok(()),
        Status::Planned => {}
        Status::Failed if import.plan.is_some() => {}
        other => return Err(conflict(id, "stored", other)),
    }
    if import.status == Status::Failed && view.uploads.length(id).await != import.uploaded {
        let message = "The upload isn't kept any more. Upload the file again".to_owned();
        return Err(ImportsError::Conflict(id.clone(), message));
    }
    let write = env.db.begin().await?;
    let website = import.website.as_str();
    if repo::count(&*write, website, &[Status::Importing]).await? > 0 {
        let message =
            "Another file is being imported into this website. Wait for its end, or cancel it"
                .to_owned();
        return Err(ImportsError::Conflict(id.clone(), message));
    }
    let next = (Status::Importing, Change::default());
    repo::set_status(&*write, &env.clock, id, next).await?;
    Ok(write.commit().await?)
}

fn conflict(id: &ImportId, what: &str, status: Status) -> ImportsError {
    let message = format!("The import is {}: it can't be {what}", status.as_str());
    ImportsError::Conflict(id.clone(), message)
}

pub(super) async fn cancel(
    env: &ImportsEnv,
    view: &ImportsView,
    import: Import,
) -> Result<(), ImportsError> {
    match import.status {
        Status::Cancelled => return Ok(()),
        Status::Done => return Err(conflict(&import.id, "cancelled", import.status)),
        _ => {}
    }
    end(
        env,
        view,
        &import.id,
        (Status::Cancelled, Change::default()),
    )
    .await
}

/// Ends an import: its file goes.
async fn end(
    env: &ImportsEnv,
    view: &ImportsView,
    id: &ImportId,
    status: (Status, Change),
) -> Result<(), ImportsError> {
    let write = env.db.begin().await?;
    repo::set_status(&*write, &env.clock, id, status).await?;
    write.commit().await?;
    view.live.cancel(id);
    Ok(view.uploads.remove(id).await?)
}

/// Ends what was left alone, and removes files that belong to no import.
pub(super) async fn end_abandoned(
    env: &ImportsEnv,
    view: &ImportsView,
) -> Result<(), ImportsError> {
    let mut files = view.uploads.list().await?;
    let kept_ms = KEPT.as_millis() as i64;
    for row in repo::with_files(env.db.writer(), &view.node).await? {
        let id = ImportId::from(row.id.clone());
        files.remove(&id);
        let written = view.uploads.written_ms(&id).await;
        let touched = row
            .updated_at
            .timestamp_millis()
            .max(written.unwrap_or_default());
        let status = Status::parse(&row.status);
        let is_left = touched + kept_ms < env.clock.now_ms();
        match status {
            Some(Status::Uploading | Status::Planned) if is_left => {
                tracing::info!(import = %id, "an import was left alone for a day and is cancelled");
                end(env, view, &id, (Status::Cancelled, Change::default())).await?;
            }
            Some(Status::Failed) if is_left => view.uploads.remove(&id).await?,
            _ => {}
        }
    }
    for id in files {
        view.uploads.remove(&id).await?;
    }
    Ok(())
}
