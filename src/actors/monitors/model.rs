//! Monitors, their days and their transitions.

use std::time::Duration;

use super::{Kind, MonitorFields, Schedule, State, maintenance::Span};
use crate::ids::{
    LinkId, MonitorId, OrganizationId, OrganizationKey, UserId, WebsiteId, WebsiteKey,
};

/// The place that is this server.
pub const HERE: &str = "here";
/// How long a check may take by default, milliseconds.
const TIMEOUT_MS: u32 = 30_000;
/// The longest pause before a re-check, milliseconds.
const RECHECK_MS: i64 = 30_000;

#[derive(Debug, Clone)]
pub struct Monitor {
    pub id: MonitorId,
    /// The number in event rows.
    pub key: WebsiteKey,
    pub organization: OrganizationId,
    /// The owner's number in event rows.
    pub organization_key: OrganizationKey,
    pub website: Option<WebsiteId>,
    /// The short link with this target.
    pub link: Option<LinkId>,
    pub created_by: Option<UserId>,
    pub kind: Kind,
    /// The target in canonical form; empty for `push`.
    pub url: String,
    /// Without `kind`, `url` and `website_id`.
    pub fields: MonitorFields,
    pub is_paused: bool,
    /// How often the heartbeat URL was renewed.
    pub push_turn: i32,
    /// Unix milliseconds, as `updated_ms`.
    pub created_ms: i64,
    pub updated_ms: i64,
    /// When a check out of turn was asked for last, which probes learn from it.
    pub asked_ms: Option<i64>,
    pub schedule: Schedule,
    pub(super) spans: Vec<Span>,
}

impl Monitor {
    /// Whether a maintenance window is open at this moment, Unix milliseconds.
    pub fn in_maintenance(&self, at_ms: i64) -> bool {
        self.spans.iter().any(|span| span.is_open(at_ms))
    }

    /// Milliseconds between two checks; a minute if they vary.
    pub fn interval_ms(&self) -> i64 {
        self.schedule.interval_ms().unwrap_or(60_000)
    }

    /// The pause before a re-check, milliseconds.
    pub(super) fn recheck_ms(&self) -> i64 {
        RECHECK_MS.min(self.interval_ms())
    }

    /// How long a check may take, milliseconds.
    pub fn timeout_ms(&self) -> i64 {
        self.fields.timeout.unwrap_or(TIMEOUT_MS).into()
    }

    /// The places that check it: [`HERE`], and ids of probes.
    pub fn places(&self) -> Vec<&str> {
        let places = self.fields.places.iter().flatten();
        let places: Vec<&str> = places.map(String::as_str).collect();
        if places.is_empty() {
            vec![HERE]
        } else {
            places
        }
    }

    pub fn is_checked_by(&self, place: &str) -> bool {
        self.places().contains(&place)
    }

    /// Whether a probe checks it.
    pub fn has_probes(&self) -> bool {
        self.places().into_iter().any(|place| place != HERE)
    }

    /// Whether a good check of this duration counts as degraded.
    pub(super) fn is_slow(&self, took: Duration) -> bool {
        let most = self.fields.degraded_after.map(u64::from);
        most.is_some_and(|most| took > Duration::from_millis(most))
    }

    /// The name, else the target.
    pub fn label(&self) -> &str {
        let name = self.fields.name.as_deref();
        name.unwrap_or(if self.url.is_empty() {
            self.id.as_str()
        } else {
            &self.url
        })
    }
}

/// A day (UTC) of a monitor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Day {
    /// Days since 1970-01-01.
    pub day: i32,
    /// Checks that found it up.
    pub ups: u32,
    /// Checks that found it down.
    pub downs: u32,
    pub up_ms: i64,
    pub down_ms: i64,
    /// The sum of the response times of good checks, milliseconds.
    pub response_ms: i64,
    /// The 95th percentile of response times, milliseconds, within one percent; only of days that were read.
    pub p95_ms: Option<u32>,
}

impl Day {
    /// Adds another part of the same day.
    pub fn add(&mut self, other: &Self) {
        self.ups += other.ups;
        self.downs += other.downs;
        self.up_ms += other.up_ms;
        self.down_ms += other.down_ms;
        self.response_ms += other.response_ms;
    }

    /// The average response time of good checks, milliseconds; `None` if it was not measured, as of plain heartbeats.
    pub fn response(&self) -> Option<f64> {
        (self.response_ms > 0).then(|| self.response_ms as f64 / f64::from(self.ups.max(1)))
    }

    /// Milliseconds with a known status.
    pub fn known_ms(&self) -> i64 {
        self.up_ms + self.down_ms
    }

    /// Percent of the known time; of the checks where no time is known.
    pub fn uptime(&self) -> Option<f64> {
        let share = |part: f64, rest: f64| {
            let whole = part + rest;
            (whole > 0.0).then(|| (10_000.0 * part / whole).round() / 100.0)
        };
        share(self.up_ms as f64, self.down_ms as f64)
            .or_else(|| share(f64::from(self.ups), f64::from(self.downs)))
    }
}

/// A stored change of a monitor's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransitionRecord {
    /// Unix milliseconds.
    pub at_ms: i64,
    pub from: State,
    pub to: State,
    /// The class of the error, and its text.
    pub error: Option<(String, String)>,
    /// The dependency that was down and suppressed messages.
    pub because_of: Option<MonitorId>,
}
