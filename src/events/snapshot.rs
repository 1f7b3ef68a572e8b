//! What a query sees: sealed segments and unsealed generations, as one immutable value.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;

use super::{positions::Positions, segments::Segment, tail::Generation, transfers::Transfers};
use crate::events::log::Lsn;

/// Everything that is stored, at one moment. Files and tables in it stay as long as anyone holds it.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Sealed, on disk.
    pub segments: Vec<Arc<Segment>>,
    /// Not sealed yet, oldest first; the last one is open.
    pub generations: Vec<Arc<Generation>>,
    /// Bytes of the generations but the open one.
    pub closed_bytes: u64,
    /// Last log position that the segments cover.
    pub cursor: Lsn,
    /// Version of the manifest that the segments are of.
    pub version: u64,
    /// Websites that were transferred.
    pub transfers: Arc<Transfers>,
}

/// So many closed generations keep their frames in memory: usually they are sealed before more are closed.
pub const WARM: usize = 2;

/// Lets the generation go that has waited too long for its seal, if one was closed just now.
pub fn let_go(closed: &[Arc<Generation>]) {
    if let Some(cold) = closed.len().checked_sub(WARM + 1) {
        closed[cold].let_go();
    }
}

/// The current snapshot, replaced as a whole.
#[derive(Debug, Default)]
pub struct Current {
    value: ArcSwap<Snapshot>,
    /// The spool thread adds generations, the storekeeper swaps them for segments: one at a time.
    writing: Mutex<()>,
    /// How far everybody's rows have come.
    pub positions: Positions,
}

impl Current {
    /// The latest snapshot; wait-free.
    pub fn load(&self) -> Arc<Snapshot> {
        self.value.load_full()
    }

    /// Bytes that no segment holds yet.
    pub fn unsealed_bytes(&self) -> u64 {
        let snapshot = self.value.load();
        let open = snapshot.generations.last().map_or(0, |open| open.bytes());
        snapshot.closed_bytes + open
    }

    /// Derives the next snapshot from the latest one.
    pub fn update(&self, change: impl FnOnce(&mut Snapshot)) {
        let _guard = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = Snapshot::clone(&self.value.load());
        change(&mut next);
        let closed = next
            .generations
            .split_last()
            .map_or(&[][..], |(_, closed)| closed);
        next.closed_bytes = closed.iter().map(|generation| generation.bytes()).sum();
        self.value.store(Arc::new(next));
    }
}
