//! Attempts that are under way, and what came of them.

use std::{collections::HashSet, panic::AssertUnwindSafe};

use futures_util::FutureExt;
use tokio::{
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
    task::JoinSet,
};

use super::Failure;

#[derive(Debug)]
pub(super) struct EndedAttempt {
    pub id: String,
    pub kind: String,
    /// Tries with this one.
    pub attempts: i32,
    pub outcome: Result<(), Failure>,
}

/// Attempts that are under way; when this is dropped they stop wherever they are.
#[derive(Debug)]
pub(super) struct InFlight {
    deliveries: HashSet<String>,
    attempts: JoinSet<()>,
    arrivals: UnboundedSender<EndedAttempt>,
    arrived: UnboundedReceiver<EndedAttempt>,
}

impl Default for InFlight {
    fn default() -> Self {
        let (arrivals, arrived) = mpsc::unbounded_channel();
        Self {
            deliveries: HashSet::new(),
            attempts: JoinSet::new(),
            arrivals,
            arrived,
        }
    }
}

impl InFlight {
    /// Deliveries that are on their way, with those whose outcome is not noted yet.
    pub(super) fn count(&self) -> usize {
        self.deliveries.len()
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.deliveries.contains(id)
    }

    /// Starts an attempt of a delivery that was tried `tried` times before. `tell` runs once [`InFlight::next`] has the
    /// outcome.
    pub(super) fn send(
        &mut self,
        (id, kind, tried): (String, String, i32),
        delivery: impl Future<Output = Result<(), Failure>> + Send + 'static,
        tell: impl Future<Output = ()> + Send + 'static,
    ) {
        while self.attempts.try_join_next().is_some() {}
        self.deliveries.insert(id.clone());
        let arrivals = self.arrivals.clone();
        self.attempts.spawn(async move {
            let outcome = AssertUnwindSafe(delivery).catch_unwind().await;
            let outcome = outcome.unwrap_or_else(|_| Err(Failure::again("its sender panicked")));
            // The receiver is gone only when the domain has ended.
            let _ = arrivals.send(EndedAttempt {
                id,
                kind,
                attempts: tried.saturating_add(1),
                outcome,
            });
            tell.await;
        });
    }

    pub(super) fn next(&mut self) -> Option<EndedAttempt> {
        self.arrived.try_recv().ok()
    }

    /// Waits for the next attempt that ends; `None` once nothing is on its way.
    pub(super) async fn arrival(&mut self) -> Option<EndedAttempt> {
        if self.deliveries.is_empty() {
            return None;
        }
        self.arrived.recv().await
    }

    /// What came of a delivery is noted, or cannot be.
    pub(super) fn remove(&mut self, id: &str) {
        self.deliveries.remove(id);
    }
}
