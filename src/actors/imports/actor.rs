//! The one writer of imports.

use std::{sync::Arc, time::Duration};

use actix::{AsyncContext, Context};
use sea_orm::ActiveValue::Set;
use tokio::{sync::Notify, task::JoinSet};

use super::{
    ApplyImport, BeginFile, CancelImport, CreateImport, Import, ImportsEnv, ImportsError,
    ImportsView, MAX_OPEN, NoteFile, PlanImport, Status,
    env::KEPT,
    ledger::{self, FileProgress},
    live::LiveImports,
    messages::{FailImport, NoteFileId, NotePlan, Tidy},
    repo::{self, Change},
    uploads::Uploads,
    worker::{Notes, Worker},
};
use crate::{
    actors::{
        error::CommonError,
        kit::{Decision, Domain, Live, commit, handlers},
    },
    entities::{self, event_import},
    ids::ImportId,
};

/// How often uploads are looked for that were left alone.
const TIDY: Duration = Duration::from_mins(10);

pub struct Imports {
    env: ImportsEnv,
    view: Arc<ImportsView>,
    /// Wakes the workers.
    due: Arc<[Notify; 2]>,
    /// Tasks of their own: while the actor waits for a change, it polls nothing else, and a worker that was just given the only
    /// connection would keep it from that change.
    workers: JoinSet<()>,
}

impl Domain for Imports {
    const NAME: &'static str = "imports";
    type Env = ImportsEnv;
    type View = ImportsView;

    async fn boot(env: ImportsEnv) -> anyhow::Result<Self> {
        let view = ImportsView {
            db: env.db.clone(),
            uploads: Arc::new(Uploads::new(
                env.options.directory.clone(),
                env.clock.clone(),
            )),
            live: Arc::new(LiveImports::default()),
            max_bytes: env.options.max_bytes,
            node: env.events.node(),
        };
        Ok(Self {
            env,
            view: Arc::new(view),
            due: Arc::default(),
            workers: JoinSet::new(),
        })
    }

    fn view(&self) -> Arc<ImportsView> {
        Arc::clone(&self.view)
    }

    fn started(live: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        if !live.env.options.is_serving {
            return;
        }
        for (at, status) in [Status::Planning, Status::Importing]
            .into_iter()
            .enumerate()
        {
            let worker = Worker {
                env: live.env.clone(),
                view: Arc::clone(&live.view),
                notes: Notes {
                    plan: context.address().recipient(),
                    begin: context.address().recipient(),
                    file_id: context.address().recipient(),
                    file: context.address().recipient(),
                    failure: context.address().recipient(),
                },
                status,
            };
            let due = Arc::clone(&live.due);
            live.workers
                .spawn_local(async move { worker.work(&due[at]).await });
        }
        context.notify(Tidy);
        context.run_interval(TIDY, |_, context| context.notify(Tidy));
    }
}

handlers! { Imports:
    decide CreateImport => create;
    decide PlanImport => plan;
    decide ApplyImport => apply;
    decide CancelImport => cancel;
    decide Tidy => tidy;
    commit BeginFile => begin_file;
    commit NoteFile => note_file;
    commit NoteFileId => note_file_id;
    commit NotePlan => note_plan;
    commit FailImport => fail;
}

/// The reply of a change of one import: the import as it is then.
fn change(
    domain: &mut Imports,
    id: ImportId,
    work: impl AsyncFnOnce(&ImportsEnv, &ImportsView, Import) -> Result<(), ImportsError> + 'static,
) -> Decision<Imports, Import, ImportsError> {
    let (env, view, due) = (
        domain.env.clone(),
        Arc::clone(&domain.view),
        Arc::clone(&domain.due),
    );
    let io = async move {
        let row = repo::find(env.db.writer(), &id).await?;
        let import = view.complete(row).await?;
        work(&env, &view, import).await?;
        let row = repo::find(env.db.writer(), &id).await?;
        view.complete(row).await
    };
    Ok(commit(io, move |_, import| {
        due.iter().for_each(Notify::notify_one);
        import
    }))
}

fn create(domain: &mut Imports, message: CreateImport) -> Decision<Imports, Import, ImportsError> {
    let (env, view) = (domain.env.clone(), Arc::clone(&domain.view));
    let io = async move { insert(&env, &view, message).await };
    Ok(commit(io, |_, import| import))
}

async fn insert(
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

fn plan(domain: &mut Imports, message: PlanImport) -> Decision<Imports, Import, ImportsError> {
    change(domain, message.0, async |env, _, import| {
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
    })
}

fn apply(domain: &mut Imports, message: ApplyImport) -> Decision<Imports, Import, ImportsError> {
    change(domain, message.0, async |env, view, import| {
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
    })
}

fn conflict(id: &ImportId, what: &str, status: Status) -> ImportsError {
    let message = format!("The import is {}: it can't be {what}", status.as_str());
    ImportsError::Conflict(id.clone(), message)
}

fn cancel(domain: &mut Imports, message: CancelImport) -> Decision<Imports, Import, ImportsError> {
    change(domain, message.0, async |env, view, import| {
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
    })
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

async fn begin_file(env: ImportsEnv, message: BeginFile) -> Result<FileProgress, ImportsError> {
    let write = env.db.begin().await?;
    let begun = ledger::begin(&*write, &env.clock, &message.website, message.format).await?;
    write.commit().await?;
    Ok(begun)
}

async fn note_file_id(env: ImportsEnv, message: NoteFileId) -> Result<(), ImportsError> {
    let write = env.db.begin().await?;
    let row = event_import::ActiveModel {
        file_id: Set(Some(message.file)),
        ..Default::default()
    };
    entities::update(&*write, message.id.as_str(), row).await?;
    Ok(write.commit().await?)
}

async fn note_file(env: ImportsEnv, message: NoteFile) -> Result<bool, ImportsError> {
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

async fn note_plan(env: ImportsEnv, message: NotePlan) -> Result<(), ImportsError> {
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

async fn fail(env: ImportsEnv, message: FailImport) -> Result<(), ImportsError> {
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

/// Ends what was left alone, and removes files that belong to no import.
fn tidy(domain: &mut Imports, _: Tidy) -> Decision<Imports, (), ImportsError> {
    let (env, view) = (domain.env.clone(), Arc::clone(&domain.view));
    let io = async move { end_abandoned(&env, &view).await };
    Ok(commit(io, |_, ()| ()))
}

async fn end_abandoned(env: &ImportsEnv, view: &ImportsView) -> Result<(), ImportsError> {
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
