//! Slots that probes check: from the beginning to the decision.

use std::sync::Arc;

use super::{
    Finding, HERE, LastCheck, Monitor, Monitors,
    check_result::{Origin, REGION, RowContext, cut, place_row_id, row_id, undecided},
    places::{
        open_slots::{Ballot, Outcome, SlotConfig},
        quorum::Decision,
    },
    plan::Work,
    silence::is_silent,
    state::PlaceReport,
};
use crate::events::event::Status;

/// How long reports may take behind the timeout of a check, milliseconds.
const GRACE_MS: i64 = 5_000;

impl Monitors {
    /// Begins a slot. Whether this server has to check it.
    pub(super) fn begin_slot(&mut self, spec: &Monitor, work: &Work) -> bool {
        let key = (work.key, work.due_ms);
        // A slot that begins late, as after a restart, leaves time for the reports that wait.
        let over_ms = (work.due_ms + spec.timeout_ms()).max(self.env.clock.now_ms());
        let config = SlotConfig {
            work: work.clone(),
            places: spec.places().into_iter().map(str::to_owned).collect(),
            quorum: spec.fields.quorum,
            deadline_ms: over_ms + GRACE_MS,
        };
        self.open_slots.begin(key, config);
        if spec.is_checked_by(HERE) {
            return true;
        }
        self.try_decide(key);
        false
    }

    /// Adds what a place has found in a slot that is not decided.
    pub(super) fn note_report(&mut self, key: (i64, i64), place: &str, report: PlaceReport) {
        let ballot = Ballot {
            is_up: report.found.is_up(),
            report,
        };
        let before = self.open_slots.report(key, place.to_owned(), ballot);
        let stored = before.and_then(|before| before.report.stored);
        self.batch.settled.extend(stored);
    }

    /// Decides the slots whose time is over.
    pub(super) fn decide_overdue(&mut self) {
        for key in self.open_slots.overdue(self.env.clock.now_ms()) {
            self.try_decide(key);
        }
    }

    /// Decides a slot, if that can be done.
    pub(super) fn try_decide(&mut self, key: (i64, i64)) {
        let now_ms = self.env.clock.now_ms();
        let (probes, states) = (&self.view.probes, &self.probe_states);
        let (inbox, booted_ms) = (&self.env.inbox, self.booted_ms);
        let is_silent = |place: &str| {
            place != HERE && is_silent((probes, states, inbox), place, (booted_ms, now_ms))
        };
        if let Some(over) = self.open_slots.finish(key, now_ms, is_silent) {
            self.conclude(key, over);
        }
    }

    /// Keeps what each place has found, and applies what they found together to the monitor.
    fn conclude(&mut self, key: (i64, i64), over: Outcome<Work, PlaceReport>) {
        let spec = self.view.by_key(key.0).map(|one| Arc::clone(one.spec()));
        let mut found = Vec::with_capacity(over.ballots.len());
        for (place, ballot) in over.ballots {
            let PlaceReport { found: own, stored } = ballot.report;
            self.batch.settled.extend(stored);
            if let Some(spec) = &spec {
                self.keep_place_row(spec, key.1, &place, &own);
            }
            found.push((place, own));
        }
        let work = over.work;
        let work = work.filter(|work| self.planner.is_current(work.key, work.fence));
        let (Some(spec), Some(work)) = (spec, work) else {
            return;
        };
        self.apply(&spec, &work, (over.decision, found));
        self.planner.finish(work.key, work.fence, None);
        let mark = self.planner.mark(work.key);
        self.remember(&spec.id, mark);
        if let Some(waiting) = self.waiting.remove(&work.key) {
            self.batch.waiting.extend(waiting);
        }
    }

    fn apply(
        &mut self,
        spec: &Arc<Monitor>,
        work: &Work,
        (decision, found): (Decision, Vec<(String, Finding)>),
    ) {
        let reported = found.len() as u32;
        let downs = found.iter().filter(|(_, own)| !own.is_up()).count() as u32;
        let Some(found) = choose(decision, found) else {
            let now_ms = self.env.clock.now_ms();
            let row = undecided(spec, work, (reported, downs), now_ms);
            self.batch.rows.push(row);
            self.end_result(&spec.id, work.due_ms);
            return;
        };
        let found = with_tally(found, reported, downs);
        let (id, name) = row_id(work.cause, work.due_ms);
        let origin = Origin::Together { reported, downs };
        self.take(spec, &found, (id, name, origin));
    }

