//! Threads that run engine work, apart from the listeners' runtimes and at lower priority.
//!
//! Tenants take turns, however much one of them asks at once, and of several threads no tenant has all: one is left to the
//! others.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};

use duckdb::{Connection, InterruptHandle};
use tokio::sync::oneshot;

use super::{Handle, Root, queue::Queue};
use crate::events::{error::EngineError, tenant::Tenant, threads::lower_priority};

/// How often work that was given up is interrupted again.
const AGAIN: Duration = Duration::from_millis(10);

/// Gives whether all went well.
type Work = Box<dyn FnOnce(&Handle, u64, &Root) -> bool + Send>;

struct Job {
    work: Work,
    cancel: Arc<Cancel>,
}

/// Lets the asker give up: work that has not begun is skipped, work that runs is interrupted.
#[derive(Default)]
pub struct Cancel {
    state: Mutex<State>,
    given_up: AtomicBool,
}

#[derive(Default)]
enum State {
    #[default]
    Waiting,
    Running(Arc<InterruptHandle>),
    Cancelled,
    Done,
}

impl Cancel {
    /// Gives up; whether the work runs still.
    fn cancel(&self) -> bool {
        self.given_up.store(true, Relaxed);
        let mut state = self.state();
        match &*state {
            State::Running(handle) => {
                handle.interrupt();
                true
            }
            State::Waiting => {
                *state = State::Cancelled;
                false
            }
            State::Cancelled | State::Done => false,
        }
    }

    /// Whether no caller waits for the outcome any more.
    pub fn is_given_up(&self) -> bool {
        self.given_up.load(Relaxed)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
    jobs: Arc<Jobs>,
    given_up: Sender<Arc<Cancel>>,
}

/// The queue, which is closed with the last handle.
struct Jobs(Arc<Queue<Tenant, Job>>);

impl Drop for Jobs {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Pool {
    /// Starts `threads` threads named `name`, made nicer by `nice`.
    pub fn start(root: &Arc<Root>, name: &str, threads: usize, nice: i32) -> std::io::Result<Self> {
        let threads = threads.max(1);
        let queue = Arc::new(Queue::new((threads - 1).max(1)));
        let jobs = Arc::new(Jobs(Arc::clone(&queue)));
        for n in 0..threads {
            let (root, queue) = (Arc::clone(root), Arc::clone(&queue));
            thread::Builder::new()
                .name(format!("{name}-{n}"))
                .spawn(move || {
                    lower_priority(nice);
                    work(&root, &queue);
                })?;
        }
        let (given_up, queue) = channel();
        thread::Builder::new()
            .name(format!("{name}-stop"))
            .spawn(move || interrupt(&queue))?;
        Ok(Self { jobs, given_up })
    }

    /// Gives work up: it is skipped, or interrupted until it has ended. The engine forgets an interrupt when a
    /// statement begins, so one that comes between two statements of the same work has to be repeated.
    pub fn cancel(&self, work: Arc<Cancel>) {
        if work.cancel() {
            let _ = self.given_up.send(work);
        }
    }

    /// Says that files are gone that the engine may have read.
    pub fn forget(&self, files: usize) {
        let work: Work = Box::new(move |_, epoch, root| {
            if let Err(error) = root.forget(epoch, files) {
                tracing::error!(%error, "the query engine cannot be opened");
            }
            true
        });
        let cancel = Arc::default();
        self.jobs.0.push(Tenant::default(), Job { work, cancel });
    }

