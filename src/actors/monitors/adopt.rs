//! Takes over what was written.

use std::sync::Arc;

use super::{
    Kind, LiveState, Monitor, MonitorEntry, Monitors, Signal, actor::plan, check_result, rollup,
    view::Memory,
};
use crate::{events::event::Status, ids::MonitorId};

/// How far the clock of another process may be ahead, milliseconds.
const MAX_AHEAD_MS: i64 = 60_000;

impl Monitors {
    pub(super) fn adopt_new(&mut self, spec: Monitor) -> Arc<Monitor> {
        let spec = Arc::new(spec);
        let fresh = MonitorEntry::new(Arc::clone(&spec), LiveState::default());
        Arc::make_mut(&mut self.view).put(Arc::new(fresh));
        if !spec.is_paused {
            self.go_on(&spec);
        }
        spec
    }

    pub(super) fn adopt_change(&mut self, spec: Monitor) -> Arc<Monitor> {
        let spec = Arc::new(spec);
        let Some(before) = self.view.by_id(spec.id.as_str()).cloned() else {
            return spec;
        };
        let same_target = before.spec().url == spec.url;
        let changed = before.changed(Arc::clone(&spec));
        if !same_target {
            changed.set(LiveState::default());
        }
        Arc::make_mut(&mut self.view).put(Arc::new(changed));
        if !spec.is_paused {
            let now_ms = self.env.clock.now_ms();
            let same_recurrence = {
                let (old, new) = (&before.spec().fields, &spec.fields);
                (old.granularity, &old.cron, &old.timezone)
                    == (new.granularity, &new.cron, &new.timezone)
            };
            // A slot in progress begins anew under the changed plan.
            self.open_slots.suspend(spec.key.0);
            let mark = self.planner.mark(spec.key.0).filter(|_| same_recurrence);
            if !same_recurrence {
                self.planner.remove(spec.key.0);
            }
            plan(&mut self.planner, &spec, mark, now_ms);
            let is_asked = spec.has_probes() && before.spec().asked_ms != spec.asked_ms;
            if (!same_target || is_asked) && spec.kind != Kind::Push {
                self.planner.ask(spec.key.0, asked_ms(&spec, now_ms));
            }
        }
        spec
    }

    pub(super) fn adopt_pause(&mut self, spec: Monitor) -> Arc<Monitor> {
        let spec = Arc::new(spec);
        let Some(before) = self.view.by_id(spec.id.as_str()).cloned() else {
            return spec;
        };
        let now_ms = self.env.clock.now_ms();
        if spec.is_paused {
            // The last result does not hold while the monitor is paused.
            for day in rollup::parts(before.live().memory.seen, now_ms, Status::Missed, 0) {
                self.batch.add_day(&spec.id, &day);
            }
            self.batch.rows.push(check_result::paused(&spec, now_ms));
        }
        before.update(|live| {
            live.recent.hold(live.memory.seen, now_ms);
            live.memory = Memory::default();
        });
        Arc::make_mut(&mut self.view).put(Arc::new(before.changed(Arc::clone(&spec))));
        if spec.is_paused {
            self.planner.remove(spec.key.0);
            self.waiting.remove(&spec.key.0);
            self.remember(&spec.id, None);
        } else {
            self.go_on(&spec);
        }
        spec
    }

    /// Schedules a monitor and checks it at once.
    pub(super) fn go_on(&mut self, spec: &Monitor) {
        let now_ms = self.env.clock.now_ms();
        plan(&mut self.planner, spec, None, now_ms);
        if spec.kind != Kind::Push {
            self.planner.ask(spec.key.0, asked_ms(spec, now_ms));
        }
    }

    pub(super) fn forget(&mut self, key: i64, id: &MonitorId) {
        self.planner.remove(key);
        self.waiting.remove(&key);
        let reports = self.open_slots.forget(key).into_iter();
        let stored = reports.filter_map(|report| report.stored);
        self.batch.settled.extend(stored);
        self.batch.after.remove(id);
        self.times.remove(id);
        Arc::make_mut(&mut self.view).take(id);
    }

    pub(super) fn beat(&mut self, spec: &Arc<Monitor>, signal: Signal) {
        let now_ms = self.env.clock.now_ms();
        if signal == Signal::Start {
            self.note_start(spec, now_ms);
            return;
        }
        self.note_signal(spec, signal == Signal::Finish, now_ms);
    }
}

/// When a check out of turn is due: all places name it by the same moment.
fn asked_ms(spec: &Monitor, now_ms: i64) -> i64 {
    let asked = spec.asked_ms.filter(|_| spec.has_probes());
    // Not by the clock of a process that is far ahead.
    let asked = asked.filter(|asked_ms| *asked_ms <= now_ms + MAX_AHEAD_MS);
    asked.unwrap_or(now_ms)
}
