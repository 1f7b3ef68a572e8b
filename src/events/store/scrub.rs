//! A thread that looks at every segment: soon after the start, whenever one was touched, and once a day.

use std::{
    io,
    sync::{Arc, Weak, atomic::Ordering::Relaxed},
    thread,
    time::Duration,
};

use super::{EventStore, Inner};
use crate::events::{
    segments::{Look, aside},
    threads::lower_priority,
};

/// How often the segments are gone through. An untouched file costs one system call.
const PACE: Duration = Duration::from_secs(5);
/// Everything else comes first.
const NICE: i32 = 19;

pub(super) fn start(store: &Arc<Inner>) -> io::Result<()> {
    let store = Arc::downgrade(store);
    thread::Builder::new().name("scrub".into()).spawn(move || {
        lower_priority(NICE);
        while pass(&store) {
            thread::park_timeout(PACE);
        }
    })?;
    Ok(())
}

/// Goes through all segments once; whether there is a store still.
fn pass(store: &Weak<Inner>) -> bool {
    let Some(inner) = store.upgrade() else {
        return false;
    };
    let held = EventStore(inner);
    held.look_aside();
    let segments = held.snapshot().segments.clone();
    drop(held);
    // Newest first: those are asked for most.
    for segment in segments.iter().rev() {
        // Held for one file at a time, so the store can end.
        let Some(inner) = store.upgrade() else {
            return false;
        };
        if inner.stopping.get().is_some() {
            return false;
        }
        let store = EventStore(inner);
        if segment.row.quarantined {
            if segment.path.exists() {
                store.0.mend_due.notify_one();
            }
        } else {
            store.inspect(std::slice::from_ref(segment), Look::WhenDue);
        }
    }
    true
}

impl EventStore {
    /// Looks at the files that were set aside.
    pub(super) fn look_aside(&self) {
        self.expire_replaced();
        match aside::folder_stats(&self.0.segments, aside::STRAYS) {
            Ok(kept) => self.0.strays.store(kept.files, Relaxed),
            Err(error) => tracing::warn!(%error, "files that were set aside cannot be looked at"),
        }
    }

    /// Deletes replaced files whose time is over, those that may hold what was erased since, and all of them when the disk is
    /// getting full.
    pub(super) fn expire_replaced(&self) {
        let keep = i64::try_from(self.0.options.keep_replaced.as_millis()).unwrap_or(i64::MAX);
        let before = if self.0.disk.is_getting_full() {
            i64::MAX
        } else {
            let old = self.0.clock.now_ms().saturating_sub(keep);
            old.max(self.0.erased.load(Relaxed))
        };
        if let Err(error) = aside::expire(&self.0.segments, before) {
            tracing::warn!(%error, "replaced files cannot be deleted");
        }
    }
}
