//! Memory of one run of a statement.
//!
//! When a statement ends early, because it is interrupted or fails, the engine forgets states of aggregates without a word. So
//! states own nothing: what they point to belongs to the arena of their run, and goes with it.

#![expect(
    unsafe_code,
    reason = "states keep pointers where the engine keeps states"
)]

use std::{
    alloc::{self, Layout},
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    ptr::NonNull,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

/// Words of a block that is given out in pieces; a larger piece is a block of its own.
const BLOCK: usize = 8 << 10;

/// All arenas together are at their limit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// What all runs in an instance of the engine share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Bytes that all arenas may take, and that they do.
    limit: usize,
    taken: AtomicUsize,
    /// Clients choose some ids, but not where they lie in a table.
    seed: u64,
    runs: Mutex<Runs>,
}

#[derive(Debug, Default)]
struct Runs {
    last: i64,
    arenas: HashMap<i64, Arc<Arena>>,
}

impl Shared {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            taken: AtomicUsize::new(0),
            seed: RandomState::new().hash_one(0),
            runs: Mutex::default(),
        }
    }

    /// Begins a run.
    pub(crate) fn begin(self: &Arc<Self>) -> Run {
        let arena = Arena {
            shared: Arc::clone(self),
            held: Mutex::default(),
        };
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.last += 1;
        let number = runs.last;
        runs.arenas.insert(number, Arc::new(arena));
        Run {
            number,
            shared: Arc::clone(self),
        }
    }

    /// The arena of a run that has not ended.
    pub(crate) fn arena(&self, run: i64) -> Option<Arc<Arena>> {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.arenas.get(&run).cloned()
    }

    fn take(&self, bytes: usize) -> Result<(), Full> {
        let more = |taken: usize| Some(taken + bytes).filter(|taken| *taken <= self.limit);
        let taken = self.taken.fetch_update(Relaxed, Relaxed, more);
        taken.map(drop).map_err(|_| Full)
    }

    #[cfg(test)]
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Relaxed)
    }
}

/// A run of a statement. When it goes, no state of the statement may be used again.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) number: i64,
    shared: Arc<Shared>,
}

impl Drop for Run {
    fn drop(&mut self) {
        let mut runs = self
            .shared
            .runs
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        runs.arenas.remove(&self.number);
    }
}

#[derive(Debug)]
pub(crate) struct Arena {
    shared: Arc<Shared>,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// Each of [`BLOCK`] words.
    blocks: Vec<NonNull<u64>>,
    /// Words of the last block that are given out.
    used: usize,
    /// Blocks of their own, with their words.
    large: HashMap<NonNull<u64>, usize>,
    /// Pieces that came back, by their words.
    free: HashMap<usize, Vec<NonNull<u64>>>,
}

// SAFETY: its blocks are its own.
unsafe impl Send for Held {}

impl Arena {
    /// What an id is mixed with before it gets a place in a table.
    pub(crate) fn seed(&self) -> u64 {
        self.shared.seed
    }

    /// So many words, at least one, all 0. They stay until they are given back, or until the arena goes.
    pub(crate) fn take(&self, words: usize) -> Result<NonNull<u64>, Full> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(piece) = held.free.get_mut(&words).and_then(Vec::pop) {
            // SAFETY: it came back with so many words, and no one else has it.
            unsafe { piece.write_bytes(0, words) };
            return Ok(piece);
        }
        if words > BLOCK / 4 {
            let block = self.allocate(words)?;
            held.large.insert(block, words);
            return Ok(block);
        }
        if held.blocks.is_empty() || held.used + words > BLOCK {
            let block = self.allocate(BLOCK)?;
            held.blocks.push(block);
            held.used = 0;
        }
        let block = *held.blocks.last().ok_or(Full)?;
        // SAFETY: so many words of the block are left.
        let piece = unsafe { block.add(held.used) };
        held.used += words;
        Ok(piece)
    }

    fn allocate(&self, words: usize) -> Result<NonNull<u64>, Full> {
        let layout = Layout::array::<u64>(words).map_err(|_| Full)?;
        self.shared.take(layout.size())?;
        // SAFETY: a block has at least one word.
        let block = unsafe { alloc::alloc_zeroed(layout) };
        NonNull::new(block.cast()).ok_or_else(|| {
            self.shared.taken.fetch_sub(layout.size(), Relaxed);
            Full
        })
    }

    /// Frees a block.
    ///
    /// # Safety
    /// It was allocated with so many words, and no one uses it.
    unsafe fn free(&self, block: NonNull<u64>, words: usize) {
        if let Ok(layout) = Layout::array::<u64>(words) {
            self.shared.taken.fetch_sub(layout.size(), Relaxed);
            // SAFETY: it has this layout.
            unsafe { alloc::dealloc(block.as_ptr().cast(), layout) };
        }
    }

    /// Takes a piece of so many words back.
    pub(crate) fn give_back(&self, piece: NonNull<u64>, words: usize) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if words > BLOCK / 4 {
            if let Some(words) = held.large.remove(&piece) {
                // SAFETY: it was a block of its own, and whoever had it gives it back.
                unsafe { self.free(piece, words) };
            }
        } else {
            held.free.entry(words).or_default().push(piece);
        }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let held = self.held.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Held { blocks, large, .. } = std::mem::take(held);
        let small = blocks.into_iter().map(|block| (block, BLOCK));
        for (block, words) in small.chain(large) {
            // SAFETY: the run has ended, and with it all states.
            unsafe { self.free(block, words) };
        }
    }
}
