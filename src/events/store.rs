//! The event store's face: append events durably, run statements over them.

use super::{
    event::Event,
    statement::{QueryError, Rows, Statement},
};

/// An event on its way into the store.
#[derive(Debug, Clone)]
pub struct Accepted {
    /// The event.
    pub event: Event,
    /// The client's id for it; a second event with the same id in the same website is not stored again.
    pub event_id: Option<String>,
}

/// What became of an append that succeeded: everything in it is durable and visible to the next query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// Events newly stored.
    pub stored: usize,
    /// Events that were there already (same `eventId`).
    pub duplicates: usize,
}

/// Why events were not taken. Nothing of the request is stored, as far as is known.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AppendError {
    /// Too much is waiting for the disk.
    #[error("too many events are waiting to be written")]
    Overloaded,
    /// Less disk space than the reserve is left.
    #[error("the disk is nearly full")]
    DiskFull,
    /// The disk refused or the store is closing.
    #[error("the event log cannot be written: {0}")]
    Closed(String),
}

/// Handle to the event store; cheap to clone.
#[derive(Clone)]
pub struct EventStore {}

impl EventStore {
    /// Writes the events of one request durably, all or none, and answers once they are synced and visible.
    pub async fn append(&self, events: Vec<Accepted>) -> Result<Appended, AppendError> {
        let _ = events;
        Err(AppendError::Closed("not built yet".into()))
    }

    /// Runs a statement over everything that was acknowledged before this call.
    pub async fn query(&self, statement: Statement) -> Result<Rows, QueryError> {
        let _ = statement;
        Err(QueryError::Unavailable("not built yet".into()))
    }
}
