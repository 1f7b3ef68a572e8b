//! Counts seals and notes what memory did at each.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering},
    time::Duration,
};

use pharos::events::store::EventStore;

use crate::machine::resident_mb;

/// How often the store is looked at; a seal takes longer.
const LOOK: Duration = Duration::from_millis(20);

/// What was seen right after a seal.
#[derive(Clone, Copy)]
pub(crate) struct Seal {
    /// The how many-th.
    pub(crate) number: u64,
    /// Events stored so far.
    pub(crate) events: u64,
    /// Segments in use.
    pub(crate) segments: usize,
    /// Resident memory.
    pub(crate) resident_mb: f64,
}

/// The seals so far.
pub(crate) struct Seals(Arc<Mutex<Vec<Seal>>>);

impl Seals {
    /// Watches from now on, on the calling thread's runtime.
    pub(crate) fn watch(store: EventStore) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let notes = Self(Arc::clone(&seen));
        actix_web::rt::spawn(async move {
            let mut cursor = store.snapshot().cursor;
            loop {
                tokio::time::sleep(LOOK).await;
                let snapshot = store.snapshot();
                // Only a seal moves the cursor; merges leave it.
                if snapshot.cursor != cursor {
                    cursor = snapshot.cursor;
                    let mut seen = notes.lock();
                    let seal = Seal {
                        number: seen.len() as u64 + 1,
                        events: store.health().rows.load(Ordering::Relaxed),
                        segments: snapshot.segments.len(),
                        resident_mb: resident_mb("self").unwrap_or_default(),
                    };
                    seen.push(seal);
                }
            }
        });
        Self(seen)
    }

    /// How many.
    pub(crate) fn count(&self) -> u64 {
        self.lock().len() as u64
    }

    /// Every one of them.
    pub(crate) fn seen(&self) -> Vec<Seal> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Seal>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
