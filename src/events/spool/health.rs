//! What is counted and noted about the store while it works.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64},
};

use tokio::sync::Notify;

use crate::{events::ledger::Ledger, metrics::Times};

/// What the rest of the program may know of the store.
#[derive(Debug, Default)]
pub struct Health {
    /// Set while the log cannot be written.
    pub closed: AtomicBool,
    /// Notified when the log was closed because a second file failed as well.
    pub broken: Notify,
    pub syncs: AtomicU64,
    /// Batches that the disk refused.
    pub failures: AtomicU64,
    pub rows: AtomicU64,
    /// Rows recognised as duplicates.
    pub duplicates: AtomicU64,
    /// Generations that became segments.
    pub seals: AtomicU64,
    /// How long sealing and merging took, by which of them it was.
    pub upkeep: Arc<Times>,
    /// How long statements took from question to rows, by query type.
    pub queries: Arc<Times>,
    /// Damaged stretches that were found in the log at start.
    pub damaged: AtomicU64,
    /// Segments that were found damaged and are left out of answers.
    pub quarantined: AtomicU64,
    /// What is not stored; counts wait here to be written.
    pub ledger: Ledger,
}
