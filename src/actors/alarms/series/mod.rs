//! Evaluates values over time. Pure; the same functions serve the present and back-tests.

use std::collections::BTreeMap;

use chrono::NaiveDateTime;
use serde_json::Value;

use super::{conditions::Series, machine::Verdict, reason::Reason};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// A bucket's value and its weight, such as the number of measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) at_ms: i64,
    pub(super) value: f64,
    pub(super) weight: f64,
}

/// The result for one bucket or one monitor.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Evaluation {
    pub(super) verdict: Verdict,
    pub(super) value: Option<f64>,
    pub(super) threshold: Option<f64>,
    pub(super) reason: Reason,
}

impl Evaluation {
    /// An evaluation without a number.
    pub(super) const fn plain(verdict: Verdict, reason: Reason) -> Self {
        Self {
            verdict,
            value: None,
            threshold: None,
            reason,
        }
    }
}

/// A bucket's length, milliseconds.
pub(super) const fn width(series: &Series) -> i64 {
    if series.daily { DAY_MS } else { HOUR_MS }
}

/// Days before today that the present evaluation needs.
pub(super) const fn days_back(series: &Series) -> i64 {
    match series.limit.usual_days {
        Some(days) => days as i64 + 1,
        None => 2,
    }
}

/// The points of rows, oldest first. Rows of the same bucket are added up.
pub(super) fn points(series: &Series, rows: &[Value], base: Option<&[Value]>) -> Vec<Point> {
    let values = sums(rows, &series.field);
    if let (Some((_, field)), Some(base)) = (series.per, base) {
        let share = |(at_ms, weight): (i64, f64)| Point {
            at_ms,
            value: 100.0 * values.get(&at_ms).copied().unwrap_or_default() / weight.max(1.0),
            weight,
        };
        return sums(base, field).into_iter().map(share).collect();
    }
    let weights = series.weight.map(|field| sums(rows, field));
    let point = |(at_ms, value): (i64, f64)| Point {
        at_ms,
        value,
        weight: match &weights {
            Some(weights) => weights.get(&at_ms).copied().unwrap_or_default(),
            None => value,
        },
    };
    values.into_iter().map(point).collect()
}

fn sums(rows: &[Value], field: &str) -> BTreeMap<i64, f64> {
    let mut sums: BTreeMap<i64, f64> = BTreeMap::new();
    for row in rows {
        if let (Some(at_ms), Some(value)) = (moment(row), row[field].as_f64()) {
            *sums.entry(at_ms).or_default() += value;
        }
    }
    sums
}

/// The beginning of a row's bucket, Unix milliseconds. Days and hours are UTC.
fn moment(row: &Value) -> Option<i64> {
    let names = ["date", "bucket", "time"];
    let text = names.iter().find_map(|name| row[*name].as_str())?;
    let mut whole = text.trim_end_matches('Z').replace('T', " ");
    if whole.len() == 10 {
        whole.push_str(" 00:00:00");
    }
    let read = NaiveDateTime::parse_from_str(whole.get(..19)?, "%Y-%m-%d %H:%M:%S").ok()?;
    Some(read.and_utc().timestamp_millis())
}

/// Evaluates the last bucket that has ended, or the present one if it exceeds a spike's limit already.
pub(super) fn evaluate_now(series: &Series, points: &[Point], now_ms: i64) -> Evaluation {
    let current = now_ms.div_euclid(width(series)) * width(series);
    let at = |start: i64| points.iter().position(|point| point.at_ms == start);
    let now = at(current).map(|nth| evaluate_point(series, points, nth));
    let is_spike = series.limit.above && series.limit.usual_days.is_some();
    if let Some(now) = now.filter(|now| is_spike && now.verdict == Verdict::Breach) {
        return now;
    }
    match at(current - width(series)) {
        Some(nth) => evaluate_point(series, points, nth),
        None => no_data(),
    }
}

fn no_data() -> Evaluation {
    Evaluation::plain(Verdict::Unknown, Reason::NoData)
}

/// Evaluates one bucket, with those before it.
pub(super) fn evaluate_point(series: &Series, points: &[Point], nth: usize) -> Evaluation {
    let Some(point) = points.get(nth) else {
        return no_data();
    };
    let limit = series.limit;
    let scale = match limit.usual_days {
        None => 1.0,
        Some(days) => match usual(points, nth, days) {
            // Drops below a small usual value mean nothing.
            Some(usual) if limit.above || usual >= series.minimum => usual,
            _ => return no_data(),
        },
    };
    let (at, until) = (scale * limit.at, scale * limit.until);
    let too_little = point.weight < series.minimum;
    let (beyond, back) = if limit.above {
        (point.value > at, point.value <= until)
    } else {
        (point.value < at, point.value >= until)
    };
    let verdict = match limit.usual_days {
        None if too_little => Verdict::Unknown,
        Some(_) if too_little && limit.above => Verdict::Clear,
        _ if beyond => Verdict::Breach,
        _ if back => Verdict::Clear,
        _ => Verdict::Between,
    };
    Evaluation {
        verdict,
        value: Some(point.value),
        threshold: Some(at),
        reason: Reason::Value {
            measure: series.measure.clone(),
            value: point.value,
            from_ms: point.at_ms,
            to_ms: point.at_ms + width(series),
            limit: at,
            above: limit.above,
            factor: limit.usual_days.map(|_| limit.at),
        },
    }
}

/// The mean of the same hour on previous days with data.
fn usual(points: &[Point], nth: usize, days: usize) -> Option<f64> {
    let now = points.get(nth)?;
    let first = points.first()?.at_ms;
    let value = |at_ms: i64| {
        let found = points.binary_search_by_key(&at_ms, |point| point.at_ms);
        let point = found.ok().and_then(|nth| points.get(nth));
        point.map_or(0.0, |point| point.value)
    };
    let earlier = (1..=days as i64).map(|day| now.at_ms - day * DAY_MS);
    let known: Vec<f64> = earlier.filter(|at_ms| *at_ms >= first).map(value).collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    (mean > 0.0).then_some(mean)
}

#[cfg(test)]
mod tests;
