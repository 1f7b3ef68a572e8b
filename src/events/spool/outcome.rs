//! What becomes of a request's events.

/// What became of an append that succeeded: everything in it is durable and visible to the next query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Appended {
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
    /// The program has as many files and connections open as it may.
    #[error("too many files and connections are open: raise the limit of open files")]
    Descriptors,
    /// ClickHouse has to have the events, and does not take them (`ingest.ack`).
    #[error("ClickHouse does not take events")]
    Remote,
    /// The disk refused or the store is closing.
    #[error("the event log cannot be written: {0}")]
    Closed(String),
}
