//! A thread for work on files that no request waits for.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{Sender, channel},
    thread,
};

use tokio::sync::oneshot;

use crate::events::engine::lower_priority;

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
}
