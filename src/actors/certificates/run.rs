//! The work that runs by the clock: every process reads, the leader orders.

use std::{
    collections::{BTreeMap, HashMap},
    sync::atomic::Ordering,
};

use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use super::{
    CertificateError, Certificates,
    rules::{MAX_AT_ONCE, Plan, Task, find_task, free_orders},
    service::TICK,
};

/// How often what is over is deleted, in ticks.
const PURGE_TICKS: u64 = 900;

/// What is being done, by host.
type Running = BTreeMap<String, (Task, AbortOnDropHandle<()>)>;

impl Certificates {
    /// Reads and orders forever.
    pub async fn run(self) {
        let (mut running, mut is_limited, mut is_failing) = (Running::new(), false, false);
        for tick in 0_u64.. {
            let done = self.tick(&mut running, &mut is_limited, tick % PURGE_TICKS == 0);
            let done = done.await;
            if let (Err(error), false) = (&done, is_failing) {
                tracing::warn!(%error, "certificates are not looked after; it is tried again every two seconds");
            }
            is_failing = done.is_err();
            tokio::time::sleep(TICK).await;
        }
    }

    async fn tick(
        &self,
        running: &mut Running,
        is_limited: &mut bool,
        purges: bool,
    ) -> Result<(), CertificateError> {
        running.retain(|_, (_, task)| !task.is_finished());
        self.refresh().await?;
        if self.0.authority.is_none() || !self.0.db.is_leader() {
            return Ok(());
        }
        if purges {
            self.purge().await?;
        }
        let due = self.find_due(running);
        if due.is_empty() {
            return Ok(());
        }
        let is_order = |task: Task| matches!(task, Task::Order | Task::Renew);
        let ordering = running.values().filter(|(task, _)| is_order(*task)).count();
        let recent = self.0.store.count_recent_orders().await?;
        let mut orders = free_orders(ordering, recent);
        let is_full = orders == 0 && ordering < MAX_AT_ONCE;
        if is_full && !*is_limited {
            tracing::warn!(
                orders = recent,
                "certificates wait: too many were ordered in the last three hours"
            );
        }
        *is_limited = is_full;
        if self.0.paused_until_ms.load(Ordering::SeqCst) > self.0.clock.now_ms() {
            orders = 0;
        }
        for (task, host) in due {
            if running.len() >= MAX_AT_ONCE {
                break;
            }
            if is_order(task) {
                if orders == 0 {
                    continue;
                }
                orders -= 1;
            }
            let (own, name) = (self.clone(), host.clone());
            let work = TaskTracker::new().spawn(async move { own.perform(task, &name).await });
            running.insert(host, (task, AbortOnDropHandle::new(work)));
        }
        Ok(())
    }

    /// What is due and not being done, the most urgent first.
    fn find_due(&self, running: &Running) -> Vec<(Task, String)> {
        let Some(verified) = self.0.hosts.list() else {
            return Vec::new();
        };
        let now_ms = self.0.clock.now_ms();
        let mut plans: HashMap<Box<str>, Plan> = self.0.memory.plans().into_iter().collect();
        let mut due = Vec::new();
        let mut consider = |host: &str, plan: Option<Plan>, is_verified| {
            let task = find_task(plan.as_ref(), is_verified, now_ms);
            let waits = |task: &Task| *task == Task::Order && !self.0.hosts.leads_here(host);
            if let Some(task) = task.filter(|task| !waits(task)) {
                let end = plan.and_then(|plan| plan.ends_ms);
                due.push((task, end, host.to_owned()));
            }
        };
        for host in verified {
            let plan = plans.remove(&*host);
            consider(&host, plan, true);
        }
        for (host, plan) in plans {
            consider(&host, Some(plan), false);
        }
        due.retain(|(_, _, host)| !running.contains_key(host));
        due.sort_unstable();
        due.into_iter()
            .map(|(task, _, host)| (task, host))
            .collect()
    }

    async fn perform(&self, task: Task, host: &str) {
        let done = match task {
            Task::Order | Task::Renew => {
                self.issue(host).await;
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