    /// Adds the row of a place's check to the batch.
    pub(super) fn keep_place_row(
        &mut self,
        spec: &Monitor,
        slot_ms: i64,
        place: &str,
        found: &Finding,
    ) {
        let probe = self.view.probes.by_id(place);
        let name = probe.map_or(place, |probe| probe.fields.name.as_str());
        let name = if place == HERE { REGION } else { name };
        let status = if spec.in_maintenance(found.check.at_ms) {
            Status::Maintenance
        } else if found.is_up() {
            Status::Up
        } else {
            Status::Down
        };
        let why = RowContext {
            id: place_row_id(slot_ms, place),
            name: "slot",
            status,
            retries: 0,
            streak: 0,
            degraded: found.slow,
            now_ms: self.env.clock.now_ms(),
            origin: Origin::Place(place.to_owned(), name.to_owned()),
        };
        self.batch.rows.push(found.check.row(spec, &why));
    }
}

/// The check that represents the decision: the median of the good ones, or the first that failed, here if it failed here.
fn choose(decision: Decision, mut found: Vec<(String, Finding)>) -> Option<Finding> {
    match decision {
        Decision::Unknown => None,
        Decision::Up => {
            found.retain(|(_, own)| own.is_up());
            found.sort_by_key(|(_, own)| own.check.total_us());
            let middle = found.len().saturating_sub(1) / 2;
            found.into_iter().nth(middle).map(|(_, own)| own)
        }
        Decision::Down => {
            found.retain(|(_, own)| !own.is_up());
            found.sort_by_key(|(place, _)| place != HERE);
            found.into_iter().next().map(|(_, own)| own)
        }
    }
}

/// Says in the error at how many places a check failed.
fn with_tally(found: Finding, reported: u32, downs: u32) -> Finding {
    let error = match &found.check.error {
        Some(error) if reported > 1 => {
            Some(cut(&format!("{error} ({downs} of {reported} locations)")))
        }
        error => error.clone(),
    };
    Finding {
        check: LastCheck {
            error,
            ..found.check
        },
        ..found
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{
        actors::monitors::CheckResult,
        egress::{Class, Failure, Trace},
    };

    fn found(ms: u64, failure: Option<&str>) -> Finding {
        let trace = Trace::lasting(Duration::from_millis(ms));
        let failure = failure.map(|text| Failure::new(Class::Refused, text));
        CheckResult {
            failure,
            ..CheckResult::new(5, trace)
        }
        .finding()
    }

    fn at(place: &str, found: Finding) -> (String, Finding) {
        (place.to_owned(), found)
    }

    #[test]
    fn a_good_slot_has_the_median_time_and_a_bad_one_the_error_of_this_server() {
        let all = || {
            vec![
                at("a", found(90, None)),
                at("b", found(10, None)),
                at("c", found(1, Some("refused there"))),
                at("d", found(40, None)),
                at(HERE, found(2, Some("refused here"))),
            ]
        };
        let up = choose(Decision::Up, all()).unwrap();
        assert_eq!(up.check.total_us(), 40_000);
        let down = choose(Decision::Down, all()).unwrap();
        assert_eq!(down.check.error.as_deref(), Some("refused here"));
        assert_eq!(choose(Decision::Unknown, all()), None);
    }

    #[test]
    fn an_error_says_at_how_many_places_it_was_seen() {
        let down = with_tally(found(1, Some("refused")), 3, 2);
        assert_eq!(
            down.check.error.as_deref(),
            Some("refused (2 of 3 locations)")
        );
        let alone = with_tally(found(1, Some("refused")), 1, 1);
        assert_eq!(alone.check.error.as_deref(), Some("refused"));
        assert_eq!(with_tally(found(1, None), 3, 1).check.error, None);
    }
}
