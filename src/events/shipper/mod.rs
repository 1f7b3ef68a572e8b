//! The shipper: from the log to ClickHouse, every row once.
//!
//! The log is cut into generations as for seals; each closed generation is one batch, a stretch of the log that [`journal`]
//! remembers before it is sent for the first time. What ClickHouse has is confirmed there, then the log may go. The loop is
//! the store's (`store/ship/`); this is what it works with.

mod claims;
pub mod journal;
pub(in crate::events) mod send;

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread::JoinHandle,
    time::Duration,
};

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

pub use self::claims::Claims;
use super::clickhouse::ClickHouse;
use crate::events::log::Lsn;

/// A ClickHouse that holds the events of a store.
#[derive(Debug, Clone)]
pub struct Remote {
    pub engine: ClickHouse,
    /// Whether its tables are known to be what they have to be.
    pub is_ready: bool,
    /// Whether requests are answered only when it has them (`ingest.ack`).
    pub ack: bool,
    /// When they go.
    pub pace: Pace,
    /// Who says which node stores the event of an id; `None` = every node by itself.
    pub claims: Option<Arc<dyn Claims>>,
}

/// When batches are sent.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// How long events wait for others when nobody waits for them.
    pub every: Duration,
    /// How long they wait when somebody does.
    pub least: Duration,
    /// How long after a failure it is tried again; doubles with every further one.
    pub first_pause: Duration,
    /// The longest such pause.
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

/// How far it has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// ClickHouse has the log up to here.
    pub cursor: Lsn,
    /// Whether the tables are what they have to be.
    pub is_ready: bool,
    /// Why nothing is sent at the moment.
    pub trouble: Option<String>,
}

#[derive(Debug, Default)]
pub struct ShipperMetrics {
    /// Batches that ClickHouse has.
    pub batches: AtomicU64,
    pub events: AtomicU64,
    /// Attempts that failed.
    pub retries: AtomicU64,
    /// Events that it refused for what they hold; they are in `spool/quarantine`.
    pub quarantined: AtomicU64,
    /// Events that another node stores, which were left out.
    pub elsewhere: AtomicU64,
    /// Events with ids of which nobody said whether another node stores them; they were sent.
    pub unclaimed: AtomicU64,
}

/// The shipper of a store, as the store sees it.
#[derive(Debug)]
pub(in crate::events) struct Shipping {
    pub(in crate::events) remote: Remote,
    pub(in crate::events) data_dir: PathBuf,
    pub(in crate::events) node: String,
    pub(in crate::events) progress: watch::Sender<Progress>,
    pub(in crate::events) figures: ShipperMetrics,
    /// Somebody waits for what is in the log.
    pub(in crate::events) wanted: Notify,
    pub(in crate::events) stop: CancellationToken,
    pub(in crate::events) thread: Mutex<Option<JoinHandle<()>>>,
    /// What is in the log up to here was there before this life began; nobody remembers whose it is.
    pub(in crate::events) recovered: Lsn,
}

impl Shipping {
    /// A shipper that has not begun.
    pub(in crate::events) fn new(
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
            figures: ShipperMetrics::default(),
            wanted: Notify::new(),
            stop: CancellationToken::new(),
            thread: Mutex::default(),
            recovered,
        }
    }

    /// Waits until ClickHouse has the log up to a position; whether that came in time.
    pub(in crate::events) async fn reached(&self, lsn: Lsn, patience: Duration) -> bool {
        let mut progress = self.progress.subscribe();
        if progress.borrow().cursor >= lsn {
            return true;
        }
        self.wanted.notify_one();
        let there = progress.wait_for(|progress| progress.cursor >= lsn);
        matches!(tokio::time::timeout(patience, there).await, Ok(Ok(_)))
    }

    /// Why nothing is sent at the moment.
    pub(in crate::events) fn trouble(&self) -> Option<String> {
        self.progress.borrow().trouble.clone()
    }

    /// Notes that an attempt failed.
    pub(in crate::events) fn failed(&self, error: String) {
        self.figures.retries.fetch_add(1, Relaxed);
        self.progress
            .send_modify(|progress| progress.trouble = Some(error));
    }

    /// Ends the thread; whatever is under way is found in the log by the next life.
    pub(in crate::events) fn end(&self) {
        self.stop.cancel();
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the shipper panicked");
        }
    }
}
