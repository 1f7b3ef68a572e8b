//! The public view of a page at one moment: a pure function of the page, its monitors and their days.

use std::sync::Arc;

use serde::Serialize;

use super::{Impact, Incident, IncidentKind, PageMonitor, Severity, StatusPage};
use crate::actors::monitors::{self, LastCheck, MonitorEntry, State};

pub(super) const DAYS: i32 = 90;
pub(super) const DAY_MS: i64 = 86_400_000;
/// A check is stale after this time, or after three intervals.
const STALE_MS: i64 = 5 * 60_000;

/// The public status of a monitor: that of its last check, or worse if an open incident says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MonitorStatus {
    /// The last check succeeded.
    Up,
    /// It answered slowly, or not as expected.
    Degraded,
    /// It did not answer, or with a server error.
    Down,
    /// No recent result.
    Unknown,
}

impl MonitorStatus {
    /// The order of severity; unknown is worse than up.
    const fn weight(self) -> u8 {
        match self {
            Self::Up => 0,
            Self::Unknown => 1,
            Self::Degraded => 2,
            Self::Down => 3,
        }
    }
}

/// The age of the last check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Freshness {
    /// It is recent enough.
    Fresh,
    /// It is too old.
    Stale,
    /// There was no check.
    Unknown,
}

/// The status of the whole page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Overall {
    /// Everything works.
    Operational,
    /// Something is degraded.
    Degraded,
    /// Everything is down, or an incident is critical.
    Outage,
    /// Everything works, except for planned maintenance.
    Maintenance,
    /// No recent result.
    Unknown,
}

/// A day (UTC) of a monitor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Day {
    /// The beginning, Unix milliseconds.
    pub at_ms: i64,
    pub known: monitors::Day,
}

impl Day {
    /// The average response time of good checks, milliseconds.
    pub fn response(&self) -> Option<f64> {
        self.known.response()
    }
}

/// A monitor on a page.
#[derive(Debug, Clone)]
pub struct MonitorSnapshot {
    pub listed: PageMonitor,
    pub name: String,
    pub url: String,
    pub status: MonitorStatus,
    /// Whether maintenance in progress affects it.
    pub in_maintenance: bool,
    pub freshness: Freshness,
    /// The last check, Unix milliseconds.
    pub checked_ms: Option<i64>,
    /// The last ninety days, oldest first.
    pub days: Vec<Day>,
}

impl MonitorSnapshot {
    /// The uptime of the last so many days, percent.
    pub fn uptime(&self, days: usize) -> Option<f64> {
        self.sum(days).uptime()
    }

    /// The average response time of the last so many days, milliseconds.
    pub fn response(&self, days: usize) -> Option<f64> {
        self.sum(days).response()
    }

    fn sum(&self, days: usize) -> monitors::Day {
        let first = self.days.len().saturating_sub(days);
        let mut sum = monitors::Day::default();
        for day in self.days.iter().skip(first) {
            sum.add(&day.known);
        }
        sum
    }
}

#[derive(Debug, Clone)]
pub struct Snapshot {
    pub page: Arc<StatusPage>,
    pub overall: Overall,
    pub monitors: Vec<MonitorSnapshot>,
    /// Unix milliseconds.
    pub at_ms: i64,
    /// Whether email is configured.
    pub sends_mail: bool,
}

impl Snapshot {
    /// Whether a monitor outside of maintenance is down.
    pub fn has_outage(&self) -> bool {
        let mut monitors = self.monitors.iter();
        monitors.any(|one| one.status == MonitorStatus::Down && !one.in_maintenance)
    }
}

/// The status of a monitor in this state: a client error comes from a server that works.
pub(super) fn status(
    last: Option<&LastCheck>,
    state: State,
    freshness: Freshness,
) -> MonitorStatus {
    match last {
        Some(last) if freshness == Freshness::Fresh => match (last.status, last.http_code) {
            (1, _) if state == State::Degraded => MonitorStatus::Degraded,
            (1, _) => MonitorStatus::Up,
            (0, 1..500) => MonitorStatus::Degraded,
            (0, _) => MonitorStatus::Down,
            _ => MonitorStatus::Unknown,
        },
        _ => MonitorStatus::Unknown,
    }
}

pub(super) fn freshness(checked_ms: Option<i64>, interval_ms: i64, now_ms: i64) -> Freshness {
    match checked_ms {
        None => Freshness::Unknown,
        Some(at_ms) if now_ms - at_ms <= STALE_MS.max(3 * interval_ms) => Freshness::Fresh,
        Some(_) => Freshness::Stale,
    }
}

