//! The shipper sends the log to ClickHouse, every row once.
//!
//! The log is cut into generations as for seals. A closed generation is one batch, a range of the log that [`journal`] records
//! before it is sent. When ClickHouse has it, the journal says so, and the log may go. The loop is in `thread.rs`.

mod claims;
pub mod journal;
#[cfg(test)]
mod order_tests;
mod send;
pub(super) mod thread;

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread::JoinHandle,
    time::Duration,
};

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

pub use self::claims::Claims;
use crate::events::{clickhouse::ClickHouse, log::Lsn, threads};

/// The ClickHouse that holds the events of a store, and how to ship to it.
#[derive(Debug, Clone)]
pub struct Remote {
    pub engine: ClickHouse,
    /// Whether its tables are known to have the current schema.
    pub is_ready: bool,
    /// Whether a request is answered only after ClickHouse has its events (`ingest.ack`).
    pub ack: bool,
    pub pace: Pace,
    /// Decides which node stores the event of an id; `None` = every node stores its own.
    pub claims: Option<Arc<dyn Claims>>,
}

/// When batches are sent.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// How long events are gathered for a batch.
    pub every: Duration,
    /// How long they are gathered when a request waits for them.
    pub least: Duration,
    /// Pause after a failure; doubles with every further one.
    pub first_pause: Duration,
    pub longest_pause: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            every: Duration::from_millis(500),
            least: Duration::from_millis(50),
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(15),
        }
    }
}

/// How far the shipper is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// ClickHouse has the log up to here.
    pub cursor: Lsn,
    /// Whether the tables have the current schema.
    pub is_ready: bool,
    /// Why nothing is sent at the moment.
    pub trouble: Option<String>,
}

#[derive(Debug, Default)]
pub struct ShipperMetrics {
    /// Batches, and events, that ClickHouse has.
    pub batches: AtomicU64,
    pub events: AtomicU64,
    /// Attempts that failed.
    pub retries: AtomicU64,
    /// Events that ClickHouse refused for their content; they are in `spool/quarantine`.
    pub quarantined: AtomicU64,
    /// Events that were left out because another node stores them.
    pub elsewhere: AtomicU64,
    /// Events that were sent without an answer of [`Claims`].
    pub unclaimed: AtomicU64,
}

/// The shipper of a store, as the store sees it.
#[derive(Debug)]
pub(super) struct Shipper {
    pub(super) remote: Remote,
    pub(super) data_dir: PathBuf,
    pub(super) node: String,
    pub(super) progress: watch::Sender<Progress>,
    pub(super) metrics: ShipperMetrics,
    /// Wakes the thread early when a request waits.
    pub(super) waiting: Notify,
    pub(super) stopping: CancellationToken,
    pub(super) thread: Mutex<Option<JoinHandle<()>>>,
    /// The log up to here was written before this start; whose rows it holds is unknown.
    pub(super) recovered: Lsn,
}

impl Shipper {
    pub(super) fn new(
        remote: Remote,
        data_dir: PathBuf,
        node: String,
        (cursor, recovered): (Lsn, Lsn),
    ) -> Self {
        let progress = Progress {
            cursor,
            is_ready: remote.is_ready,
            ..Progress::default()
        };
        Self {
            remote,
            data_dir,
            node,
            progress: watch::Sender::new(progress),
            metrics: ShipperMetrics::default(),
            waiting: Notify::new(),
            stopping: CancellationToken::new(),
            thread: Mutex::default(),
            recovered,
        }
    }

    /// Waits until ClickHouse has the log up to a position. Returns whether it does within `patience`.
    pub(super) async fn wait_for(&self, lsn: Lsn, patience: Duration) -> bool {
        let mut progress = self.progress.subscribe();
        if progress.borrow().cursor >= lsn {
            return true;
        }
        self.waiting.notify_one();
        let there = progress.wait_for(|progress| progress.cursor >= lsn);
        matches!(tokio::time::timeout(patience, there).await, Ok(Ok(_)))
    }

    /// Waits until the tables have the current schema, or there is trouble.
    ///
    /// # Errors
    /// Why they do not have it within `patience`.
    pub(super) async fn wait_for_tables(&self, patience: Duration) -> Result<(), String> {
        let mut progress = self.progress.subscribe();
        let known = |progress: &Progress| progress.is_ready || progress.trouble.is_some();
        let _ = tokio::time::timeout(patience, progress.wait_for(known)).await;
        if self.progress.borrow().is_ready {
            return Ok(());
        }
        let trouble = self.trouble();
        Err(trouble.unwrap_or_else(|| "its tables are being made".to_owned()))
    }

    /// Why nothing is sent at the moment.
    pub(super) fn trouble(&self) -> Option<String> {
        self.progress.borrow().trouble.clone()
    }

    pub(super) fn note_failure(&self, error: String) {
        self.metrics.retries.fetch_add(1, Relaxed);
        self.progress
            .send_modify(|progress| progress.trouble = Some(error));
    }

    /// Stops the thread. The next start finds unfinished work in the log.
    pub(super) fn stop(&self) {
        self.stopping.cancel();
        threads::join(&self.thread, "the shipper");
    }
}
