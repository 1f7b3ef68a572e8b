//! What is counted and noted about the log while it is written.

use std::sync::atomic::{AtomicBool, AtomicU64};

use tokio::sync::Notify;

use crate::events::ledger::Ledger;

/// What the rest of the program may know of the log.
#[derive(Debug, Default)]
pub struct Health {
    /// Set while the log cannot be written.
    pub closed: AtomicBool,
    /// Told when the log was closed because a second file failed as well.
    pub broken: Notify,
    /// Syncs done.
    pub syncs: AtomicU64,
    /// Batches that the disk refused.
    pub failures: AtomicU64,
    /// Rows stored.
    pub rows: AtomicU64,
    /// Rows recognised as duplicates.
    pub duplicates: AtomicU64,
    /// Generations that became segments.
    pub seals: AtomicU64,
    /// Damaged stretches that were found in the log at start.
    pub damaged: AtomicU64,
    /// Segments that were found damaged and are left out of answers.
    pub quarantined: AtomicU64,
    /// What is not stored; counts wait here to be written.
    pub ledger: Ledger,
}
