//! A thread that looks at every segment: soon after the start, whenever one was touched, and once a day.

use std::{
    io,
    sync::{Arc, Weak},
    thread,
    time::Duration,
};

use super::{EventStore, Inner};
use crate::events::{engine::lower_priority, segments::Look};

/// How often the segments are gone through. A file that nobody touched costs one system call.
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
    let segments = EventStore(inner).snapshot().segments.clone();
    // Newest first: those are asked for most.
    for segment in segments.iter().rev() {
        // Held for one file at a time, so that the store can end.
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
