//! Checks the monitors of a probe on their slots.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::{
    sync::mpsc::{Receiver, Sender, error::TrySendError},
    task::JoinSet,
    time::Instant,
};

use super::time::ServerTime;
use crate::{
    actors::monitors::{Finding, Monitor, Planner, RemoteMonitor, Report, Work, check_as_probe},
    egress::Egress,
    ids::MonitorId,
};

/// The longest pause between two looks for due checks.
const TICK: Duration = Duration::from_millis(100);
/// How long a check out of turn is worth making, milliseconds.
const MAX_ASKED_MS: i64 = 30_000;
/// How often the log says how late checks begin.
const SUMMARY: Duration = Duration::from_mins(1);

pub(super) struct Checks {
    pub(super) egress: Egress,
    pub(super) time: Arc<ServerTime>,
    /// Checks at the same time.
    pub(super) concurrency: usize,
    pub(super) reports: Sender<Report>,
    /// The last slots that were checked before this start, Unix milliseconds.
    pub(super) done: HashMap<MonitorId, i64>,
}

/// A monitor, and what it was made of.
struct Entry {
    sent: RemoteMonitor,
    monitor: Arc<Monitor>,
}

#[derive(Default)]
struct State {
    planner: Planner,
    monitors: HashMap<i64, Entry>,
    /// The checks out of turn that were asked for last.
    asked: HashMap<i64, i64>,
    running: JoinSet<(Work, Option<Finding>)>,
    /// How late checks have begun since the last summary, milliseconds.
    late: Vec<i64>,
}

impl Checks {
    /// Checks until there is no more work to come.
    pub(super) async fn run(self, mut work: Receiver<Vec<RemoteMonitor>>) {
        let mut state = State::default();
        let mut summary = Instant::now() + SUMMARY;
        loop {
            let pause = self.pause(&mut state);
            tokio::select! {
                next = work.recv() => match next {
                    Some(monitors) => self.replace(&mut state, monitors),
                    None => return,
                },
                Some(done) = state.running.join_next() => {
                    if let Ok((work, found)) = done {
                        self.finish(&mut state, &work, found);
                    }
                }
                () = tokio::time::sleep(pause) => {}
            }
            self.start_due(&mut state);
            if Instant::now() >= summary {
                summary = Instant::now() + SUMMARY;
                state.log_summary();
            }
        }
    }

    fn pause(&self, state: &mut State) -> Duration {
        if state.running.len() >= self.concurrency {
            // What is due waits for a check that ends.
            return TICK;
        }
        let due = state.planner.next_due().zip(self.time.now_ms());
        let left = due.map(|(due, now)| Duration::from_millis((due - now).max(1).unsigned_abs()));
        left.map_or(TICK, |left| left.min(TICK))
    }

    /// Takes over all monitors. Those that stay keep their slots.
    fn replace(&self, state: &mut State, monitors: Vec<RemoteMonitor>) {
        let Some(now_ms) = self.time.now_ms() else {
            return;
        };
        let mut gone: HashMap<i64, Entry> = std::mem::take(&mut state.monitors);
        let mut asked = Vec::new();
        for mut sent in monitors {
            let key = sent.number;
            let done_ms = self.done.get(&sent.id).copied();
            // It is no change of the monitor.
            let wanted = sent.asked.take();
            asked.extend(wanted.filter(|at| Some(*at) > done_ms).map(|at| (key, at)));
            let before = gone.remove(&key);
            if let Some(before) = before.as_ref().filter(|before| before.sent == sent) {
                let monitor = Arc::clone(&before.monitor);
                state.monitors.insert(key, Entry { sent, monitor });
                continue;
            }
            let monitor = match sent.clone().into_monitor() {
                Ok(monitor) => Arc::new(monitor),
                Err(issues) => {
                    tracing::error!(?issues, monitor.id = %sent.id, "a monitor is not checked: upgrade this probe");
                    state.planner.remove(key);
                    continue;
                }
            };
            let is_same_time = before.is_some_and(|before| {
                let recurrence = |sent: &RemoteMonitor| {
                    let fields = &sent.fields;
                    (
                        fields.granularity,
                        fields.cron.clone(),
                        fields.timezone.clone(),
                    )
                };
                recurrence(&before.sent) == recurrence(&sent)
            });
            // No slot is checked again by a program that starts anew.
            let done_ms = done_ms.filter(|done_ms| *done_ms >= now_ms);
            let first = done_ms.and_then(|done_ms| monitor.schedule.next_after(done_ms));
            let mark = state.planner.mark(key).filter(|_| is_same_time).or(first);
            if !is_same_time {
                state.planner.remove(key);
            }
            let schedule = Some(monitor.schedule.clone());
            state.planner.put(key, schedule, mark, now_ms);
            state.monitors.insert(key, Entry { sent, monitor });
        }
        for key in gone.into_keys() {
            state.planner.remove(key);
            state.asked.remove(&key);
        }
        for (key, at_ms) in asked {
            // What was asked for long ago was checked since.
            let is_new = state.asked.insert(key, at_ms) != Some(at_ms);
            if is_new && now_ms - at_ms <= MAX_ASKED_MS {
                state.planner.ask(key, at_ms);
            }
        }
        tracing::info!(monitors = state.monitors.len(), "the work has changed");
    }

    fn start_due(&self, state: &mut State) {
        let Some(now_ms) = self.time.now_ms() else {
            return;
        };
        while state.running.len() < self.concurrency {
            let Some(work) = state.planner.take(now_ms) else {
                return;
            };
            let Some(entry) = state.monitors.get(&work.key) else {
                state.planner.remove(work.key);
                continue;
            };
            if work.missed.count() > 0 {
                let missed = work.missed.count();
                tracing::warn!(missed, monitor.id = %entry.monitor.id, "slots were missed");
            }
            state.late.push(now_ms - work.due_ms);
            let (egress, monitor) = (self.egress.clone(), Arc::clone(&entry.monitor));
            state.running.spawn(async move {
                let found = check_as_probe(egress, &monitor, now_ms).await;
                (work, found)
            });
        }
    }

    fn finish(&self, state: &mut State, work: &Work, found: Option<Finding>) {
        let is_current = state.planner.is_current(work.key, work.fence);
        state.planner.finish(work.key, work.fence, None);
        let Some(entry) = state.monitors.get(&work.key).filter(|_| is_current) else {
            return;
        };
        let Some(found) = found else {
            tracing::warn!(monitor.id = %entry.monitor.id, "not checked: the probe was busy with other checks");
            return;
        };
        let report = Report::new(entry.monitor.id.clone(), work.due_ms, found);
        if let Err(TrySendError::Full(_)) = self.reports.try_send(report) {
            tracing::error!("a result is lost: the disk takes none");
        }
    }
}

impl State {
    fn log_summary(&mut self) {
        self.late.sort_unstable();
        let checks = self.late.len();
        if let Some(p99_ms) = self
            .late
            .get((checks * 99 / 100).min(checks.saturating_sub(1)))
        {
            tracing::info!(checks, late_p99_ms = p99_ms, "checked");
        }
        self.late.clear();
    }
}
