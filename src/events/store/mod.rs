//! The event store's face: append events durably, run statements over them, seal and compact.
//!
//! [`open`](EventStore::open) reads the spool back and starts the threads, `upkeep` turns the tail into segments.

mod compatibility;
mod delete;
mod mend;
mod open;
mod options;
mod query;
mod remote;
mod replay;
mod result_cache;

mod scrub;
pub mod shipper;
#[cfg(test)]
mod tests;
mod upkeep;
mod warnings;
mod worker;

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicI64, AtomicU64, Ordering},
        mpsc::Sender,
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use bytes::Bytes;
use tokio::sync::{Notify, Semaphore, oneshot};

pub use super::spool::outcome::{AppendError, Appended};
pub use delete::Expired;
pub use mend::Findings;
pub use options::Options;
pub use remote::Shipped;
pub use upkeep::{Merged, Sealed};

use self::{remote::Engine, result_cache::ResultCache, worker::Workers};
use super::{
    answer_budget::AnswerBudget,
    dedup::{self, index::DedupIndex},
    disk::{Disk, Room},
    event::{Event, Trust},
    ledger::Outcome,
    record,
    segments::journal::Journal,
    snapshot::{Current, Snapshot},
    spool::writer::{Command, Health, Submission},
    tenant_limiter::TenantLimiter,
    threads,
};
use crate::{
    clock::Clock,
    events::{log::frame::Record, tenant::Tenant},
    spans::{Span, Work},
};

/// Bytes of a usual event in the log.
const USUAL_BYTES: usize = 512;
/// Memory that waiting requests may hold, in KiB.
const WAITING_KIB: usize = 64 << 10;
/// How long a request waits for a share of it.
const PATIENCE: Duration = Duration::from_millis(250);

/// An event on its way into the store.
#[derive(Debug, Clone)]
pub struct Accepted {
    pub event: Event,
    /// The client's id for it; a second event with the same id in the same website is not stored again.
    pub event_id: Option<String>,
}

/// Statements about one target that run at a time.
const EACH: usize = 8;

/// Handle to the event store; cheap to clone.
#[derive(Clone)]
pub struct EventStore(Arc<Inner>);

