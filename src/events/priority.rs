//! Priorities of threads.

/// Makes the calling thread (and threads it starts) yield to the listeners.
pub(in crate::events) fn lower_priority(nice: i32) {
    let thread = rustix::thread::gettid();
    if let Err(error) = rustix::process::setpriority_process(Some(thread), nice) {
        tracing::warn!(%error, "cannot lower the priority of a thread");
    }
}
