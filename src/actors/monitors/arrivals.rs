//! Reads the reports of probes, which any process may have stored, and hands them to their slots.

use std::time::Duration;

use actix::{AsyncContext as _, Context};

use super::{
    Monitor, Monitors, Report, ReportsArrived,
    places::stored_reports::{self, NewReports, ReportKey},
    report_reads::EarlyReport,
    report_rules::MAX_AHEAD_MS,
    state::PlaceReport,
};
use crate::{
    actors::kit::{Live, handlers, read_beside},
    entities::monitor_report,
};

/// How often reports that reached other processes are looked for.
const POLL: Duration = Duration::from_millis(200);
/// The same where every report reaches this process, which says so.
const CALM: Duration = Duration::from_secs(5);

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
    if live.batch.is_large() {
        live.reports.note_more();
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
    read_beside(
        context,
        read,
        move |live: &mut Live<Monitors>, read, context| {
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
        },
    );
}

/// Reads what had to wait until a batch was written.
pub(super) fn go_on(live: &mut Live<Monitors>, context: &mut Context<Live<Monitors>>) {
    if live.reports.take_more() {
        look(live, context);
    }
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
        let has_more = self.reports.take_more() || new.has_more;
        if has_more || !self.find_due().is_empty() {
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
}

fn to_key(row: &monitor_report::Model) -> ReportKey {
    ReportKey {
        probe: row.probe_id.as_str().into(),
        number: row.number,
    }
}
