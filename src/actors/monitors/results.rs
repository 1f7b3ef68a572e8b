//! Applies the result of a check to its monitor, the plan and the next batch.

use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use super::{
    CheckResult, Finding, HERE, Kind, LastCheck, LiveState, Monitor, Monitors, Rules, State, Step,
    Transition, TransitionRecord,
    check_result::{Origin, RowContext, missed, row_id, skipped},
    plan::{Cause, Work},
    push,
    rollup::{self, LastResult},
    state::PlaceReport,
    step,
    view::{self, StateUpdate},
};
use crate::{
    egress::{Class, Failure, Trace},
    events::event::Status,
    ids::MonitorId,
};

const DAY_MS: i64 = 86_400_000;

impl Monitors {
    /// Counts a check that begins, and records slots without a check.
    pub(super) fn count(&mut self, spec: &Monitor, work: &Work, now_ms: i64) {
        let lateness = Arc::clone(&self.view.lateness);
        if work.cause == Cause::Slot {
            lateness.begun(now_ms - work.due_ms);
        }
        let Some(first) = work.missed.slots.first() else {
            return;
        };
        lateness.missed.fetch_add(work.missed.count(), Relaxed);
        let last = work.missed.slots.len() - 1;
        for (at, slot) in work.missed.slots.iter().enumerate() {
            let further = if at == last { work.missed.further } else { 0 };
            self.batch.rows.push(missed(spec, *slot, further, now_ms));
        }
        self.end_result(&spec.id, *first);
        // A process that continues here begins with the present slot, so a slot is missed only once.
        let mark = self.planner.mark(work.key);
        self.remember(&spec.id, mark);
    }

    /// The last result holds until this moment, Unix milliseconds, and nothing is known from then on.
    pub(super) fn end_result(&mut self, id: &MonitorId, at_ms: i64) {
        let Some(one) = self.view.by_id(id.as_str()).cloned() else {
            return;
        };
        for day in rollup::parts(one.live().memory.seen, at_ms, Status::Missed, 0) {
            self.batch.add_day(id, &day);
        }
        one.update(|live| {
            live.recent.hold(live.memory.seen, at_ms);
            live.memory.seen = LastResult::after(at_ms, Status::Missed);
        });
    }

    pub(super) fn finish(&mut self, work: &Work, result: &CheckResult) {
        if !self.planner.is_current(work.key, work.fence) {
            return;
        }
        let Some(spec) = self.view.by_key(work.key).map(|one| Arc::clone(one.spec())) else {
            return;
        };
        if spec.has_probes() {
            // The others decide a slot that was skipped here.
            if !result.is_skipped {
                self.finish_place(&spec, work, result.finding());
            }
            return;
        }
        let recheck_ms = if result.is_skipped {
            self.skip(&spec, work);
            None
        } else {
            let (id, name) = row_id(work.cause, work.due_ms);
            let step = self.take(&spec, &result.finding(), (id, name, Origin::Here));
            step.and_then(|step| step.recheck_ms)
        };
        self.planner.finish(work.key, work.fence, recheck_ms);
        let mut mark = self.planner.mark(work.key);
        if spec.kind == Kind::Push {
            let deadline = work.due_ms.max(self.env.clock.now_ms()) + spec.interval_ms();
            self.planner.ask(work.key, deadline);
            mark = Some(deadline);
        }
        self.remember(&spec.id, mark);
        if let Some(waiting) = self.waiting.remove(&work.key) {
            self.batch.waiting.extend(waiting);
        }
    }

    /// Records a check that was not made, which says nothing about the target.
    fn skip(&mut self, spec: &Monitor, work: &Work) {
        self.view.lateness.missed.fetch_add(1, Relaxed);
        let row = skipped(spec, work, self.env.clock.now_ms());
        self.batch.rows.push(row);
        self.end_result(&spec.id, work.due_ms);
    }

    /// The slot may be decided without this server.
    fn finish_place(&mut self, spec: &Monitor, work: &Work, found: Finding) {
        let key = (work.key, work.due_ms);
        if self.open_slots.is_begun(key) {
            let report = PlaceReport {
                found,
                stored: None,
            };
            self.note_report(key, HERE, report);
            self.try_decide(key);
        } else {
            self.keep_place_row(spec, work.due_ms, HERE, &found);
        }
    }

    pub(super) fn note_start(&mut self, spec: &Arc<Monitor>, now_ms: i64) {
        let Some(one) = self.view.by_id(spec.id.as_str()) else {
            return;
        };
        one.update(|live| live.memory.started_ms = Some(now_ms));
        let mark = self.planner.due(spec.key.0);
        self.remember(&spec.id, mark);
    }

