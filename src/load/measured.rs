//! What a round came to.

use std::{collections::BTreeMap, time::Duration};

use serde::Serialize;

/// What a connection has seen.
#[derive(Debug, Default)]
pub(super) struct Samples {
    /// Times of answered requests, microseconds.
    pub(super) micros: Vec<u32>,
    pub(super) statuses: BTreeMap<u16, u64>,
    /// Events in requests that were answered with success.
    pub(super) events: u64,
    /// Requests that were not answered, by what happened.
    pub(super) failures: BTreeMap<String, u64>,
}

impl Samples {
    pub(super) fn answered(&mut self, status: u16, took: Duration, events: u64) {
        *self.statuses.entry(status).or_default() += 1;
        if is_good(status) {
            self.events += events;
        }
        let micros = u32::try_from(took.as_micros()).unwrap_or(u32::MAX);
        self.micros.push(micros);
    }

    pub(super) fn failed(&mut self, what: String) {
        *self.failures.entry(what).or_default() += 1;
    }

    pub(super) fn add(&mut self, other: Self) {
        self.micros.extend(other.micros);
        self.events += other.events;
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        for (what, count) in other.failures {
            *self.failures.entry(what).or_default() += count;
        }
    }
}

fn is_good(status: u16) -> bool {
    (200..400).contains(&status)
}

/// One round with one target. Times are milliseconds, from when the request was due to the end of its answer.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Measurement {
    /// Requests answered with 2xx or 3xx, a second.
    pub good_per_second: f64,
    /// Events in these, a second.
    pub events_per_second: f64,
    /// Half of all answers took at most this.
    pub p50: f64,
    /// 90 % took at most this.
    pub p90: f64,
    /// 99 % took at most this.
    pub p99: f64,
    pub max: f64,
    pub statuses: BTreeMap<u16, u64>,
    /// Requests without an answer, by what happened.
    pub failures: BTreeMap<String, u64>,
}

impl Measurement {
    pub(super) fn from_samples(mut seen: Samples, took: Duration) -> Self {
        seen.micros.sort_unstable();
        let at = |part: f64| quantile(&seen.micros, part);
        let good = seen.statuses.iter().filter(|(status, _)| is_good(**status));
        let good: u64 = good.map(|(_, count)| *count).sum();
        Self {
            good_per_second: good as f64 / took.as_secs_f64(),
            events_per_second: seen.events as f64 / took.as_secs_f64(),
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            max: at(1.0),
            statuses: seen.statuses,
            failures: seen.failures,
        }
    }
}

/// By nearest rank, in milliseconds; 0 when there is nothing.
fn quantile(sorted: &[u32], part: f64) -> f64 {
    let rank = (part * sorted.len() as f64).ceil() as usize;
    let micros = sorted.get(rank.saturating_sub(1)).copied();
    f64::from(micros.unwrap_or_default()) / 1_000.0
}
