//! Works on one import at a time.

use std::{sync::Arc, time::Duration};

use actix::{Message, Recipient};
use tokio::sync::Notify;

use super::{
    BeginFile, Import, ImportsEnv, ImportsError, ImportsView, NoteFile, Status,
    ledger::{self, FileProgress},
    messages::{FailImport, NoteFileId, NotePlan},
    repo,
    run::{Run, RunError, Step},
};
use crate::{
    actors::kit::Unavailable,
    entities::event_import,
    events::{
        import::{Prefix, Report},
        store::AppendError,
    },
    ids::ImportId,
};

/// How long it waits when storage failed, and before it looks for what another process was asked for.
const PAUSE: Duration = Duration::from_secs(5);

pub(super) struct Worker {
    pub(super) env: ImportsEnv,
    pub(super) view: Arc<ImportsView>,
    pub(super) notes: Notes,
    /// What it waits for: imports to plan, or to store.
    pub(super) status: Status,
}

/// Where it notes what it has done: the one writer.
pub(super) struct Notes {
    pub(super) plan: Recipient<NotePlan>,
    pub(super) begin: Recipient<BeginFile>,
    pub(super) file_id: Recipient<NoteFileId>,
    pub(super) file: Recipient<NoteFile>,
    pub(super) failure: Recipient<FailImport>,
}

async fn ask<M, T>(writer: &Recipient<M>, message: M) -> Result<T, ImportsError>
where
    M: Message<Result = Result<T, ImportsError>> + Send + 'static,
    T: Send + 'static,
{
    let answer = writer.send(message).await;
    answer.unwrap_or_else(|_| Err(Unavailable::Restarting("imports").into()))
}