    /// Queues work of a tenant; the receiver errs if the work was cancelled before it began, or panicked.
    pub fn submit<T: Send + 'static>(
        &self,
        tenant: Tenant,
        cancel: Arc<Cancel>,
        work: impl FnOnce(&Handle, u64) -> Result<T, EngineError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, EngineError>> {
        let (reply, answer) = oneshot::channel();
        let work: Work = Box::new(move |connection, epoch, root| {
            let outcome = work(connection, epoch);
            let went_well = outcome.is_ok();
            if let Err(error) = &outcome
                && error.is_fatal()
                && let Err(error) = root.reopen(epoch)
            {
                tracing::error!(%error, "the query engine cannot be opened");
            }
            let _ = reply.send(outcome);
            went_well
        });
        self.jobs.0.push(tenant, Job { work, cancel });
        answer
    }
}

/// Interrupts what was given up until it has ended; ends when the pool is gone.
fn interrupt(queue: &Receiver<Arc<Cancel>>) {
    let mut running: Vec<Arc<Cancel>> = Vec::new();
    loop {
        let next = if running.is_empty() {
            queue.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            queue.recv_timeout(AGAIN)
        };
        match next {
            Ok(work) => running.push(work),
            Err(RecvTimeoutError::Timeout) => running.retain(|work| work.cancel()),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn work(root: &Root, queue: &Queue<Tenant, Job>) {
    let mut held: Option<(u64, Handle)> = None;
    while let Some(turn) = queue.next() {
        let Some(Job { work, cancel }) = turn.take() else {
            continue;
        };
        if held
            .as_ref()
            .is_none_or(|(epoch, _)| *epoch != root.epoch())
        {
            match root.connect() {
                Ok(fresh) => held = Some(fresh),
                Err(error) => {
                    tracing::error!(%error, "cannot connect to the query engine");
                    if let Err(error) = root.reopen(root.epoch()) {
                        tracing::error!(%error, "the query engine cannot be opened");
                    }
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
        if let Err(panic) = &outcome {
            tracing::error!(panic = text(&**panic), "engine work panicked");
        }
        // Work that failed may have left a transaction open: what interrupted it can interrupt its end as well. Nothing after it would
        // be answered on that connection, and a new one costs next to nothing.
        if !outcome.is_ok_and(|went_well| went_well) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::engine::{MAX_GONE, Options};

    /// Longer than any test waits.
    const ENDLESS: &str =
        "SELECT count(*) FROM range(100000000) a, range(1000000) b WHERE a.range + b.range = 3";

    fn root(directory: &tempfile::TempDir) -> Arc<Root> {
        let root = Root::open(Options {
            segments: directory.path().join("segments"),
            spill: directory.path().join("spill"),
            memory: 64 << 20,
            threads: 1,
            concurrent: 1,
        });
        Arc::new(root.unwrap())
    }

    #[tokio::test]
    async fn work_that_is_given_up_between_two_statements_ends_too() {
        let directory = tempfile::tempdir().unwrap();
        let pool = Pool::start(&root(&directory), "test", 1, 0).unwrap();
        let cancel = Arc::new(Cancel::default());
        let (begun, has_begun) = oneshot::channel();
        let (go, may_go) = channel::<()>();
        let answer = pool.submit(
            Tenant::default(),
            Arc::clone(&cancel),
            move |connection, _| {
                begun.send(()).unwrap();
                may_go.recv().unwrap();
                Ok(connection.execute_batch(ENDLESS)?)
            },
        );
        has_begun.await.unwrap();
        pool.cancel(cancel);
        go.send(()).unwrap();
        let stopped = answer.await.unwrap().unwrap_err().to_string();
        assert!(stopped.contains("INTERRUPT"), "{stopped}");

        // Later statements must not be interrupted.
        let next = pool.submit(Tenant::default(), Arc::default(), |connection, _| {
            Ok(connection.query_row("SELECT 7", [], |row| row.get::<_, i32>(0))?)
        });
        assert_eq!(next.await.unwrap().unwrap(), 7);
    }

    #[tokio::test]
    async fn a_transaction_that_failed_work_left_open_is_nobodys_afterwards() {
        let directory = tempfile::tempdir().unwrap();
        let pool = Pool::start(&root(&directory), "test", 1, 0).unwrap();
        let failed = pool.submit(Tenant::default(), Arc::default(), |connection, _| {
            Ok(connection.execute_batch("BEGIN; SELECT error('no')")?)
        });
        assert!(failed.await.unwrap().is_err());
        let next = pool.submit(Tenant::default(), Arc::default(), |connection, _| {
            Ok(connection.query_row("SELECT 7", [], |row| row.get::<_, i32>(0))?)
        });
        assert_eq!(next.await.unwrap().unwrap(), 7);
    }

    #[tokio::test]
    async fn work_that_is_given_up_before_it_begins_is_skipped() {
        let directory = tempfile::tempdir().unwrap();
        let pool = Pool::start(&root(&directory), "test", 1, 0).unwrap();
        let cancel = Arc::new(Cancel::default());
        pool.cancel(Arc::clone(&cancel));
        assert!(
            pool.submit(Tenant::default(), cancel, |_, _| Ok(()))
                .await
                .is_err()
        );
    }

    #[tokio::test]
    async fn a_tenant_with_much_to_do_leaves_a_thread_to_the_others() {
        let directory = tempfile::tempdir().unwrap();
        let pool = Pool::start(&root(&directory), "test", 2, 0).unwrap();
        let [greedy, visitors, other] =
            [(1, false), (1, true), (2, false)].map(|(organization, anonymous)| Tenant {
                organization,
                anonymous,
            });
        let (go, may_go) = channel::<()>();
        let mut greedily = vec![pool.submit(greedy, Arc::default(), move |_, _| {
            may_go.recv().unwrap();
            Ok(())
        })];
        greedily.extend((0..50).map(|_| pool.submit(greedy, Arc::default(), |_, _| Ok(()))));
        for tenant in [visitors, other] {
            let answer = pool.submit(tenant, Arc::default(), |_, _| Ok(()));
            answer.await.unwrap().unwrap();
        }
        assert!(greedily.iter_mut().all(|answer| answer.try_recv().is_err()));
        go.send(()).unwrap();
        for answer in greedily {
            answer.await.unwrap().unwrap();
        }
    }

    #[tokio::test]
    async fn an_engine_that_remembers_too_much_is_opened_anew() {
        let directory = tempfile::tempdir().unwrap();
        let pool = Pool::start(&root(&directory), "test", 1, 0).unwrap();
        let mut epochs = Vec::new();
        for gone in [MAX_GONE - 1, 1, MAX_GONE - 1, 7] {
            pool.forget(gone);
            let asked = pool
                .submit(Tenant::default(), Arc::default(), |_, epoch| Ok(epoch))
                .await;
            epochs.push(asked.unwrap().unwrap());
        }
        assert_eq!(epochs, [1, 2, 2, 3]);
    }

    #[tokio::test]
    async fn a_reopened_engine_has_its_own_spill_directory_and_a_new_epoch() {
        let directory = tempfile::tempdir().unwrap();
        let root = root(&directory);
        let pool = Pool::start(&root, "test", 1, 0).unwrap();
        let before = pool
            .submit(Tenant::default(), Arc::default(), |_, epoch| Ok(epoch))
            .await;
        root.reopen(root.epoch()).unwrap();
        let after = pool
            .submit(Tenant::default(), Arc::default(), |_, epoch| Ok(epoch))
            .await;
        assert_eq!((before.unwrap().unwrap(), after.unwrap().unwrap()), (1, 2));
        assert!(directory.path().join("spill/2").is_dir());
    }
}
