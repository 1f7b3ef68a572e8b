//! Commands and rules of the spool thread.

use std::path::PathBuf;

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::outcome::{AppendError, Appended};
use crate::events::log::{Lsn, frame::Record};

/// One request's events, on their way to the disk.
pub struct Submission {
    /// Receive time, Unix ms.
    pub received: i64,
    /// Encoded records.
    pub records: Vec<Record>,
    /// Where the outcome goes.
    pub reply: oneshot::Sender<Result<Appended, AppendError>>,
    /// Memory it holds; released when it is written.
    pub permit: OwnedSemaphorePermit,
}

/// What the spool thread is asked to do.
pub enum Command {
    /// Store a request's events.
    Append(Submission),
    /// Something was counted in the ledger. With a reply it is written at once, else when its time has come.
    Counter(Option<oneshot::Sender<()>>),
    /// Close the open generation, unless it is empty, and start the next.
    Freeze(oneshot::Sender<()>),
    /// The segments cover the log up to here now: older files may go.
    Sealed(Lsn),
    /// Finish what is queued and end.
    Stop,
}

/// Rules of the writer that do not change while it runs.
#[derive(Debug, Clone)]
pub struct Rules {
    pub directory: PathBuf,
    pub node: [u8; 16],
    /// Whether answers wait for the disk (`ingest.ack`).
    pub sync: bool,
    /// A generation of this many rows is due for sealing.
    pub seal_rows: u64,
    /// A generation of this many bytes is due for sealing.
    pub seal_bytes: u64,
}
