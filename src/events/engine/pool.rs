//! Threads that run engine work, apart from the listeners' runtimes and at lower priority.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use duckdb::{Connection, InterruptHandle};
use tokio::sync::oneshot;

use super::{EngineError, Root};

type Work = Box<dyn FnOnce(&Connection, u64, &Root) + Send>;

struct Job {
    work: Work,
    cancel: Arc<Cancel>,
}

/// Lets the asker give up: work that has not begun is skipped, work that runs is interrupted.
#[derive(Default)]
pub struct Cancel(Mutex<State>);

#[derive(Default)]
enum State {
    #[default]
    Waiting,
    Running(Arc<InterruptHandle>),
    Cancelled,
    Done,
}

impl Cancel {
    /// Gives up.
    pub fn cancel(&self) {
        let mut state = self.state();
        match &*state {
            State::Running(handle) => handle.interrupt(),
            State::Waiting => *state = State::Cancelled,
            State::Cancelled | State::Done => {}
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, connection: &Connection) -> bool {
        let mut state = self.state();
        let wanted = matches!(*state, State::Waiting);
        if wanted {
            *state = State::Running(connection.interrupt_handle());
        }
        wanted
    }
}

/// A few threads, each with its own connection.
#[derive(Clone)]
pub struct Pool {
    jobs: Sender<Job>,
}

impl Pool {
    /// Starts `threads` threads named `name`, made nicer by `nice`.
    pub fn start(root: &Arc<Root>, name: &str, threads: usize, nice: i32) -> std::io::Result<Self> {
        let (jobs, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        for n in 0..threads.max(1) {
            let (root, queue) = (Arc::clone(root), Arc::clone(&queue));
            thread::Builder::new()
                .name(format!("{name}-{n}"))
                .spawn(move || {
                    lower_priority(nice);
                    work(&root, &queue);
                })?;
        }
        Ok(Self { jobs })
    }

    /// Queues work; the receiver errs if the work was cancelled before it began, or panicked.
    pub fn submit<T: Send + 'static>(
        &self,
        cancel: Arc<Cancel>,
        work: impl FnOnce(&Connection, u64) -> Result<T, EngineError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, EngineError>> {
        let (reply, answer) = oneshot::channel();
        let work: Work = Box::new(move |connection, epoch, root| {
            let outcome = work(connection, epoch);
            if let Err(error) = &outcome
                && error.is_fatal()
                && let Err(error) = root.reopen(epoch)
            {
                tracing::error!(%error, "the query engine cannot be opened");
            }
            let _ = reply.send(outcome);
        });
        // A closed queue drops the job and with it the reply: the asker sees that.
        let _ = self.jobs.send(Job { work, cancel });
        answer
    }
}

fn work(root: &Root, queue: &Mutex<Receiver<Job>>) {
    let mut held: Option<(u64, Connection)> = None;
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { work, cancel }) = job else {
            return;
        };
        if held
            .as_ref()
            .is_none_or(|(epoch, _)| *epoch != root.epoch())
        {
            match root.connect() {
                Ok(fresh) => held = Some(fresh),
                Err(error) => {
                    tracing::error!(%error, "cannot connect to the query engine");
                    continue;
                }
            }
        }
        let Some((epoch, connection)) = &held else {
            continue;
        };
        if !cancel.begin(connection) {
            continue;
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| work(connection, *epoch, root)));
        *cancel.state() = State::Done;
        if let Err(panic) = outcome {
            tracing::error!(panic = text(&*panic), "engine work panicked");
            held = None;
        }
    }
}

fn text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown")
}

/// Makes the calling thread (and threads it starts) yield to the listeners.
pub fn lower_priority(nice: i32) {
    let thread = rustix::thread::gettid();
    if let Err(error) = rustix::process::setpriority_process(Some(thread), nice) {
        tracing::warn!(%error, "cannot lower the priority of a thread");
    }
}
