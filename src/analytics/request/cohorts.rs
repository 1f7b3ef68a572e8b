//! What a question about retention says in its filters.

use chrono::NaiveDate;

use super::{Filter, Op};
use crate::analytics::{
    catalogue::{QueryType, RETENTION, Values},
    range::{
        Granularity, Range,
        zone::{day_after, day_start},
    },
};

/// Days that cohorts may begin in.
const MAX_DAYS: i64 = 90;
/// Horizons in days that can be asked for.
const HORIZONS: [i64; 2] = [7, 30];
/// Characters of an event's name.
const LONGEST: usize = 256;
const DAY_MS: i64 = 86_400_000;

/// A question about retention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CohortRequest {
    /// The event with which a profile enters the cohort of its day.
    pub activation_event: String,
    /// The event with which it comes back.
    pub return_event: String,
    /// Days within which it has to.
    pub horizon_days: i64,
    /// The last day that is looked at, in the zone of the range.
    pub observation_end: NaiveDate,
    observed_ms: i64,
}

impl CohortRequest {
    /// The first instant that has not been observed, at `now_ms`.
    pub fn observed_before(&self, now_ms: i64) -> i64 {
        self.observed_ms.min(now_ms.saturating_add(1))
    }

    /// Milliseconds between activation and the last moment of a return.
    pub const fn horizon_ms(&self) -> i64 {
        self.horizon_days * DAY_MS
    }
}

/// Reads the question; `None` for other types.
pub(super) fn read(
    kind: &QueryType,
    filters: &[Filter],
    range: &Range,
    grain: Granularity,
    modified: bool,
) -> Result<Option<CohortRequest>, String> {
    if kind.name != RETENTION {
        return Ok(None);
    }
    if modified {
        return Err(format!(
            "{RETENTION} takes no groupBy, sortBy, page or offset"
        ));
    }
    if grain != Granularity::Day {
        return Err(format!(
            "{RETENTION} counts days: granularity must be daily"
        ));
    }
    if range.days() >= MAX_DAYS {
        return Err(format!("{RETENTION} takes at most {MAX_DAYS} days"));
    }
    let event = |name: &str| {
        let text = setting(filters, name)?;
        match text.chars().count() {
            1..=LONGEST => Ok(text.to_owned()),
            _ => Err(format!("{name} must have 1 to {LONGEST} characters")),
        }
    };
    let (activation_event, return_event) = (event("activation_event")?, event("return_event")?);
    let days = setting(filters, "horizon_days")?.parse();
    let horizon_days = days
        .ok()
        .filter(|days| HORIZONS.contains(days))
        .ok_or("horizon_days must be 7 or 30")?;
    let observation_end: NaiveDate = setting(filters, "observation_end")?
        .parse()
        .map_err(|_| "observation_end must be a date like 2025-01-31")?;
    if observation_end < range.last {
        return Err("observation_end must not lie before the end of the range".to_owned());
    }
    Ok(Some(CohortRequest {
        activation_event,
        return_event,
        horizon_days,
        observation_end,
        observed_ms: day_start(day_after(observation_end), range.zone),
    }))
}

/// The only value of a setting.
fn setting<'a>(filters: &'a [Filter], name: &str) -> Result<&'a str, String> {
    let of = |filter: &&Filter| filter.field.values == Values::Setting && filter.field.name == name;
    let found: Vec<&Filter> = filters.iter().filter(of).collect();
    match found.as_slice() {
        [one] if one.op == Op::Eq => Ok(one.values.first().map_or("", String::as_str)),
        _ => Err(format!(
            "{RETENTION} needs one filter on {name} with the operator eq"
        )),
    }
}