struct Inner {
    options: Options,
    segments: PathBuf,
    clock: Clock,
    /// The data directory's own copy of the manifest; `None` where ClickHouse holds the rows.
    journal: Mutex<Option<Journal>>,
    /// When events were last erased, Unix ms: what was replaced until then may hold them, and goes.
    erased: AtomicI64,
    /// Files that no manifest names, as of the last check.
    strays: AtomicU64,
    index: DedupIndex,
    node: [u8; 16],
    secret: [u8; 32],
    /// Whether an earlier program wrote keys that do not distinguish trust.
    has_untold: bool,
    commands: Sender<Command>,
    waiting: Arc<Semaphore>,
    current: Arc<Current>,
    seal_due: Arc<Notify>,
    merge_due: Notify,
    mend_due: Notify,
    health: Arc<Health>,
    engine: Engine,
    result_cache: ResultCache,
    /// Whose statement lacked memory has this while it is asked again.
    memory_turn: Mutex<()>,
    /// Of the websites, links and monitors of a tenant, and of all that it has together.
    limiter: TenantLimiter<(Tenant, Option<i64>)>,
    answers: AnswerBudget,
    workers: Workers,
    backlog: u64,
    /// Set when upkeep has to end; until when that is waited for.
    stopping: OnceLock<Instant>,
    disk: Arc<Disk>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl EventStore {
    /// Writes the events of one request durably, all or none, and answers once they are synced and visible.
    pub async fn append(&self, events: Vec<Accepted>) -> Result<Appended, AppendError> {
        let Some(received) = events.first().map(|first| first.event.received) else {
            return Ok(Appended::default());
        };
        let records = self.encode(&events)?;
        // Many requests wait at a time, and events are large.
        drop(events);
        if self.0.current.unsealed_bytes() > self.0.backlog {
            return Err(AppendError::Overloaded);
        }
        let bytes: usize = records.iter().map(|record| record.event.len() + 32).sum();
        let share = (bytes / 1024 + 1).min(WAITING_KIB) as u32;
        let permit = tokio::time::timeout(
            PATIENCE,
            Arc::clone(&self.0.waiting).acquire_many_owned(share),
        )
        .await
        .map_err(|_| AppendError::Overloaded)?
        .map_err(|_| closing())?;
        let (reply, answer) = oneshot::channel();
        let submission = Submission {
            received,
            records,
            reply,
            permit,
        };
        self.0
            .commands
            .send(Command::Append(submission))
            .map_err(|_| closing())?;
        let span = Span::begin("append", Work::Internal);
        let stored = async { answer.await.map_err(|_| closing())? };
        span.over(stored).await
    }

    /// Counts something that was sent and is not stored; it is durable within about a second.
    pub fn count(&self, outcome: &Outcome<'_>) {
        if self.0.health.ledger.add(outcome) {
            // A closed store counts no more.
            let _ = self.0.commands.send(Command::Counter(None));
        }
    }

    /// Makes everything that was counted until now durable and visible.
    pub async fn settle(&self) {
        let (reply, written) = oneshot::channel();
        if self.0.commands.send(Command::Counter(Some(reply))).is_ok() {
            let _ = written.await;
        }
    }

    fn encode(&self, events: &[Accepted]) -> Result<Vec<Record>, AppendError> {
        let mut encoded = Vec::with_capacity(events.len() * USUAL_BYTES);
        let mut ends = Vec::with_capacity(events.len());
        for Accepted { event, .. } in events {
            encoded = record::encode(event, encoded)
                .map_err(|error| AppendError::Closed(error.to_string()))?;
            ends.push(encoded.len());
        }
        let encoded = Bytes::from(encoded);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let records = events.iter().zip(starts.zip(&ends));
        let records = records.map(|(Accepted { event, event_id }, (start, end))| {
            let id = event_id.as_deref().filter(|id| !id.is_empty());
            let key = |trust| {
                let (organization, website) = (event.organization, event.website);
                id.map(|id| dedup::key(&self.0.secret, trust, organization, website, id))
            };
            let is_told = event.trust == Trust::Client || !self.0.has_untold;
            Record {
                key: key(event.trust),
                untold: if is_told { None } else { key(Trust::Client) },
                event: encoded.slice(start..*end),
            }
        });
        Ok(records.collect())
    }

    /// What a query would see now.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.0.current.load()
    }

    pub fn node(&self) -> String {
        uuid::Uuid::from_bytes(self.0.node).to_string()
    }

    /// What is known of the log.
    pub fn health(&self) -> &Health {
        &self.0.health
    }

    /// Whether the log can be written, as far as is known.
    pub fn is_writable(&self) -> bool {
        !self.0.health.closed.load(Ordering::Relaxed) && self.0.disk.room() == Room::Enough
    }

    /// What the duplicate check knows and costs.
    pub fn dedup(&self) -> dedup::DedupStats {
        self.0.index.figures()
    }

    pub fn disk(&self) -> &Disk {
        &self.0.disk
    }

    /// Resolves when the log was closed because the disk refused a second file as well.
    pub async fn broken(&self) {
        self.0.health.broken.notified().await;
    }

    /// When the oldest unsealed event was received, Unix ms.
    pub fn oldest_unsealed(&self) -> Option<i64> {
        self.snapshot()
            .generations
            .iter()
            .filter_map(|generation| generation.oldest())
            .min()
    }

    /// Bytes that no segment holds yet.
    pub fn unsealed_bytes(&self) -> u64 {
        self.0.current.unsealed_bytes()
    }

    /// Whether so much is unsealed that what can wait should, to leave room for requests.
    pub fn is_behind(&self) -> bool {
        self.0.current.unsealed_bytes() > self.0.backlog / 2
    }

    /// Finishes what is queued and ends the spool thread and all upkeep. Later appends are refused.
    pub fn close(&self) {
        self.stop_upkeep(Instant::now() + upkeep::LAST);
        if let Some(shipper) = self.shipper() {
            shipper.stop();
        }
        let _ = self.0.commands.send(Command::Stop);
        threads::join(&self.0.thread, "the spool thread");
        // Seals wait for the keeper of keys.
        self.finish_upkeep();
        self.0.index.stop();
    }
}

fn closing() -> AppendError {
    AppendError::Closed("the store is closing".into())
}
