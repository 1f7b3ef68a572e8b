//! A thread for work on files that no request waits for.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{Sender, channel},
    thread,
    time::Instant,
};

use tokio::sync::oneshot;

use crate::events::threads::lower_priority;

/// Seals that nothing waits for leave the processors to listeners: at half load this halves the slowest answers.
const SEAL_NICE: i32 = 10;
/// Below listeners, but not so far that load keeps a backlog waiting.
const CATCH_UP_NICE: i32 = 3;
/// Merges wait for everybody.
const TIDY_NICE: i32 = 15;

pub(super) struct Workers {
    /// Writes segments of what was accepted.
    pub(super) sealing: Worker,
    /// The same, when more wait for their seal than memory holds; a thread cannot take its own niceness back.
    pub(super) catching_up: Worker,
    /// Merges, thins out and looks after segments.
    pub(super) tidying: Worker,
}

impl Workers {
    pub(super) fn start() -> io::Result<Self> {
        Ok(Self {
            sealing: Worker::start("seal", SEAL_NICE)?,
            catching_up: Worker::start("catch-up", CATCH_UP_NICE)?,
            tidying: Worker::start("tidy", TIDY_NICE)?,
        })
    }

    pub(super) fn all(&self) -> [&Worker; 3] {
        [&self.sealing, &self.catching_up, &self.tidying]
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// Handle to the thread, which ends with it.
pub(super) struct Worker(Sender<Job>);

impl Worker {
    /// Starts a thread of this name, made nicer by `nice`.
    pub(super) fn start(name: &str, nice: i32) -> io::Result<Self> {
        let (jobs, queue) = channel::<Job>();
        thread::Builder::new().name(name.into()).spawn(move || {
            lower_priority(nice);
            while let Ok(job) = queue.recv() {
                if catch_unwind(AssertUnwindSafe(job)).is_err() {
                    tracing::error!("work on event files panicked");
                }
            }
        })?;
        Ok(Self(jobs))
    }

    /// Does the work after what was asked for before; errs if it panics.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(move || drop(reply.send(work())));
        // A closed queue drops the job and with it the reply: the asker sees that.
        let _ = self.0.send(job);
        answer
    }

    /// Waits until nothing that was asked for before is under way; whether that came in time.
    pub(super) fn settled(&self, until: Instant) -> bool {
        let (reply, settled) = channel();
        let last = Box::new(move || {
            let _ = reply.send(());
        });
        let left = until.saturating_duration_since(Instant::now());
        self.0.send(last).is_err() || settled.recv_timeout(left).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_is_done_in_turn_and_a_panic_costs_only_its_own() {
        let worker = Worker::start("test", 0).unwrap();
        let first = worker.run(|| 1);
        let broken = worker.run(|| {
            if thread::panicking() {
                0
            } else {
                panic!("drill")
            }
        });
        let second = worker.run(|| 2);
        assert_eq!(first.await, Ok(1));
        assert!(broken.await.is_err());
        assert_eq!(second.await, Ok(2));
    }

    #[tokio::test]
    async fn it_is_settled_when_all_that_was_asked_for_is_done() {
        let worker = Worker::start("test", 0).unwrap();
        let (go_on, held) = channel::<()>();
        let work = worker.run(move || held.recv().is_err());
        assert!(!worker.settled(Instant::now()), "it is at work");
        drop(go_on);
        assert!(worker.settled(Instant::now() + std::time::Duration::from_mins(1)));
        assert_eq!(work.await, Ok(true));
    }
}
