//! The actor: it starts checks that are due and writes their results.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, atomic::Ordering::Relaxed},
    time::{Duration, Instant},
};

use actix::{ActorContext, AsyncContext, Context, Message};
use futures_util::future::LocalBoxFuture;
use tokio::{sync::oneshot, task::JoinSet};

use super::{
    CheckResult, Kind, Monitor, Monitors, MonitorsView, ProbeState, Probes, arrivals,
    batch::{self, CheckBatch},
    checks::run_check,
    env::MonitorsEnv,
    error::BatchError,
    forwarding,
    lateness::Lateness,
    link_targets, pending_rows,
    places::{self, open_slots::OpenSlots},
    plan::{Planner, Work},
    push::{self, Tokens},
    repo,
    report_reads::ReportReads,
    silence,
    work_index::WorkIndex,
};
use crate::{
    actors::kit::{Domain, Live, Resident, UnknownOutcome as _, handlers},
    ids::ProbeId,
    spans::{self, Span},
    store::StateDb,
};

/// The longest pause between two looks for due checks.
const TICK: Duration = Duration::from_millis(100);
/// The shortest pause between two writes.
const WRITE: Duration = Duration::from_millis(250);
/// How often results are published to other processes if nothing has changed.
const PUBLISH: Duration = Duration::from_secs(5);
/// The pause after a failed write.
const RETRY: Duration = Duration::from_secs(2);
/// How often monitors of link targets are synchronized with links.
const SYNC_LINKS: Duration = Duration::from_secs(5);
/// How often old days are deleted.
const TIDY: Duration = Duration::from_hours(1);
/// How often pending rows are written to the event log.
const FLUSH: Duration = Duration::from_secs(5);
const DAY_MS: i64 = 86_400_000;
const HOUR_MS: i64 = 3_600_000;

impl Domain for Monitors {
    const NAME: &'static str = "monitors";
    const MAILBOX: usize = 1_024;
    type Env = MonitorsEnv;
    type View = MonitorsView;

    async fn boot(env: MonitorsEnv) -> anyhow::Result<Self> {
        let found = repo::load_all(&env, &env.organizations.view()).await?;
        let (probes, probe_states) = load_probes(&env).await?;
        let mut view = MonitorsView {
            monitors: HashMap::with_capacity(found.len()),
            keys: HashMap::with_capacity(found.len()),
            by_token: HashMap::new(),
            tokens: Tokens::new(&env.secret),
            probes,
            work: WorkIndex::default(),
            lateness: Arc::new(Lateness::default()),
            egress: env.egress.clone(),
            db: env.db.clone(),
        };
        let mut planner = Planner::default();
        let now_ms = env.clock.now_ms();
        let times = repo::load_times(env.db.writer(), now_ms).await?;
        for one in found {
            let spec = Arc::clone(one.monitored.spec());
            view.put(one.monitored);
            if !spec.is_paused {
                plan(&mut planner, &spec, one.next_slot, now_ms);
            }
        }
        Ok(Self {
            env,
            view: Arc::new(view),
            planner,
            batch: CheckBatch::default(),
            times,
            waiting: HashMap::new(),
            tasks: JoinSet::new(),
            background: JoinSet::new(),
            forwarded: HashSet::new(),
            is_reading: false,
            published: Instant::now(),
            running: 0,
            finishing: None,
            write_after: Instant::now(),
            open_slots: OpenSlots::default(),
            probe_states,
            reports: ReportReads::default(),
            booted_ms: now_ms,
        })
    }

    fn view(&self) -> Arc<MonitorsView> {
        Arc::clone(&self.view)
    }

    fn epoch_source(env: &MonitorsEnv) -> Option<&StateDb> {
        Some(&env.db)
    }

    fn depends_on(env: &MonitorsEnv) -> Vec<&dyn Resident> {
        vec![&env.organizations]
    }

    fn reread(&mut self, fresh: Self) {
        if self.env.db.is_leader() {
            self.follow(&fresh.view);
            return;
        }
        self.stand_down();
        let lateness = Arc::clone(&self.view.lateness);
        self.view = fresh.view;
        Arc::make_mut(&mut self.view).lateness = lateness;
        self.planner = fresh.planner;
        self.times = fresh.times;
        self.probe_states = fresh.probe_states;
        self.booted_ms = fresh.booted_ms;
    }

