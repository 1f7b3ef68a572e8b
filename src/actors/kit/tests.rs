//! The promises of the kit, on a small domain with storage of its own.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use actix::{Arbiter, Context, Handler, Message};
use futures_util::{FutureExt, future::LocalBoxFuture};
use tokio::sync::{Notify, Semaphore};

use super::*;

/// What survives the actor: rows, and switches that a test holds.
#[derive(Clone)]
struct Disk {
    rows: Arc<Mutex<BTreeSet<u32>>>,
    /// Every write needs a permit; without one it waits.
    permits: Arc<Semaphore>,
    /// Notified when a write waits or has a permit.
    started: Arc<Notify>,
    boots: Arc<AtomicU32>,
    booted: Arc<Notify>,
    failing_boots: Arc<AtomicU32>,
    drained: Arc<AtomicU32>,
}

impl Disk {
    fn new() -> Self {
        Self {
            rows: Arc::default(),
            permits: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)),
            started: Arc::default(),
            boots: Arc::default(),
            booted: Arc::default(),
            failing_boots: Arc::default(),
            drained: Arc::default(),
        }
    }

    /// A disk on which writes wait until the test lets them go on.
    fn blocked() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(0)),
            ..Self::new()
        }
    }

    fn stored(&self) -> Vec<u32> {
        self.rows.lock().unwrap().iter().copied().collect()
    }
}

struct Ledger {
    disk: Disk,
    view: Arc<Vec<u32>>,
}

impl Domain for Ledger {
    const NAME: &'static str = "ledger";
    type Env = Disk;
    type View = Vec<u32>;

    async fn boot(disk: Disk) -> anyhow::Result<Self> {
        disk.boots.fetch_add(1, Ordering::SeqCst);
        let view = Arc::new(disk.stored());
        let failing = disk.failing_boots.load(Ordering::SeqCst);
        if failing > 0 {
            disk.failing_boots.store(failing - 1, Ordering::SeqCst);
            assert!(failing.is_multiple_of(2), "a boot that panics");
            anyhow::bail!("a boot that fails");
        }
        disk.booted.notify_one();
        Ok(Self { disk, view })
    }

    fn view(&self) -> Arc<Vec<u32>> {
        Arc::clone(&self.view)
    }

    fn drain(&mut self) -> LocalBoxFuture<'static, ()> {
        let drained = Arc::clone(&self.disk.drained);
        Box::pin(async move {
            drained.fetch_add(1, Ordering::SeqCst);
        })
    }
}

#[derive(Debug, PartialEq, thiserror::Error)]
enum LedgerError {
    #[error("{0} is there already")]
    Taken(u32),
    #[error("the disk refused")]
    Refused,
    #[error("nobody knows")]
    Unknown,
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl UnknownOutcome for LedgerError {
    fn outcome_unknown(&self) -> bool {
        *self == Self::Unknown
    }
}

#[derive(Message)]
#[rtype(result = "Result<usize, LedgerError>")]
struct Add(u32);

/// What the disk does with a write.
#[derive(Clone, Copy, Message)]
#[rtype(result = "Result<usize, LedgerError>")]
enum Fail {
    Refused,
    WrittenButUnknown(u32),
}

impl Handler<Add> for Live<Ledger> {
    type Result = Reply<Ledger, usize, LedgerError>;

    fn handle(&mut self, Add(row): Add, _: &mut Context<Self>) -> Self::Result {
        if self.view.contains(&row) {
            return refuse(LedgerError::Taken(row));
        }
        let disk = self.disk.clone();
        let io = async move {
            disk.started.notify_one();
            disk.permits.acquire().await.unwrap().forget();
            disk.rows.lock().unwrap().insert(row);
            Ok(row)
        };
        commit(io, |domain: &mut Ledger, row| {
            let view = Arc::make_mut(&mut domain.view);
            view.push(row);
            view.len()
        })
    }
}

impl Handler<Fail> for Live<Ledger> {
    type Result = Reply<Ledger, usize, LedgerError>;