    pub(super) fn note_signal(&mut self, spec: &Arc<Monitor>, good: bool, now_ms: i64) {
        let started = self
            .view
            .by_id(spec.id.as_str())
            .and_then(|one| one.live().memory.started_ms);
        let took = started.map_or(0, |started| (now_ms - started).max(0));
        let took = Duration::from_millis(took.unsigned_abs());
        let failure = Failure::new(Class::Reported, "the program reported a failure");
        let result = CheckResult {
            failure: (!good).then_some(failure),
            slow: spec.is_slow(took),
            ..CheckResult::new(now_ms, Trace::lasting(took))
        };
        let id = format!("push:{}", uuid::Uuid::now_v7());
        self.take(spec, &result.finding(), (id, "push", Origin::Here));
        if let Some(one) = self.view.by_id(spec.id.as_str()) {
            one.update(|live| live.memory.started_ms = None);
        }
        let deadline = push::deadline(spec, now_ms);
        self.planner.put(spec.key.0, None, None, now_ms);
        self.planner.ask(spec.key.0, deadline);
        self.remember(&spec.id, Some(deadline));
    }

    /// Steps the state machine, and adds all results to the batch.
    pub(super) fn take(
        &mut self,
        spec: &Arc<Monitor>,
        found: &Finding,
        (id, name, origin): (String, &'static str, Origin),
    ) -> Option<Step> {
        let one = self.view.by_id(spec.id.as_str()).cloned()?;
        let before = one.live();
        let at_ms = found.check.at_ms;
        let in_maintenance = spec.in_maintenance(at_ms);
        let mut step = step(
            before.standing,
            at_ms,
            found.verdict(),
            in_maintenance,
            self.rules(spec),
        );
        let last = LastCheck {
            status: step.status.number(),
            ..found.check.clone()
        };
        let why = RowContext {
            id,
            name,
            status: step.status,
            retries: step.standing.retries,
            streak: step.standing.streak,
            degraded: step.standing.state == State::Degraded,
            now_ms: self.env.clock.now_ms(),
            origin,
        };
        self.batch.rows.push(last.row(spec, &why));
        let took_ms = last.total_ms();
        for day in rollup::parts(before.memory.seen, at_ms, step.status, took_ms) {
            self.batch.add_day(&spec.id, &day);
        }
        if step.status == Status::Up {
            self.add_time(&spec.id, at_ms, took_ms);
        }
        let error = last
            .error_class
            .map(|class| class.as_str().to_owned())
            .zip(last.error.clone());
        let mut live = LiveState {
            last: Some(last),
            standing: step.standing,
            recent: before.recent.clone(),
            memory: before.memory,
        };
        live.recent.hold(before.memory.seen, at_ms);
        live.recent.add(at_ms, &step, took_ms);
        live.memory.seen = LastResult::after(at_ms, step.status);
        if !in_maintenance {
            self.tell(spec, &before, &mut live, step.transition, error);
            step.standing = live.standing;
        }
        one.set(live);
        Some(step)
    }

    /// Probes check again in the next slot only, which is too late to be the default.
    fn rules(&self, spec: &Monitor) -> Rules {
        let usual = if spec.kind == Kind::Push || spec.has_probes() {
            0
        } else {
            self.env.options.retries
        };
        Rules {
            retries: spec.fields.retries.unwrap_or(usual),
            recheck_ms: spec.recheck_ms(),
        }
    }

    /// Adds the response time of a good check to its day.
    fn add_time(&mut self, id: &MonitorId, at_ms: i64, took_ms: u32) {
        let day = at_ms.div_euclid(DAY_MS) as i32;
        let own = self.times.entry(id.clone()).or_default();
        // Checks that begin before midnight arrive after it, so yesterday is kept.
        own.retain(|known, _| day - known <= 1);
        let times = own.entry(day).or_default();
        times.add(took_ms);
        self.batch.times.insert((id.clone(), day), times.clone());
    }

    /// Decides whether a transition is noted and emails are sent.
    fn tell(
        &mut self,
        spec: &Arc<Monitor>,
        before: &LiveState,
        live: &mut LiveState,
        transition: Option<Transition>,
        error: Option<(String, String)>,
    ) {
        let at_ms = live.last.as_ref().map_or(0, |last| last.at_ms);
        let is_down = live.standing.state == State::Down;
        // It is down without an email, because a dependency was down as well: this is decided again.
        let late = is_down && !before.standing.told && transition.is_none();
        let because_of = if is_down && !before.standing.told {
            view::cause(&self.view, spec)
        } else {
            None
        };
        let change = match transition {
            Some(change) => change,
            None if late && because_of.is_none() => Transition {
                from: State::Down,
                to: State::Down,
                since_ms: live.standing.since_ms,
            },
            None => return,
        };
        let tell = if is_down {
            because_of.is_none()
        } else {
            change.from == State::Down && before.standing.told
        };
        live.standing.told = is_down && (tell || before.standing.told);
        let noted = TransitionRecord {
            at_ms,
            from: change.from,
            to: change.to,
            error,
            because_of,
        };
        self.batch
            .noted
            .push((Arc::clone(spec), change, noted, tell));
    }

    /// Adds the state of a monitor to the batch.
    pub(super) fn remember(&mut self, id: &MonitorId, mark: Option<i64>) {
        if let Some(one) = self.view.by_id(id.as_str()) {
            let live = one.live().as_ref().clone();
            self.batch
                .after
                .insert(id.clone(), StateUpdate { live, mark });
        }
    }
}
