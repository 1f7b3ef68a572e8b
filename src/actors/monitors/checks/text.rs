//! Assertions about text, and other work with expressions of customers.
//!
//! An expression may take seconds for a text that was made for it. All checks share a thread, so expressions are matched by
//! others, a few at a time. A check doesn't wait longer than until its deadline; the thread ends by itself, because expressions
//! and texts are bounded.

use std::{
    sync::{
        Arc, LazyLock, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use tokio::{
    sync::oneshot,
    time::{Instant, timeout_at},
};

use super::{
    super::{
        Expectations,
        expect::{self, Compiled},
    },
    limiter::Limiter,
};
use crate::{
    egress::{Class, Failure},
    ids::OrganizationId,
};

/// Threads at a time, and those of one organization.
const MAX_THREADS: usize = 4;
const MAX_OWN_THREADS: usize = 1;
static THREADS: LazyLock<Limiter> = LazyLock::new(|| Limiter::new(MAX_THREADS, MAX_OWN_THREADS));

/// Does work of one check on other threads.
#[derive(Debug, Clone)]
pub(super) struct Worker {
    limiter: &'static Limiter,
    organization: OrganizationId,
    deadline: Instant,
    usage: Arc<Usage>,
}

#[derive(Debug, Default)]
struct Usage {
    was_busy: AtomicBool,
    waited_ns: AtomicU64,
}

impl Worker {
    pub(super) fn new(organization: OrganizationId, deadline: Instant) -> Self {
        Self {
            limiter: &THREADS,
            organization,
            deadline,
            usage: Arc::default(),
        }
    }

    /// Whether work was not done, because that of others came first.
    pub(super) fn was_busy(&self) -> bool {
        self.usage.was_busy.load(Relaxed)
    }

    /// How long the check has waited for its work, which is no time of its target.
    pub(super) fn waited(&self) -> Duration {
        Duration::from_nanos(self.usage.waited_ns.load(Relaxed))
    }

    /// Matches expressions on another thread, and waits for that until the deadline.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let began = Instant::now();
        let outcome = self.start(work).await;
        let waited_ns = began.elapsed().as_nanos() as u64;
        self.usage.waited_ns.fetch_add(waited_ns, Relaxed);
        outcome
    }

    async fn start<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let other = |message: &str| Failure::new(Class::Other, message);
        let acquiring = self.limiter.acquire(&self.organization);
        let acquired = timeout_at(self.deadline, acquiring).await;
        let Some(permit) = acquired.ok().flatten() else {
            self.usage.was_busy.store(true, Relaxed);
            return Err(other("pharos is busy with other regular expressions"));
        };
        let (sender, receiver) = oneshot::channel();
        let thread = thread::Builder::new().name("expression".to_owned());
        // Not of the runtime, which would wait for it when it ends.
        let started = thread.spawn(move || {
            let done = work();
            drop(permit);
            let _ = sender.send(done);
        });
        started.map_err(|_| other("the system starts no more threads"))?;
        let late = "the regular expression takes too long for this text: lower its repetitions";
        let done = timeout_at(self.deadline, receiver).await;
        let done = done.map_err(|_| other(late))?;
        done.map_err(|_| other("the check itself failed"))
    }
}

/// Assertions about text. Their expression is compiled once.
#[derive(Debug)]
pub(super) struct Text {
    worker: Worker,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    expect: Expectations,
    expression: OnceLock<Compiled>,
}

impl Text {
    pub(super) fn new(expect: &Expectations, worker: &Worker) -> Self {
        Self {
            worker: worker.clone(),
            shared: Arc::new(Shared {
                expect: expect.clone(),
                expression: OnceLock::new(),
            }),
        }
    }

    /// Whether there are any.
    pub(super) fn is_wanted(&self) -> bool {
        expect::wants_text(&self.shared.expect)
    }

    /// Holds them against a text. Without an expression that takes milliseconds at most.
    pub(super) async fn check(&self, text: &[u8]) -> Result<(), Failure> {
        if self.shared.expect.matches.is_none() {
            return self.shared.check(text);
        }
        let (shared, text) = (Arc::clone(&self.shared), text.to_vec());
        self.worker.run(move || shared.check(&text)).await?
    }
}

impl Shared {
    fn check(&self, text: &[u8]) -> Result<(), Failure> {
        let compile = || expect::compile(&self.expect);
        let expression = self.expression.get_or_init(compile);
        expect::compiled_text(&self.expect, expression.as_ref(), text)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures_util::FutureExt as _;
    use serde_json::json;

    use super::*;

    /// The work of an organization of its own, with threads of its own, and so many seconds for it.
    fn worker(seconds: u64) -> Worker {
        let deadline = Instant::now() + Duration::from_secs(seconds);
        Worker {
            limiter: Box::leak(Box::new(Limiter::new(2, 1))),
            ..Worker::new(OrganizationId::new(), deadline)
        }
    }

    fn matches(pattern: &str, worker: &Worker) -> Text {
        let expect = serde_json::from_value(json!({ "matches": pattern })).unwrap();
        Text::new(&expect, worker)
    }

    #[tokio::test]
    async fn texts_match_or_do_not() {
        let text = matches("o[k]", &worker(20));
        assert!(text.is_wanted() && text.worker.waited().is_zero());
        assert_eq!(text.check(b"it is ok").await, Ok(()));
        assert!(!text.worker.waited().is_zero());
        let failure = text.check(b"it is not").await.unwrap_err();
        assert_eq!(failure.class, Class::Assertion);
        let failure = matches("(", &worker(20)).check(b"(").await.unwrap_err();
        assert!(failure.message.contains("is invalid: "), "{failure}");
        let failure = worker(20).run::<()>(|| panic!("broken")).await.unwrap_err();
        assert_eq!(failure.class, Class::Other);
    }

    #[tokio::test]
    async fn a_hostile_expression_ends_at_the_deadline_and_other_checks_go_on() {
        let hostile = matches("(?:[ab]{1,30}){1,56}c", &worker(0));
        let other = matches("o[k]", &worker(20));
        let long = "ab".repeat(1 << 16);
        let (outcome, other) = tokio::join!(hostile.check(long.as_bytes()), other.check(b"ok"));
        // On this thread it would end, and not match.
        assert_eq!(outcome.unwrap_err().class, Class::Other);
        assert_eq!(other, Ok(()));
    }

    #[tokio::test]
    async fn the_work_of_an_organization_waits_for_its_own_alone() {
        let greedy = worker(0);
        let (release, released) = mpsc::channel::<()>();
        let endless = greedy.run(move || released.recv().is_ok());
        assert_eq!(endless.await.unwrap_err().class, Class::Other);
        assert!(!greedy.was_busy());
        // The thread goes on, and keeps its permit.
        let busy = greedy.run(|| ()).await.unwrap_err();
        assert!(greedy.was_busy() && busy.message.contains("is busy"));
        let other = OrganizationId::new();
        let permit = greedy.limiter.acquire(&other).now_or_never().flatten();
        assert!(permit.is_some());
        drop(release);
    }
}
