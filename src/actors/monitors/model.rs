//! Monitors, their days and their transitions.

use std::time::Duration;

use serde::{Deserialize, Serialize};

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
/// How long results of a place count that was removed, milliseconds, and of how many.
const FORMER_MS: i64 = 7 * 86_400_000;
const MAX_FORMER: usize = 100;

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
    pub(super) former_places: Vec<FormerPlace>,
}

/// A probe that checked a monitor until it was removed from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FormerPlace {
    id: String,
    /// Unix milliseconds.
    until_ms: i64,
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
        places(&self.fields)
    }

    pub fn is_checked_by(&self, place: &str) -> bool {
        self.places().contains(&place)
    }

    /// Whether a place had to check it in a slot, Unix milliseconds, though it was removed since.
    pub(super) fn was_checked_by(&self, place: &str, slot_ms: i64) -> bool {
        let mut former = self.former_places.iter();
        self.is_checked_by(place) || former.any(|one| one.id == place && slot_ms <= one.until_ms)
    }

    /// The places that have checked it, once it has these fields. `now_ms` is Unix milliseconds.
    pub(super) fn former_places_after(
        &self,
        fields: &MonitorFields,
        now_ms: i64,
    ) -> Vec<FormerPlace> {
        let removed = self.places().into_iter().filter(|place| *place != HERE);
        let removed = removed.map(|place| FormerPlace {
            id: place.to_owned(),
            until_ms: now_ms,
        });
        let known = self.former_places.iter().cloned();
        let known = known.filter(|one| now_ms - one.until_ms <= FORMER_MS);
        let kept = places(fields);
        let all = removed.chain(known);
        all.filter(|one| !kept.contains(&one.id.as_str()))
            .take(MAX_FORMER)
            .collect()
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

fn places(fields: &MonitorFields) -> Vec<&str> {
    let places = fields.places.iter().flatten();
    let places: Vec<&str> = places.map(String::as_str).collect();
    if places.is_empty() {
        vec![HERE]
    } else {
        places
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::monitors::{Granularity, testing};

    fn monitor(places: &[&str]) -> Monitor {
        let places = places.iter().copied().map(str::to_owned).collect();
        let fields = MonitorFields {
            granularity: Some(Granularity::Minute),
            places: Some(places),
            ..MonitorFields::default()
        };
        testing::monitor("m", fields)
    }

    /// The monitor with other places.
    fn moved(before: &Monitor, places: &[&str], now_ms: i64) -> Monitor {
        let after = monitor(places);
        Monitor {
            former_places: before.former_places_after(&after.fields, now_ms),
            ..after
        }
    }

    #[test]
    fn a_removed_place_was_chosen_in_the_slots_before() {
        let first = monitor(&["p", "q"]);
        let second = moved(&first, &["q"], 100);
        assert!(second.was_checked_by("p", 100) && !second.was_checked_by("p", 101));
        assert!(second.was_checked_by("q", 101) && !second.was_checked_by("r", 1));
        let third = moved(&second, &["q", "r"], 200);
        assert!(third.was_checked_by("p", 100) && !third.was_checked_by("p", 150));
        let back = moved(&third, &["p"], 300);
        assert!(back.was_checked_by("p", 150) && back.was_checked_by("r", 300));
        assert_eq!(back.former_places.len(), 2);
    }

    #[test]
    fn a_removed_place_is_forgotten_after_a_week() {
        let first = monitor(&["p"]);
        let second = moved(&first, &["q"], 0);
        assert!(moved(&second, &["q"], FORMER_MS).was_checked_by("p", 0));
        assert!(!moved(&second, &["q"], FORMER_MS + 1).was_checked_by("p", 0));
    }
}
