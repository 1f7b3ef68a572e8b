//! What a query sees: sealed segments and unsealed generations, as one immutable value.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;

use super::{segments::Segment, spool::Lsn, tail::Generation};

/// Everything that is stored, at one moment. Files and tables in it stay as long as anyone holds it.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Sealed, on disk.
    pub segments: Vec<Arc<Segment>>,
    /// Not sealed yet, oldest first; the last one is open.
    pub generations: Vec<Arc<Generation>>,
    /// Last log position that the segments cover.
    pub cursor: Lsn,
    /// Segments whose files are damaged: answers miss their rows.
    pub quarantined: Vec<String>,
}

/// The current snapshot, replaced as a whole.
#[derive(Debug, Default)]
pub struct Current {
    value: ArcSwap<Snapshot>,
    /// The spool thread adds generations, the storekeeper swaps them for segments: one at a time.
    writing: Mutex<()>,
}

impl Current {
    /// The latest snapshot; wait-free.
    pub fn load(&self) -> Arc<Snapshot> {
        self.value.load_full()
    }

    /// Derives the next snapshot from the latest one.
    pub fn update(&self, change: impl FnOnce(&mut Snapshot)) {
        let _guard = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = Snapshot::clone(&self.value.load());
        change(&mut next);
        self.value.store(Arc::new(next));
    }
}