    fn started(live: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        context.run_later(Duration::ZERO, Live::tick);
        context.run_interval(forwarding::POLL, forwarding::poll);
        arrivals::start(live, context);
        context.run_interval(silence::EVERY, silence::look);
        // Even if another process is the leader.
        let flush = pending_rows::flush(live.env.clone());
        live.background.spawn(flush);
        if live.env.db.is_shared() {
            context.run_interval(FLUSH, |live, _| {
                let flush = pending_rows::flush(live.env.clone());
                live.background.spawn(flush);
            });
        }
        context.run_interval(SYNC_LINKS, |live, context| {
            if live.env.db.is_leader() {
                link_targets::sync(live, context);
            }
        });
        context.run_interval(TIDY, |live, _| {
            let days = live.env.options.retention_days;
            if days > 0 && live.env.db.is_leader() {
                let before_ms = live.env.clock.now_ms() - i64::from(days) * DAY_MS;
                let tidy = repo::delete_older(live.env.db.clone(), before_ms);
                live.background.spawn(async move {
                    if let Err(error) = tidy.await {
                        tracing::warn!(%error, "days of monitors that are too old cannot be deleted");
                    }
                });
            }
        });
    }

    fn drain(&mut self) -> LocalBoxFuture<'static, ()> {
        let (env, batch) = (self.env.clone(), std::mem::take(&mut self.batch));
        let finishing = self.finishing.take();
        Box::pin(async move {
            if let Some(finishing) = finishing {
                let _ = finishing.await;
            }
            if batch.is_empty() || !env.db.is_leader() {
                return;
            }
            if let Err(error) = batch::write(&env, &batch).await {
                tracing::warn!(%error, "the last checks of monitors are not stored; they are made again");
            }
        })
    }
}

impl Monitors {
    fn set_running(&mut self, running: usize) {
        self.running = running;
        self.view.lateness.running.store(running as u64, Relaxed);
    }

    /// Another process is the leader: drops everything in progress.
    fn stand_down(&mut self) {
        self.tasks.abort_all();
        self.batch = CheckBatch::default();
        self.waiting.clear();
        self.forwarded.clear();
        self.is_reading = false;
        self.running = 0;
        self.finishing = None;
        self.open_slots = OpenSlots::default();
        self.reports.clear();
    }
}

/// All probes, and what is known of them.
async fn load_probes(env: &MonitorsEnv) -> anyhow::Result<(Probes, HashMap<ProbeId, ProbeState>)> {
    let (mut probes, mut states) = (Probes::default(), HashMap::new());
    for (probe, state) in places::repo::load_all(env.db.writer()).await? {
        states.insert(probe.id.clone(), state);
        probes.put(Arc::new(probe));
    }
    Ok((probes, states))
}

/// Adds a monitor to the plan at its next slot.
pub(super) fn plan(planner: &mut Planner, spec: &Monitor, next: Option<i64>, now_ms: i64) {
    let key = spec.key.0;
    if spec.kind == Kind::Push {
        planner.put(key, None, None, now_ms);
        // Heartbeats that were missed while pharos was down are not counted.
        let earliest = push::deadline(spec, now_ms) - spec.interval_ms();
        planner.ask(
            key,
            next.unwrap_or_else(|| push::deadline(spec, now_ms))
                .max(earliest),
        );
        return;
    }
    // A wrong clock in the past must not silence a monitor.
    let furthest = now_ms + 2 * spec.schedule.interval_ms().unwrap_or(400 * DAY_MS) + HOUR_MS;
    let next = next.filter(|next| *next <= furthest);
    planner.put(key, Some(spec.schedule.clone()), next, now_ms);
}

#[derive(Debug, Message)]
#[rtype(result = "()")]
struct CheckFinished {
    work: Work,
    result: CheckResult,
    /// Whether it has one of the places of `monitors.concurrency`.
    is_counted: bool,
}

#[derive(Debug, Message)]
#[rtype(result = "()")]
struct BatchWritten {
    batch: CheckBatch,
    outcome: Result<(), BatchError>,
}

handlers! { Monitors:
    now CheckFinished => Live::<Monitors>::finish_check;
    now BatchWritten => Live::<Monitors>::finish_batch;
}

