//! The work that runs by the clock: every process reads, the leader orders.

use std::{collections::BTreeMap, sync::atomic::Ordering};

use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use super::{
    CertificateError, Certificates,
    agenda::{Agenda, DueTask},
    orders::RecentOrders,
    rules::{MAX_AT_ONCE, Task},
    service::TICK,
};

/// How often what is over is deleted, in ticks.
const PURGE_TICKS: u64 = 900;

/// What is done and what is to be done.
#[derive(Default)]
struct Work {
    running: BTreeMap<String, (Task, AbortOnDropHandle<()>)>,
    agenda: Agenda,
    is_full: bool,
}

impl Work {
    /// Says once that the limit of orders holds certificates up.
    fn warn_if_full(&mut self, orders: &RecentOrders) {
        let waits = |due: &DueTask| due.task.is_order() && !orders.fits(due.owner.as_ref());
        let waiting = self.agenda.due.iter().filter(|due| waits(due)).count();
        if waiting > 0 && !self.is_full {
            tracing::warn!(
                waiting,
                orders = orders.all(),
                "certificates wait: too many were ordered in the last three hours"
            );
        }
        self.is_full = waiting > 0;
    }
}

impl Certificates {
    /// Reads and orders forever.
    pub async fn run(self) {
        let (mut work, mut is_failing) = (Work::default(), false);
        for tick in 0_u64.. {
            let done = self.tick(&mut work, tick % PURGE_TICKS == 0).await;
            if let (Err(error), false) = (&done, is_failing) {
                tracing::warn!(%error, "certificates are not looked after; it is tried again every two seconds");
            }
            is_failing = done.is_err();
            tokio::time::sleep(TICK).await;
        }
    }

    async fn tick(&self, work: &mut Work, purges: bool) -> Result<(), CertificateError> {
        work.running.retain(|_, (_, task)| !task.is_finished());
        self.refresh().await?;
        if self.0.authority.is_none() || !self.0.db.is_leader() {
            return Ok(());
        }
        if purges {
            self.purge().await?;
        }
        self.update_agenda(&mut work.agenda);
        if work.agenda.due.is_empty() {
            return Ok(());
        }
        let mut orders = self.0.store.load_recent_orders().await?;
        let is_paused = self.0.paused_until_ms.load(Ordering::SeqCst) > self.0.clock.now_ms();
        while work.running.len() < MAX_AT_ONCE {
            let Work {
                running, agenda, ..
            } = work;
            let next = agenda.pick(&orders, !is_paused, |host| running.contains_key(host));
            let Some(next) = next.cloned() else {
                break;
            };
            if next.task.is_order() {
                orders.add(next.owner.as_ref());
            }
            let own = self.clone();
            let (task, host) = (next.task, next.host.clone());
            let begun = TaskTracker::new().spawn(async move { own.perform(&next).await });
            running.insert(host, (task, AbortOnDropHandle::new(begun)));
        }
        work.warn_if_full(&orders);
        Ok(())
    }

    async fn perform(&self, due: &DueTask) {
        let host = due.host.as_str();
        let done = match due.task {
            Task::Order | Task::Renew => {
                self.issue(host, due.owner.as_ref()).await;
                Ok(())
            }
            Task::Remove => self.forget(host).await,
            Task::Revoke => self.revoke(host).await,
            Task::AskRenewal => self.ask_renewal(host).await,
        };
        if let Err(error) = done {
            tracing::warn!(host, %error, "a certificate is not looked after; it is tried again");
        }
        if let Err(error) = self.refresh().await {
            tracing::debug!(%error, "what was done is read again with the next turn");
        }
    }
}
