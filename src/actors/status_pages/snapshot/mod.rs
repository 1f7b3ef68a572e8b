//! What the world sees of a page at one moment: a pure function of the page, its monitors as they stand, and their days.

use std::sync::Arc;

use serde::Serialize;

use super::{Impact, Incident, IncidentKind, Listed, Severity, StatusPage};
use crate::actors::monitors::{self, Last, Monitored};

/// Days that are shown.
pub(super) const DAYS: i32 = 90;
pub(super) const DAY_MS: i64 = 86_400_000;
/// A check that is older than this, or than three intervals, says nothing any more.
const STALE_MS: i64 = 5 * 60_000;

/// How a monitor stands, for the world: as its last check says, or worse where an incident that is not over says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MonitorStatus {
    /// The last check succeeded.
    Up,
    /// It answered, but not as it should.
    Degraded,
    /// It did not answer, or with an error of its own.
    Down,
    /// Nobody knows.
    Unknown,
}

impl MonitorStatus {
    /// How bad it is; that nobody knows is worse than good news.
    const fn weight(self) -> u8 {
        match self {
            Self::Up => 0,
            Self::Unknown => 1,
            Self::Degraded => 2,
            Self::Down => 3,
        }
    }
}

/// Whether the last check says something still.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Freshness {
    /// It does.
    Fresh,
    /// It is too old.
    Stale,
    /// There was none.
    Unknown,
}

/// How everything stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Overall {
    /// All is well.
    Operational,
    /// Something is not.
    Degraded,
    /// Nothing is.
    Outage,
    /// All is well, but for what is being worked on as planned.
    Maintenance,
    /// Nobody knows.
    Unknown,
}

/// A day (UTC) of a monitor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Day {
    /// When it begins, Unix milliseconds.
    pub at_ms: i64,
    pub known: monitors::Day,
}

impl Day {
    /// Milliseconds of its good checks on average.
    pub fn response(&self) -> Option<f64> {
        self.known.response()
    }
}

/// A monitor on a page.
#[derive(Debug, Clone)]
pub struct Seen {
    pub listed: Listed,
    pub name: String,
    pub url: String,
    pub status: MonitorStatus,
    /// Whether planned maintenance that goes on affects it.
    pub in_maintenance: bool,
    /// Whether that is to be relied on.
    pub freshness: Freshness,
    /// When it was checked last, Unix milliseconds.
    pub checked_ms: Option<i64>,
    /// The last ninety days, oldest first.
    pub days: Vec<Day>,
}

impl Seen {
    /// Percent of the last so many days for which it was up, as far as anything is known.
    pub fn uptime(&self, days: usize) -> Option<f64> {
        self.sum(days).uptime()
    }

    /// Milliseconds of good checks of the last so many days on average.
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

/// What the world sees.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub page: Arc<StatusPage>,
    pub overall: Overall,
    pub monitors: Vec<Seen>,
    /// When it was seen, Unix milliseconds.
    pub at_ms: i64,
    /// Whether subscribers can be told by mail.
    pub sends_mail: bool,
}

/// What a check says: an error that is not the server's own is a server that is there.
pub(super) fn status(last: Option<&Last>, freshness: Freshness) -> MonitorStatus {
    match last {
        Some(last) if freshness == Freshness::Fresh => match (last.status, last.http_code) {
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

/// How everything stands (docs/status-pages.md), by the first of these that is true: a critical incident, or one because of
/// which something is down, is an outage; any other incident is degraded; without monitors nothing is known. Monitors that are
/// being worked on as planned are left out; of the others, all down is an outage, any down or degraded is degraded. Then
/// maintenance that goes on is maintenance, anything unknown is unknown, and the rest is operational.
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
    } else if open(IncidentKind::Maintenance).any(Incident::goes_on) {
        Overall::Maintenance
    } else if monitors.is_empty() || has(MonitorStatus::Unknown) {
        Overall::Unknown
    } else {
        Overall::Operational
    }
}

/// How a monitor stands, all told: the worse of what its last check says and what incidents that are not over say of it.
fn worst_status(incidents: &[Incident], id: &str, own: MonitorStatus) -> MonitorStatus {
    let open = incidents.iter();
    let open = open.filter(|one| one.kind == IncidentKind::Incident && !one.is_over());
    let hits = open.flat_map(|one| &one.affected);
    let hits = hits.filter(|hit| hit.status_page_monitor_id == id);
    let said = hits.map(|hit| match hit.impact {
        Impact::Degraded => MonitorStatus::Degraded,
        Impact::Down => MonitorStatus::Down,
    });
    said.chain([own])
        .max_by_key(|status| status.weight())
        .unwrap_or(own)
}

/// Whether maintenance that goes on affects the monitor with this id on the page.
pub(super) fn in_maintenance(incidents: &[Incident], id: &str) -> bool {
    let now = incidents.iter().filter(|one| one.goes_on());
    now.flat_map(|one| &one.affected)
        .any(|hit| hit.status_page_monitor_id == id)
}

/// What the world calls a monitor: never by an address that is hidden.
pub(super) fn shown_name(listed: &Listed, spec: &monitors::Monitor) -> String {
    let own = listed.fields.display_name.as_deref();
    let name = own.or(spec.fields.name.as_deref());
    let name = name.unwrap_or(if listed.fields.hide_url {
        "Unnamed system"
    } else {
        spec.label()
    });
    name.to_owned()
}

/// A monitor as the world sees it.
pub(super) fn seen(
    (listed, incidents): (&Listed, &[Incident]),
    one: &Monitored,
    known: &[monitors::Day],
    now_ms: i64,
) -> Seen {
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
    Seen {
        listed: listed.clone(),
        name: shown_name(listed, spec),
        url: spec.url.clone(),
        status: worst_status(incidents, &listed.id, status(live.last.as_ref(), freshness)),
        in_maintenance: in_maintenance(incidents, &listed.id),
        freshness,
        checked_ms,
        days: (today + 1 - DAYS..=today).map(day).collect(),
    }
}

#[cfg(test)]
mod tests;