    fn handle(&mut self, fail: Fail, _: &mut Context<Self>) -> Self::Result {
        let disk = self.disk.clone();
        commit(async move { fail.write(&disk) }, |_: &mut Ledger, (): ()| 0)
    }
}

impl Fail {
    fn write(self, disk: &Disk) -> Result<(), LedgerError> {
        match self {
            Self::Refused => Err(LedgerError::Refused),
            Self::WrittenButUnknown(row) => {
                disk.rows.lock().unwrap().insert(row);
                Err(LedgerError::Unknown)
            }
        }
    }
}

/// A write that fails in an exclusive step.
#[derive(Message)]
#[rtype(result = "()")]
struct NoteFailing(Fail);

impl Handler<NoteFailing> for Live<Ledger> {
    type Result = ();

    fn handle(&mut self, NoteFailing(fail): NoteFailing, context: &mut Context<Self>) {
        let disk = self.disk.clone();
        let written = async move { fail.write(&disk) };
        commit_exclusive(context, written, |_: &mut Ledger, _| {});
    }
}

/// A fact that the actor writes in an exclusive step.
#[derive(Message)]
#[rtype(result = "()")]
struct Note(u32);

impl Handler<Note> for Live<Ledger> {
    type Result = ();

    fn handle(&mut self, Note(row): Note, context: &mut Context<Self>) {
        let disk = self.disk.clone();
        let io = async move {
            disk.permits.acquire().await.unwrap().forget();
            disk.rows.lock().unwrap().insert(row);
            row
        };
        run_exclusive(context, io, |domain: &mut Ledger, row| {
            Arc::make_mut(&mut domain.view).push(row);
        });
    }
}

/// A read beside the actor, which needs the permit of a write for a moment.
#[derive(Message)]
#[rtype(result = "()")]
struct Look;

impl Handler<Look> for Live<Ledger> {
    type Result = ();

