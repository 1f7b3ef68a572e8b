//! What `/uptime/listSummaries` answers: what a list of monitors shows.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    actors::monitors::{Day, MonitorEntry, Outcome, RecentCheck},
    clock::iso_ms,
    fault::Fault,
    http::Shared,
};

const DAY_MS: i64 = 86_400_000;
/// Days of the longer uptime.
const DAYS: i32 = 30;

/// A monitor's newest checks, and its uptime.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScheduleSummary")]
#[serde(rename_all = "camelCase")]
pub struct SummaryOut {
    pub schedule_id: String,
    /// The last 24 hours.
    pub last_day: UptimeOut,
    /// The last 30 days (UTC), today included.
    pub last_month: UptimeOut,
    /// Milliseconds that the good ones of `checks` took on average.
    pub avg_response_time: Option<f64>,
    /// The newest checks, at most 50, oldest first.
    pub checks: Vec<RecentCheckOut>,
}

/// The uptime of a span.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MonitorUptime")]
#[serde(rename_all = "camelCase")]
pub struct UptimeOut {
    /// Percent of the time with a known status; null when there is none.
    pub uptime_percentage: Option<f64>,
    /// Seconds with a known status: less than the span for a young monitor.
    pub known_seconds: f64,
}

/// A check that was made a short while ago.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MonitorRecentCheck")]
#[serde(rename_all = "camelCase")]
pub struct RecentCheckOut {
    pub at: String,
    pub outcome: Outcome,
    /// Milliseconds; null when they were not measured.
    pub response_time: Option<u32>,
}

impl UptimeOut {
    pub(super) fn new(sum: &Day) -> Self {
        Self {
            uptime_percentage: sum.uptime(),
            known_seconds: sum.known_ms() as f64 / 1_000.0,
        }
    }
}

impl RecentCheckOut {
    fn new(check: &RecentCheck) -> Self {
        Self {
            at: iso_ms(check.at_ms),
            outcome: check.outcome,
            response_time: Some(check.took_ms).filter(|ms| *ms > 0),
        }
    }
}

impl SummaryOut {
    /// The summaries of monitors that the caller may see, in their order.
    pub(in crate::http) async fn load(
        shared: &Shared,
        all: &[Arc<MonitorEntry>],
    ) -> Result<Vec<Self>, Fault> {
        let now_ms = shared.clock.now_ms();
        let first = now_ms.div_euclid(DAY_MS) as i32 + 1 - DAYS;
        let ids: Vec<_> = all.iter().map(|one| one.spec().id.clone()).collect();
        let months = shared.monitors.view().sums(&ids, first).await?;
        let summary = |one: &Arc<MonitorEntry>| {
            let (id, live) = (&one.spec().id, one.live());
            let month = months.get(id).copied().unwrap_or_default();
            let good = live.recent.checks.iter();
            let good =
                good.filter(|check| matches!(check.outcome, Outcome::Up | Outcome::Degraded));
            let times: Vec<u32> = good
                .map(|check| check.took_ms)
                .filter(|ms| *ms > 0)
                .collect();
            let sum: f64 = times.iter().copied().map(f64::from).sum();
            Self {
                schedule_id: id.to_string(),
                last_day: UptimeOut::new(&live.recent.day(now_ms)),
                last_month: UptimeOut::new(&month),
                avg_response_time: (!times.is_empty())
                    .then(|| (100.0 * sum / times.len() as f64).round() / 100.0),
                checks: live.recent.checks.iter().map(RecentCheckOut::new).collect(),
            }
        };
        Ok(all.iter().map(summary).collect())
    }
}
