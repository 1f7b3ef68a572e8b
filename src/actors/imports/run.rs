//! Stores the events of a file, chunk by chunk: what a command without the server and the worker of one do.
//!
//! A thread reads the file and waits when it is a chunk ahead, so memory is bounded. A chunk is durable before it is noted. One
//! that was stored and not noted is sent again with the same ids of events, and recognized.

use std::{io, path::PathBuf, sync::Arc, thread, time::Duration};

use tokio::sync::{mpsc, oneshot};

use super::{ledger::FileProgress, people::People};
use crate::{
    access::{IngestAccess, authorize},
    actors::{
        kit::Handle,
        profiles::{ProfileError, Profiles},
        websites::Website,
    },
    clock::Clock,
    events::{
        accept::Target,
        enrich::{self, EnrichError, Enricher},
        import::{self, Chunk, Format, Reading, Report, yield_to_requests},
        store::{Accepted, AppendError, EventStore},
    },
    fault::Fault,
};

/// How long storing waits when the store is behind.
const CATCH_UP: Duration = Duration::from_millis(50);

/// A file on its way into a website.
pub struct Run {
    pub events: EventStore,
    pub profiles: Handle<Profiles>,
    pub clock: Clock,
    pub website: Arc<Website>,
    pub format: Format,
    pub path: PathBuf,
    pub geo_database: Option<PathBuf>,
    /// What of the file is done.
    pub file: FileProgress,
    /// What that came to, of this import alone.
    pub report: Report,
    /// Whether nothing is stored.
    pub is_dry: bool,
}

/// A part of the file is durable, or was looked at.
#[derive(Debug)]
pub struct Step {
    pub file: FileProgress,
    pub report: Report,
    /// Bytes of the file that were read.
    pub read: u64,
    /// Whether the file ends here.
    pub is_last: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum RunError<E> {
    /// The file cannot be read, or is of another format.
    #[error(transparent)]
    File(#[from] io::Error),
    #[error(transparent)]
    Store(#[from] AppendError),
    #[error(transparent)]
    Profiles(#[from] ProfileError),
    #[error(transparent)]
    Geo(#[from] EnrichError),
    #[error("the website cannot be written")]
    Refused(Fault),
    /// A step could not be noted.
    #[error(transparent)]
    Step(E),
}

impl Run {
    /// Runs to the end of the file, or until a step says that it goes on no more.
    ///
    /// # Errors
    /// What was stored until then stays.
    pub async fn run<E>(
        mut self,
        mut step: impl AsyncFnMut(Step) -> Result<bool, E>,
    ) -> Result<(), RunError<E>> {
        let salt = self.file.salt;
        let options = enrich::Options {
            geo_database: self.geo_database.clone(),
        };
        let enricher = Enricher::open(&options, Arc::new(move |_| Some(salt)))?;
        enricher.ready().await;
        let site = self.website.site();
        let access = authorize::ingest_with_client_id(self.website.id.as_str(), Some(&site));
        let access = access.map_err(RunError::Refused)?;
        let (mut chunks, end) = self.start_reading(access, enricher)?;
        let (before, counted) = (self.file.events, self.report.events);
        let mut people = People::new(self.profiles.clone(), access);
        while let Some(chunk) = chunks.recv().await {
            if !self.is_dry {
                people.name(chunk.people).await?;
                append(&self.events, chunk.events).await?;
            }
            (self.file.position, self.file.digest) = (chunk.done, chunk.digest);
            self.file.events = before + (chunk.report.events - counted);
            let next = Step {
                file: self.file.clone(),
                report: chunk.report,
                read: chunk.read,
                is_last: chunk.is_last,
            };
            if !step(next).await.map_err(RunError::Step)? {
                return Ok(());
            }
        }
        end.await
            .unwrap_or_else(|_| Err(io::Error::other("the file could not be read to its end")))?;
        Ok(())
    }

    /// Chunks from a thread of their own, and how it ends.
    fn start_reading(
        &mut self,
        access: IngestAccess,
        enricher: Enricher,
    ) -> io::Result<(mpsc::Receiver<Chunk>, oneshot::Receiver<io::Result<()>>)> {
        let (sender, chunks) = mpsc::channel(1);
        let (ended, end) = oneshot::channel();
        let (website, path, format) = (Arc::clone(&self.website), self.path.clone(), self.format);
        let (id, position, now) = (
            self.file.id.clone(),
            self.file.position,
            self.clock.now_ms(),
        );
        let report = self.report.clone();
        let read = move || {
            yield_to_requests();
            let import = import::Import {
                id: &id,
                target: Target {
                    access,
                    domain: &website.domain,
                    bots: website.settings.bots(),
                },
                enricher: &enricher,
                now,
            };
            let reading = Reading {
                format,
                path: &path,
                position,
                report,
            };
            let outcome = reading.run(&import, |chunk| sender.blocking_send(chunk).is_ok());
            // The channel ends after the outcome is known.
            let _ = ended.send(outcome);
            drop(sender);
        };
        thread::Builder::new()
            .name("import".to_owned())
            .spawn(read)?;
        Ok((chunks, end))
    }
}

/// Appends a chunk. While the store is behind with sealing it waits, so that there is room for requests.
async fn append(events: &EventStore, chunk: Vec<Accepted>) -> Result<(), AppendError> {
    if chunk.is_empty() {
        return Ok(());
    }
    loop {
        if !events.is_behind() {
            match events.append(chunk.clone()).await {
                Ok(_) => return Ok(()),
                Err(AppendError::Overloaded | AppendError::Descriptors) => {}
                Err(error) => return Err(error),
            }
        }
        tokio::time::sleep(CATCH_UP).await;
    }
}
