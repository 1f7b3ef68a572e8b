//! A monitor, its days, and what changed about it.

use std::time::Duration;

use super::{Kind, MonitorFields, Schedule, State, maintenance::Span};
use crate::ids::{
    LinkId, MonitorId, OrganizationId, OrganizationKey, UserId, WebsiteId, WebsiteKey,
};

/// A monitor as people set it up.
#[derive(Debug, Clone)]
pub struct Monitor {
    pub id: MonitorId,
    /// Its number in event rows.
    pub key: WebsiteKey,
    pub organization: OrganizationId,
    /// The owner's number in event rows.
    pub organization_key: OrganizationKey,
    /// The website it belongs to.
    pub website: Option<WebsiteId>,
    /// The short link whose target it watches.
    pub link: Option<LinkId>,
    pub created_by: Option<UserId>,
    pub kind: Kind,
    /// What is checked, in canonical form; empty for `push`.
    pub url: String,
    /// Everything else; `kind`, `url` and `website_id` are not in there twice.
    pub fields: MonitorFields,
    pub is_paused: bool,
    /// How often its heartbeat address was changed.
    pub push_turn: i32,
    /// When it was made, Unix milliseconds.
    pub created_ms: i64,
    /// When it was last changed, Unix milliseconds.
    pub updated_ms: i64,
    pub schedule: Schedule,
    /// When checks do not count.
    pub(super) spans: Vec<Span>,
}

impl Monitor {
    /// Whether checks do not count at this moment, Unix milliseconds.
    pub fn in_maintenance(&self, at_ms: i64) -> bool {
        self.spans.iter().any(|span| span.is_open(at_ms))
    }

    /// Milliseconds between two checks; a minute where that is not always the same.
    pub fn interval_ms(&self) -> i64 {
        self.schedule.interval_ms().unwrap_or(60_000)
    }

    /// Whether a good check that took so long counts as degraded.
    pub(super) fn is_slow(&self, took: Duration) -> bool {
        let most = self.fields.degraded_after.map(u64::from);
        most.is_some_and(|most| took > Duration::from_millis(most))
    }

    /// What people know it as.
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
    /// Milliseconds for which it was known to be up.
    pub up_ms: i64,
    /// Milliseconds for which it was known to be down.
    pub down_ms: i64,
    /// Milliseconds that good checks took, all together.
    pub response_ms: i64,
    /// Milliseconds that 95 of a hundred good checks did not exceed, within one percent; only of days that were read.
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

    /// Milliseconds of its good checks on average.
    pub fn response(&self) -> Option<f64> {
        (self.ups > 0).then(|| self.response_ms as f64 / f64::from(self.ups))
    }

    /// Percent of the known time for which it was up; of the checks where no time is known.
    pub fn uptime(&self) -> Option<f64> {
        let share = |part: f64, rest: f64| {
            let whole = part + rest;
            (whole > 0.0).then(|| (10_000.0 * part / whole).round() / 100.0)
        };
        share(self.up_ms as f64, self.down_ms as f64)
            .or_else(|| share(f64::from(self.ups), f64::from(self.downs)))
    }
}

/// A change of how a monitor stands, as it is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    /// When, Unix milliseconds.
    pub at_ms: i64,
    pub from: State,
    pub to: State,
    /// The class of what is wrong, and what.
    pub error: Option<(String, String)>,
    /// The monitor that it depends on and that was down, because of which nobody was told.
    pub because_of: Option<MonitorId>,
}