/// Why an import did not end.
#[derive(Debug, thiserror::Error)]
enum Stop {
    /// It cannot go on, and says so.
    #[error("{0}")]
    Failed(String),
    /// It goes on later.
    #[error(transparent)]
    Paused(#[from] ImportsError),
    #[error("the store is closing")]
    Closing,
}

impl Worker {
    /// Works for ever; `due` says that there may be something to do.
    pub(super) async fn work(self, due: &Notify) {
        loop {
            match repo::next(self.env.db.writer(), &self.view.node, self.status).await {
                Ok(Some(row)) => self.run(row).await,
                // Of several processes, another one may have been asked.
                Ok(None) if self.env.db.is_shared() => {
                    let _ = tokio::time::timeout(PAUSE, due.notified()).await;
                }
                Ok(None) => due.notified().await,
                Err(error) => {
                    tracing::warn!(%error, "imports cannot be read");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    async fn run(&self, row: event_import::Model) {
        let id = row.id.clone();
        let outcome = async {
            let file = repo::file_of(self.env.db.writer(), &row)
                .await
                .map_err(ImportsError::from)?;
            let import = self.view.complete(row).await?;
            self.view.live.begin(&import.id);
            let outcome = match self.status {
                Status::Planning => self.plan(&import).await,
                _ => self.store(&import, file).await,
            };
            self.view.live.end(&import.id);
            outcome
        };
        let stopped = match outcome.await {
            Ok(()) => return,
            Err(Stop::Failed(failure)) => {
                tracing::info!(import = id, failure, "an import cannot go on");
                self.fail(id.as_str().into(), failure)
                    .await
                    .err()
                    .map(Stop::from)
            }
            Err(stop) => Some(stop),
        };
        if let Some(error) = stopped {
            tracing::warn!(import = id, %error, "an import is paused");
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn fail(&self, id: ImportId, failure: String) -> Result<(), ImportsError> {
        // What could not be read never can be.
        if self.status == Status::Planning {
            self.view.uploads.remove(&id).await?;
        }
        ask(&self.notes.failure, FailImport { id, failure }).await
    }

    async fn plan(&self, import: &Import) -> Result<(), Stop> {
        self.check_digest(import).await?;
        let run = self.prepare(import, FileProgress::dry(), Report::default(), true)?;
        let (id, live) = (&import.id, &self.view.live);
        run.run(async |step: Step| {
            if !live.note(id, step.read) {
                return Ok(false);
            }
            if step.is_last {
                let plan = NotePlan {
                    id: id.clone(),
                    plan: step.report,
                };
                ask(&self.notes.plan, plan).await?;
            }
            Ok(true)
        })
        .await
        .map_err(stop)
    }

    async fn store(&self, import: &Import, file: Option<FileProgress>) -> Result<(), Stop> {
        let file = match file {
            Some(file) => file,
            None => self.find_file(import).await?,
        };
        let report = import.result.clone().unwrap_or_default();
        let run = self.prepare(import, file, report, false)?;
        let (id, live) = (&import.id, &self.view.live);
        run.run(async |step: Step| {
            let note = NoteFile {
                file: step.file,
                is_done: step.is_last,
                import: Some((id.clone(), step.report)),
            };
            let goes_on = ask(&self.notes.file, note).await?;
            Ok(live.note(id, step.read) && goes_on)
        })
        .await
        .map_err(stop)?;
        // With its last words it is done.
        self.view
            .uploads
            .remove(id)
            .await
            .map_err(|error| Stop::Paused(error.into()))
    }

    /// What of the same bytes an earlier import has stored, or nothing yet.
    async fn find_file(&self, import: &Import) -> Result<FileProgress, Stop> {
        let known = ledger::list(&self.env.db, &import.website, import.format).await;
        let known = known.map_err(ImportsError::from)?;
        let path = self.view.uploads.path(&import.id);
        let found = ledger::find(known, path)
            .await
            .map_err(|error| Stop::Failed(error.to_string()))?;
        let file = if let Some(found) = found {
            found
        } else {
            let (website, format) = (import.website.clone(), import.format);
            ask(&self.notes.begin, BeginFile { website, format }).await?
        };
        let note = NoteFileId {
            id: import.id.clone(),
            file: file.id.clone(),
        };
        ask(&self.notes.file_id, note).await?;
        Ok(file)
    }

    fn prepare(
        &self,
        import: &Import,
        file: FileProgress,
        report: Report,
        is_dry: bool,
    ) -> Result<Run, Stop> {
        let website = self
            .env
            .websites
            .view()
            .by_id(import.website.as_str())
            .cloned();
        let website = website.ok_or_else(|| Stop::Failed("The website is gone".to_owned()))?;
        Ok(Run {
            events: self.env.events.clone(),
            profiles: self.env.profiles.clone(),
            clock: self.env.clock.clone(),
            website,
            format: import.format,
            path: self.view.uploads.path(&import.id),
            geo_database: self.env.options.geo_database.clone(),
            file,
            report,
            is_dry,
        })
    }

    /// Whether what was uploaded is the file that was meant.
    async fn check_digest(&self, import: &Import) -> Result<(), Stop> {
        let Some(said) = import.digest.clone() else {
            return Ok(());
        };
        let path = self.view.uploads.path(&import.id);
        let hash = move || {
            let mut whole = Prefix::open(&path)?;
            let length = whole.length();
            whole.digest(length)
        };
        let found = tokio::task::spawn_blocking(hash).await;
        match found {
            Ok(Ok(found)) if found == said => Ok(()),
            Ok(Ok(_)) => Err(Stop::Failed(
                "The upload isn't the file that `digest` belongs to. Upload it again".to_owned(),
            )),
            Ok(Err(error)) => Err(Stop::Failed(error.to_string())),
            Err(error) => Err(Stop::Failed(error.to_string())),
        }
    }
}

fn stop(error: RunError<ImportsError>) -> Stop {
    match error {
        RunError::Step(error) => Stop::Paused(error),
        RunError::Profiles(error) => Stop::Paused(error.into()),
        RunError::Store(AppendError::Closed(_)) => Stop::Closing,
        RunError::Store(AppendError::DiskFull) => Stop::Failed(
            "The server's disk is nearly full. Make room and import again: it resumes".to_owned(),
        ),
        RunError::Store(AppendError::Remote) => Stop::Failed(
            "ClickHouse doesn't take events. Import again when it does: it resumes".to_owned(),
        ),
        RunError::Refused(fault) => Stop::Failed(fault.message.to_string()),
        other => Stop::Failed(other.to_string()),
    }
}