    fn handle(&mut self, Look: Look, context: &mut Context<Self>) {
        let disk = self.disk.clone();
        let io = async move {
            disk.started.notify_one();
            drop(disk.permits.acquire().await.unwrap());
            LOOKED
        };
        read_beside(context, io, |live: &mut Self, row, _| {
            Arc::make_mut(&mut live.view).push(row);
            live.publish();
        });
    }
}

/// What a look shows.
const LOOKED: u32 = 100;

const POLICY: RestartPolicy = RestartPolicy {
    budget: 3,
    window: Duration::from_mins(1),
    backoff: Duration::from_millis(1),
};

async fn start(disk: &Disk) -> (Handle<Ledger>, Child) {
    let on = Arbiter::current();
    let started = supervise::<Ledger>(disk.clone(), &on, POLICY)
        .await
        .unwrap();
    disk.booted.notified().await;
    started
}

/// Waits until the next life answers.
async fn reborn(disk: &Disk, handle: &Handle<Ledger>) {
    disk.booted.notified().await;
    while !handle.is_running() {
        tokio::task::yield_now().await;
    }
}

async fn end(children: Vec<Child>) {
    let late = drain_all(children, Duration::from_secs(5)).await;
    assert!(late.is_empty(), "{late:?}");
}

#[actix::test]
async fn a_handle_shows_what_storage_holds_from_the_start() {
    let disk = Disk::new();
    disk.rows.lock().unwrap().insert(7);
    let (ledger, child) = start(&disk).await;
    assert_eq!(*ledger.view(), [7]);
    assert!(ledger.is_running());
    end(vec![child]).await;
}

#[actix::test]
async fn a_failing_or_panicking_first_boot_is_an_error() {
    for failing in [1, 2] {
        let disk = Disk::new();
        disk.failing_boots.store(failing, Ordering::SeqCst);
        let on = Arbiter::current();
        let refused = supervise::<Ledger>(disk, &on, POLICY).await;
        let error = format!("{:#}", refused.err().unwrap());
        assert!(error.contains("`ledger` cannot boot"), "{error}");
    }
}

#[actix::test]
async fn the_view_shows_the_write_when_ask_returns() {
    let disk = Disk::new();
    let (ledger, child) = start(&disk).await;
    assert_eq!(ledger.ask(Add(1)).await, Ok(1));
    assert_eq!(*ledger.view(), [1]);
    assert_eq!(ledger.ask(Add(1)).await, Err(LedgerError::Taken(1)));
    end(vec![child]).await;
}

#[actix::test]
async fn a_panic_is_unavailable_to_its_caller_and_storage_comes_back() {
    let disk = Disk::new();
    let (ledger, child) = start(&disk).await;
    ledger.ask(Add(1)).await.unwrap();

    let lost = ledger.inject_panic().await;
    assert_eq!(lost, Err(Unavailable::Restarting("ledger")));
    assert_eq!(*ledger.view(), [1], "readable while the actor is away");
    reborn(&disk, &ledger).await;

    assert_eq!(ledger.ask(Add(1)).await, Err(LedgerError::Taken(1)));
    assert_eq!(ledger.ask(Add(2)).await, Ok(2));
    assert_eq!(*ledger.view(), [1, 2]);
    end(vec![child]).await;
}

#[actix::test]
async fn boots_that_fail_or_panic_count_and_are_tried_again() {
    let disk = Disk::new();
    let (ledger, child) = start(&disk).await;
    disk.failing_boots.store(2, Ordering::SeqCst);
    let _ = ledger.inject_panic().await;
    reborn(&disk, &ledger).await;
    assert_eq!(disk.boots.load(Ordering::SeqCst), 4);
    assert_eq!(ledger.ask(Add(1)).await, Ok(1));
    end(vec![child]).await;
}

#[actix::test]
async fn a_used_up_budget_ends_the_child_with_an_error() {
    let disk = Disk::new();
    let (ledger, child) = start(&disk).await;
    for _ in 0..POLICY.budget {
        let _ = ledger.inject_panic().await;
        reborn(&disk, &ledger).await;
    }
    let _ = ledger.inject_panic().await;
    let mut children = [child];
    let (name, outcome) = any_ended(&mut children).await;
    assert_eq!(name, "ledger");
    let error = outcome.unwrap_err().to_string();
    assert!(error.contains("died 4 times"), "{error}");
    assert!(!ledger.is_running());
    let refused = ledger.ask(Add(1)).await;
    assert_eq!(refused, Err(Unavailable::Restarting("ledger").into()));
}

#[actix::test]
async fn a_refused_write_leaves_the_actor_alone() {
    let disk = Disk::new();
    let (ledger, child) = start(&disk).await;
    assert_eq!(ledger.ask(Fail::Refused).await, Err(LedgerError::Refused));
    assert_eq!(ledger.ask(Add(1)).await, Ok(1));
    assert_eq!(disk.boots.load(Ordering::SeqCst), 1);
    end(vec![child]).await;
}

#[actix::test]
async fn after_a_write_of_unknown_outcome_boot_finds_the_truth() {
    let disk = Disk::new();
    let (ledger, child) = start(&disk).await;
    let answer = ledger.ask(Fail::WrittenButUnknown(9)).await;
    assert_eq!(answer, Err(LedgerError::Unknown));
    reborn(&disk, &ledger).await;
    assert_eq!(*ledger.view(), [9]);
    assert_eq!(ledger.ask(Add(9)).await, Err(LedgerError::Taken(9)));
    end(vec![child]).await;
}

#[actix::test]
async fn an_unknown_outcome_that_no_caller_waits_for_stops_the_actor_too() {
    let disk = Disk::new();
    let (ledger, child) = start(&disk).await;
    ledger.tell(NoteFailing(Fail::Refused)).unwrap();
    assert_eq!(ledger.ask(Add(1)).await, Ok(1));
    assert!(ledger.is_running());
    let doubtful = NoteFailing(Fail::WrittenButUnknown(9));
    ledger.tell(doubtful).unwrap();
    reborn(&disk, &ledger).await;
    assert_eq!(*ledger.view(), [1, 9]);
    end(vec![child]).await;
}

#[actix::test]
async fn concurrent_commits_are_serialised() {
    let disk = Disk::new();
    let (ledger, child) = start(&disk).await;
    let asks = (0..50).map(|_| ledger.ask(Add(1)));
    let answers = futures_util::future::join_all(asks).await;
    let won = answers.iter().filter(|answer| answer.is_ok()).count();
    assert_eq!(won, 1);
    end(vec![child]).await;
}

#[actix::test]
async fn a_stop_finishes_what_was_accepted_and_refuses_newcomers() {
    let disk = Disk::blocked();
    let (ledger, child) = start(&disk).await;
    let mut asks: Vec<_> = (0..33).map(|row| Box::pin(ledger.ask(Add(row)))).collect();
    for ask in &mut asks {
        assert!(ask.as_mut().now_or_never().is_none(), "in the mailbox");
    }
    disk.started.notified().await;

    child.stop();
    while ledger.is_running() {
        tokio::task::yield_now().await;
    }
    let late = ledger.ask(Add(99)).await;
    assert_eq!(late, Err(Unavailable::Restarting("ledger").into()));

    disk.permits.add_permits(33);
    let answers = futures_util::future::join_all(asks).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    end(vec![child]).await;
    assert_eq!(disk.stored(), (0..33).collect::<Vec<_>>());
    assert_eq!(disk.drained.load(Ordering::SeqCst), 1);
}

#[actix::test]
async fn a_drain_that_takes_too_long_is_named() {
    let disk = Disk::blocked();
    let (ledger, child) = start(&disk).await;
    let mut stuck = Box::pin(ledger.ask(Add(1)));
    assert!(stuck.as_mut().now_or_never().is_none());
    disk.started.notified().await;
    let late = drain_all(vec![child], Duration::ZERO).await;
    assert_eq!(late, ["ledger"]);
}

#[actix::test]
async fn an_abandoned_ask_is_finished_once_started_and_skipped_before() {
    let disk = Disk::blocked();
    let (ledger, child) = start(&disk).await;
    let mut started = Box::pin(ledger.ask(Add(1)));
    let mut queued = Box::pin(ledger.ask(Add(2)));
    assert!(started.as_mut().now_or_never().is_none());
    assert!(queued.as_mut().now_or_never().is_none());
    disk.started.notified().await;
    drop((started, queued));

    disk.permits.add_permits(10);
    assert_eq!(ledger.ask(Add(3)).await, Ok(2));
    assert_eq!(*ledger.view(), [1, 3]);
    assert_eq!(disk.stored(), [1, 3]);
    end(vec![child]).await;
}

#[actix::test]
async fn a_turn_is_over_before_the_next_message_and_shown() {
    let disk = Disk::blocked();
    let (ledger, child) = start(&disk).await;
    ledger.tell(Note(1)).unwrap();
    let mut behind = Box::pin(ledger.ask(Add(1)));
    assert!(behind.as_mut().now_or_never().is_none());
    disk.permits.add_permits(1);
    assert_eq!(behind.await, Err(LedgerError::Taken(1)));
    assert_eq!(*ledger.view(), [1]);
    end(vec![child]).await;
}

#[actix::test]
async fn work_beside_the_actor_goes_on_while_a_write_is_waited_for() {
    let disk = Disk::blocked();
    let (ledger, child) = start(&disk).await;
    ledger.tell(Look).unwrap();
    disk.started.notified().await;
    let mut adding = Box::pin(ledger.ask(Add(1)));
    assert!(adding.as_mut().now_or_never().is_none());
    disk.started.notified().await;

    // The look is the first to get it, and the write waits for it.
    disk.permits.add_permits(1);
    assert_eq!(adding.await, Ok(1));
    while ledger.view().len() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(*ledger.view(), [1, LOOKED]);
    end(vec![child]).await;
}

#[actix::test]
async fn tell_is_refused_when_the_mailbox_is_full() {
    let disk = Disk::blocked();
    let (ledger, child) = start(&disk).await;
    let mut first = Box::pin(ledger.ask(Add(0)));
    assert!(first.as_mut().now_or_never().is_none());
    disk.started.notified().await;
    let refused = (1..10_000).find_map(|row| ledger.tell(Add(row)).err());
    assert_eq!(refused, Some(Unavailable::Overloaded("ledger")));
    disk.permits.add_permits(10_000);
    first.await.unwrap();
    end(vec![child]).await;
}