impl Live<Monitors> {
    fn tick(&mut self, context: &mut Context<Self>) {
        while self.tasks.try_join_next().is_some() {}
        while self.background.try_join_next().is_some() {}
        if !self.env.db.is_leader() {
            self.batch = CheckBatch::default();
            context.run_later(TICK, Self::tick);
            return;
        }
        self.pump(context);
        self.decide_overdue();
        self.write(context);
        let now_ms = self.env.clock.now_ms();
        let behind_ms = self.planner.behind_ms(now_ms);
        self.view.lateness.behind_ms.store(behind_ms, Relaxed);
        let next = self
            .planner
            .next_due()
            .map(|due| due.saturating_sub(now_ms).unsigned_abs());
        let wait = next
            .filter(|_| behind_ms == 0)
            .map_or(TICK, |ms| TICK.min(Duration::from_millis(ms)));
        context.run_later(wait.max(Duration::from_millis(1)), Self::tick);
    }

    fn finish_check(&mut self, finished: CheckFinished, context: &mut Context<Self>) {
        if !self.env.db.is_leader() {
            return;
        }
        if finished.is_counted {
            let running = self.running.saturating_sub(1);
            self.set_running(running);
        }
        self.finish(&finished.work, &finished.result);
        self.pump(context);
        self.write(context);
    }

    fn finish_batch(
        &mut self,
        BatchWritten { batch, outcome }: BatchWritten,
        context: &mut Context<Self>,
    ) {
        self.finishing = None;
        if !self.env.db.is_leader() {
            return;
        }
        self.settle_batch(batch, outcome, context);
        self.write(context);
        arrivals::go_on(self, context);
    }

    /// Starts due checks up to the limit of concurrency.
    pub(super) fn pump(&mut self, context: &mut Context<Self>) {
        let now_ms = self.env.clock.now_ms();
        while self.running < self.env.options.concurrency as usize {
            let Some(work) = self.planner.take(now_ms) else {
                break;
            };
            self.begin(work, now_ms, context);
        }
    }

    fn begin(&mut self, work: Work, now_ms: i64, context: &mut Context<Self>) {
        let Some(spec) = self.view.by_key(work.key).map(|one| Arc::clone(one.spec())) else {
            self.planner.remove(work.key);
            return;
        };
        if !self.env.organizations.view().is_live(&spec.organization) {
            self.planner.finish(work.key, work.fence, None);
            return;
        }
        self.count(&spec, &work, now_ms);
        if spec.has_probes() && !self.begin_slot(&spec, &work) {
            return;
        }
        let (egress, address) = (self.env.egress.clone(), context.address());
        // Pages have a limit of their own. Those that wait for it keep no other check waiting.
        let is_counted = spec.kind != Kind::Browser;
        if is_counted {
            let running = self.running + 1;
            self.set_running(running);
        }
        self.tasks.spawn(async move {
            let mut span = Span::begin("probe", spans::Work::Client);
            span.note("monitor.kind", spec.kind.as_str());
            let result = span.around(run_check(egress, &spec, now_ms)).await;
            if result.failure.is_some() {
                span.fail();
            }
            drop(span);
            let finished = CheckFinished {
                work,
                result,
                is_counted,
            };
            let _ = address.send(finished).await;
        });
    }

    /// Writes the batch, unless a write is in progress or was just done.
    pub(super) fn write(&mut self, context: &mut Context<Self>) {
        let now = Instant::now();
        let hurry = !self.batch.waiting.is_empty();
        if self.finishing.is_some() || self.batch.is_empty() || (now < self.write_after && !hurry) {
            return;
        }
        self.write_after = now + WRITE;
        let (env, mut batch) = (self.env.clone(), std::mem::take(&mut self.batch));
        batch.is_published = now >= self.published + PUBLISH || !batch.waiting.is_empty();
        if batch.is_published {
            self.published = now;
        }
        let (finished, finishing) = oneshot::channel();
        self.finishing = Some(finishing);
        let address = context.address();
        // A separate task, because a drain waits for it.
        self.tasks.spawn(async move {
            let outcome = batch::write(&env, &batch).await;
            let _ = finished.send(());
            let _ = address.send(BatchWritten { batch, outcome }).await;
        });
    }

    fn settle_batch(
        &mut self,
        batch: CheckBatch,
        outcome: Result<(), BatchError>,
        context: &mut Context<Self>,
    ) {
        match outcome {
            Ok(()) => {
                for one in batch.waiting {
                    let _ = one.send(());
                }
            }
            Err(error) if error.outcome_unknown() => {
                tracing::error!(%error, "`monitors` stops: a write may or may not have happened");
                context.stop();
            }
            Err(error) => {
                tracing::warn!(%error, "checks of monitors are not stored yet");
                self.write_after = Instant::now() + RETRY;
                let later = std::mem::take(&mut self.batch);
                self.batch = batch.behind(later);
            }
        }
    }
}
