//! Reads the reports of probes, which any process may have stored, and hands them to their slots.

use std::{sync::Arc, time::Duration};

use actix::{ActorFutureExt as _, AsyncContext as _, Context, fut};

use super::{
    Finding, Monitor, Monitors, Report, ReportsArrived,
    places::stored_reports::{self, NewReports, ReportKey},
    report_reads::EarlyReport,
    state::PlaceReport,
};
use crate::{
    actors::kit::{Live, handlers},
    entities::monitor_report,
};

/// How often reports that reached other processes are looked for.
const POLL: Duration = Duration::from_millis(200);
/// The same where every report reaches this process, which says so.
const CALM: Duration = Duration::from_secs(5);
/// How far a slot may be ahead, or before its monitor was created, milliseconds.
const MAX_AHEAD_MS: i64 = 60_000;
/// How far a slot may be ahead to be waited for, as after this clock was set back, milliseconds.
const MAX_EARLY_MS: i64 = 86_400_000;

handlers! { Monitors:
    now ReportsArrived => Live::<Monitors>::hear_reports;
}

pub(super) fn start(live: &mut Live<Monitors>, context: &mut Context<Live<Monitors>>) {
    let pause = if live.env.db.is_shared() { POLL } else { CALM };
    context.run_interval(pause, look);
    context.run_later(Duration::ZERO, look);
}

/// Reads what has come since the last look, if this process decides.
fn look(live: &mut Live<Monitors>, context: &mut Context<Live<Monitors>>) {
    if !live.env.db.is_leader() {
        return;
    }
    let probes = live.view.probes.iter();
    let known = live.reports.in_turn(probes.map(|probe| &probe.id));
    if known.is_empty() {
        return;
    }
    let Some(generation) = live.reports.begin() else {
        return;
    };
    let db = live.env.db.clone();
    let due = live.find_due();
    let keys: Vec<ReportKey> = due.iter().map(|early| early.key.clone()).collect();
    let read = async move { stored_reports::load(db.writer(), &keys, &known).await };
    context.spawn(
        fut::wrap_future::<_, Live<Monitors>>(read).map(move |read, live, context| {
            if !live.reports.end(generation) {
                return;
            }
            match read {
                Ok((again, new)) => {
                    live.take_due_reports(&due, again);
                    live.take_reports(new, context);
                }
                Err(error) => tracing::debug!(%error, "reports of probes are read later"),
            }
        }),
    );
}

impl Live<Monitors> {
    fn hear_reports(&mut self, _: ReportsArrived, context: &mut Context<Self>) {
        look(self, context);
    }

    fn take_reports(&mut self, new: NewReports, context: &mut Context<Self>) {
        if !self.env.db.is_leader() {
            return;
        }
        if let Some(last) = new.rows.last() {
            self.reports.end_turn(last.probe_id.as_str().into());
        }
        for row in &new.rows {
            self.take_row(row);
        }
        // Those that are deleted need no look any more.
        for end in &new.ends {
            self.reports.note(end);
        }
        self.write(context);
        if self.reports.take_more() || new.has_more || !self.find_due().is_empty() {
            look(self, context);
        }
    }
}

impl Monitors {
    /// Reports that have waited for their slots.
    fn find_due(&self) -> Vec<EarlyReport> {
        let until_ms = self.env.clock.now_ms().saturating_add(MAX_AHEAD_MS);
        self.reports.find_due(until_ms)
    }

    /// Takes reports that have waited for their slots, as far as they are still stored.
    fn take_due_reports(&mut self, due: &[EarlyReport], rows: Vec<monitor_report::Model>) {
        if !self.env.db.is_leader() {
            return;
        }
        for early in due {
            self.reports.drop_early(early);
        }
        for row in rows {
            self.take_stored(to_key(&row), &row.report);
        }
    }

    fn take_row(&mut self, row: &monitor_report::Model) {
        let key = to_key(row);
        if self.reports.note(&key) {
            self.take_stored(key, &row.report);
        }
    }

    fn take_stored(&mut self, key: ReportKey, text: &str) {
        let report = match serde_json::from_str::<Report>(text) {
            Ok(report) => report,
            Err(error) => {
                let kind = error.classify();
                tracing::warn!(?kind, probe = %key.probe, "a result of a probe can't be read: upgrade this server");
                self.batch.settled.push(key);
                return;
            }
        };
        let Some(spec) = self.find_own(key.probe.as_str(), &report) else {
            self.batch.settled.push(key);
            return;
        };
        if self.is_early(&report) {
            let early = EarlyReport {
                key: key.clone(),
                slot_ms: report.slot,
                bytes: text.len(),
            };
            if self.reports.keep_early(&early) {
                return;
            }
        }
        self.take_report(key, &spec, report);
    }

    /// The monitor of a report, if it is the probe's: a monitor of its organization that it had to check in the
    /// slot, while it had a token.
    fn find_own(&self, place: &str, report: &Report) -> Option<Arc<Monitor>> {
        let spec = self.view.by_id(report.monitor.as_str())?.spec();
        let probe = self.view.probes.by_id(place)?;
        let is_own =
            probe.organization == spec.organization && spec.was_checked_by(place, report.slot);
        let is_over = probe.revoked_ms.is_some_and(|at_ms| report.slot > at_ms);
        (is_own && !is_over).then(|| Arc::clone(spec))
    }

    fn is_early(&self, report: &Report) -> bool {
        let ahead_ms = report.slot.saturating_sub(self.env.clock.now_ms());
        (MAX_AHEAD_MS + 1..=MAX_EARLY_MS).contains(&ahead_ms)
    }

    fn take_report(&mut self, stored: ReportKey, spec: &Monitor, report: Report) {
        if let Some((slot_ms, found)) = self.accept(stored.probe.as_str(), spec, report) {
            let report = PlaceReport {
                found,
                stored: Some(stored.clone()),
            };
            self.note_report(slot_ms, stored.probe.as_str(), report);
            self.try_decide(slot_ms);
        } else {
            self.batch.settled.push(stored);
        }
    }

    /// The slot of a report that is not decided, with what was found. Of a decided one, and of a place that the monitor has left
    /// since, the row is kept.
    fn accept(
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
        let is_slot = spec.schedule.next_after(slot_ms.saturating_sub(1)) == Some(slot_ms);
        let mark = self.planner.mark(spec.key.0);
        let is_open = is_slot && mark.is_some_and(|mark| slot_ms >= mark);
        let key = (spec.key.0, slot_ms);
        let is_asked = self.planner.due(key.0) == Some(slot_ms) || self.open_slots.is_begun(key);
        let is_undecided = is_open || (spec.asked_ms == Some(slot_ms) && is_asked);
        if is_undecided && spec.is_checked_by(place) {
            return Some((key, found));
        }
        self.keep_place_row(spec, slot_ms, place, &found);
        None
    }
}

fn to_key(row: &monitor_report::Model) -> ReportKey {
    ReportKey {
        probe: row.probe_id.as_str().into(),
        number: row.number,
    }
}
