//! Priorities and ends of threads.

use std::{
    sync::{Mutex, PoisonError},
    thread::JoinHandle,
};

/// Makes the calling thread (and threads it starts) yield to the listeners.
pub(in crate::events) fn lower_priority(nice: i32) {
    let thread = rustix::thread::gettid();
    if let Err(error) = rustix::process::setpriority_process(Some(thread), nice) {
        tracing::warn!(%error, "cannot lower the priority of a thread");
    }
}

/// Waits for the end of a thread, once; `name` is for the log.
pub(in crate::events) fn join(thread: &Mutex<Option<JoinHandle<()>>>, name: &str) {
    let thread = thread.lock().unwrap_or_else(PoisonError::into_inner).take();
    if thread.is_some_and(|thread| thread.join().is_err()) {
        tracing::error!("{name} panicked");
    }
}
