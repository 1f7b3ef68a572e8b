//! Decides which reports of probes count: their monitors, and their moments.

use std::sync::Arc;

use super::{Finding, Monitor, Monitors, Report, schedule::may_have_slot};

/// How far a slot may be ahead, or before its monitor was created, milliseconds.
pub(super) const MAX_AHEAD_MS: i64 = 60_000;
/// How far a slot may be ahead to be waited for, as after this clock was set back, milliseconds.
const MAX_EARLY_MS: i64 = 86_400_000;

impl Monitors {
    /// The monitor of a report, if it is the probe's: a monitor of its organization that it had to check in the
    /// slot, while it had a token.
    pub(super) fn find_own(&self, place: &str, report: &Report) -> Option<Arc<Monitor>> {
        let spec = self.view.by_id(report.monitor.as_str())?.spec();
        let probe = self.view.probes.by_id(place)?;
        let is_own =
            probe.organization == spec.organization && spec.was_checked_by(place, report.slot);
        let is_over = probe.revoked_ms.is_some_and(|at_ms| report.slot > at_ms);
        (is_own && !is_over).then(|| Arc::clone(spec))
    }

    pub(super) fn is_early(&self, report: &Report) -> bool {
        let ahead_ms = report.slot.saturating_sub(self.env.clock.now_ms());
        (MAX_AHEAD_MS + 1..=MAX_EARLY_MS).contains(&ahead_ms)
    }

    /// The slot of a report that is not decided, with what was found. Of a decided one, and of a place that the monitor has left
    /// since, the row is kept, unless there can't have been a check at this moment.
    pub(super) fn accept(
        &mut self,
        place: &str,
        spec: &Monitor,
        report: Report,
    ) -> Option<((i64, i64), Finding)> {
        let slot_ms = report.slot;
        let now_ms = self.env.clock.now_ms();
        let first_ms = spec.created_ms.min(now_ms) - MAX_AHEAD_MS;
        let is_possible = (first_ms..=now_ms + MAX_AHEAD_MS).contains(&slot_ms);
        if !is_possible {
            return None;
        }
        let late_ms = spec.timeout_ms() + spec.recheck_ms();
        let found = report.into_finding(late_ms, now_ms);
        let is_slot = spec.schedule.has_slot(slot_ms);
        let mark = self.planner.mark(spec.key.0);
        let is_open = is_slot && mark.is_some_and(|mark| slot_ms >= mark);
        let key = (spec.key.0, slot_ms);
        let is_asked = self.planner.due(key.0) == Some(slot_ms) || self.open_slots.is_begun(key);
        let is_undecided = is_open || (spec.asked_ms == Some(slot_ms) && is_asked);
        if is_undecided && spec.is_checked_by(place) {
            return Some((key, found));
        }
        if may_report(spec, slot_ms) || self.may_report_unplanned(place, spec, slot_ms) {
            self.keep_place_row(spec, slot_ms, place, &found);
        }
        None
    }

    /// Of checks out of turn, only the last one is known, so those before it are few.
    fn may_report_unplanned(&mut self, place: &str, spec: &Monitor, slot_ms: i64) -> bool {
        slot_ms < spec.updated_ms && self.reports.count_unplanned(place)
    }
}

/// Whether a monitor may have had a check at this moment, Unix milliseconds, that is known: a slot, also of an earlier schedule, or
/// the last one out of turn.
fn may_report(spec: &Monitor, slot_ms: i64) -> bool {
    let has_changed = spec.updated_ms > spec.created_ms;
    spec.schedule.has_slot(slot_ms)
        || spec.asked_ms == Some(slot_ms)
        || (has_changed && may_have_slot(spec.key.0, slot_ms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::monitors::{
        Granularity, MonitorFields, Schedule, schedule::Recurrence, testing,
    };

    #[test]
    fn a_probe_reports_slots_and_checks_out_of_turn() {
        let fields = MonitorFields {
            granularity: Some(Granularity::Hour),
            ..MonitorFields::default()
        };
        let first = testing::monitor("m", fields);
        let begin_ms = 1_791_936_000_000;
        let slot_ms = first.schedule.next_after(begin_ms).unwrap();
        let former = Schedule::new(Recurrence::Every(30_000), 1);
        let former_ms = former.next_after(begin_ms).unwrap();
        let may = |spec: &Monitor| {
            [slot_ms, slot_ms + 1, former_ms, former_ms + 1].map(|at_ms| may_report(spec, at_ms))
        };
        assert_eq!(may(&first), [true, false, false, false]);
        let changed = Monitor {
            updated_ms: 9,
            ..first.clone()
        };
        assert_eq!(may(&changed), [true, false, true, false]);
        let asked = Monitor {
            asked_ms: Some(slot_ms + 1),
            ..first
        };
        assert_eq!(may(&asked), [true, true, false, false]);
    }
}