/// The status of the whole page (docs/status-pages.md), by the first of these that is true. A critical incident, or one with a monitor
/// that is down, is an outage; any other incident is degraded. Of monitors outside of maintenance, all down is an outage, any
/// down or degraded is degraded. Then maintenance in progress is maintenance; no monitors, or any unknown, is unknown; the rest is
/// operational.
pub(super) fn overall(incidents: &[Incident], monitors: &[(MonitorStatus, bool)]) -> Overall {
    let open = |kind| {
        let of_kind = incidents.iter().filter(move |one| one.kind == kind);
        of_kind.filter(|one| !one.is_over())
    };
    let is_down = |one: &Incident| {
        one.severity == Severity::Critical
            || one.affected.iter().any(|hit| hit.impact == Impact::Down)
    };
    if open(IncidentKind::Incident).any(is_down) {
        return Overall::Outage;
    }
    if open(IncidentKind::Incident).next().is_some() {
        return Overall::Degraded;
    }
    let left = monitors
        .iter()
        .filter(|(_, in_maintenance)| !in_maintenance);
    let left: Vec<MonitorStatus> = left.map(|(status, _)| *status).collect();
    let has = |status: MonitorStatus| left.contains(&status);
    if !left.is_empty() && left.iter().all(|one| *one == MonitorStatus::Down) {
        Overall::Outage
    } else if has(MonitorStatus::Down) || has(MonitorStatus::Degraded) {
        Overall::Degraded
    } else if open(IncidentKind::Maintenance).any(Incident::is_in_progress) {
        Overall::Maintenance
    } else if monitors.is_empty() || has(MonitorStatus::Unknown) {
        Overall::Unknown
    } else {
        Overall::Operational
    }
}

/// The worst of a monitor's own status and those of open incidents.
fn worst_status(incidents: &[Incident], id: &str, own: MonitorStatus) -> MonitorStatus {
    let open = incidents.iter();
    let open = open.filter(|one| one.kind == IncidentKind::Incident && !one.is_over());
    let hits = open.flat_map(|one| &one.affected);
    let hits = hits.filter(|hit| hit.status_page_monitor_id == id);
    let statuses = hits.map(|hit| match hit.impact {
        Impact::Degraded => MonitorStatus::Degraded,
        Impact::Down => MonitorStatus::Down,
    });
    statuses
        .chain([own])
        .max_by_key(|status| status.weight())
        .unwrap_or(own)
}

/// Whether maintenance in progress affects the monitor with this id on the page.
pub(super) fn in_maintenance(incidents: &[Incident], id: &str) -> bool {
    let now = incidents.iter().filter(|one| one.is_in_progress());
    now.flat_map(|one| &one.affected)
        .any(|hit| hit.status_page_monitor_id == id)
}

/// The public name of a monitor, which never shows a hidden target.
pub(super) fn public_name(listed: &PageMonitor, spec: &monitors::Monitor) -> String {
    let own = listed.fields.display_name.as_deref();
    let name = own.or(spec.fields.name.as_deref());
    let name = name.unwrap_or(if listed.fields.hide_url {
        "Unnamed monitor"
    } else {
        spec.label()
    });
    name.to_owned()
}

pub(super) fn snapshot_monitor(
    (listed, incidents): (&PageMonitor, &[Incident]),
    one: &MonitorEntry,
    known: &[monitors::Day],
    now_ms: i64,
) -> MonitorSnapshot {
    let (spec, live) = (one.spec(), one.live());
    let checked_ms = live.last.as_ref().map(|last| last.at_ms);
    let freshness = freshness(checked_ms, spec.interval_ms(), now_ms);
    let today = now_ms.div_euclid(DAY_MS) as i32;
    let day = |day: i32| {
        let found = known.iter().find(|known| known.day == day);
        Day {
            at_ms: i64::from(day) * DAY_MS,
            known: found.copied().unwrap_or_default(),
        }
    };
    MonitorSnapshot {
        listed: listed.clone(),
        name: public_name(listed, spec),
        url: spec.url.clone(),
        status: worst_status(
            incidents,
            &listed.id,
            status(live.last.as_ref(), live.standing.state, freshness),
        ),
        in_maintenance: in_maintenance(incidents, &listed.id),
        freshness,
        checked_ms,
        days: (today + 1 - DAYS..=today).map(day).collect(),
    }
}

#[cfg(test)]
mod tests;
