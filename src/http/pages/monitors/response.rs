//! Response times of a monitor, check by check, with its outages shaded.

use chrono::NaiveDateTime;
use serde::Deserialize;
use serde_json::json;

use crate::{
    actors::monitors::Granularity,
    analytics::run::Answers,
    clock::iso_ms,
    http::{pages::prelude::*, procedures::uptime_wire::ScheduleOut},
    pages::{
        chart::{Line, Step},
        number,
        part::{empty, notice},
        time::moment,
    },
};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Points of the chart; beyond them neighbors are averaged.
const MAX_POINTS: usize = 360;
/// Checks that one query answers.
const MAX_CHECKS: i64 = 10_000;

/// Spans by their value in the address.
const SPANS: [(&str, &str, i64); 4] = [
    ("1h", "1 hour", HOUR_MS),
    ("24h", "24 hours", 24 * HOUR_MS),
    ("7d", "7 days", 7 * 24 * HOUR_MS),
    ("30d", "30 days", 30 * 24 * HOUR_MS),
];

/// The span of the chart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    value: &'static str,
    ms: i64,
}

impl Span {
    /// The span of the `range` parameter; a day by default.
    pub(super) fn from_query(context: &PageContext) -> Self {
        let range = context.parameter("range");
        let found = SPANS.iter().find(|(value, ..)| *value == range);
        let (value, _, ms) = *found.unwrap_or(&SPANS[1]);
        Self { value, ms }
    }

    /// Links to the other spans.
    pub(super) fn tabs(self, path: &str) -> Markup {
        html! {
            nav.tabs.small aria-label="Time range" {
                @for (value, label, _) in SPANS {
                    a href=(format!("{path}?range={value}")) aria-current=[(value == self.value).then_some("true")] { (label) }
                }
            }
        }
    }
}

/// A row of `uptime_recent_checks`.
#[derive(Deserialize)]
struct Check {
    timestamp: String,
    status: u8,
    total_ms: Option<f64>,
}

/// An hour of `uptime_time_series`.
#[derive(Deserialize)]
struct Hour {
    date: String,
    avg_response_time: Option<f64>,
    downtime_seconds: f64,
}

/// A point of the chart.
#[derive(Debug, PartialEq)]
struct Point {
    name: String,
    word: String,
    ms: Option<f64>,
    is_down: bool,
}

impl Point {
    /// Checks that follow each other, in the order of time.
    fn from_checks(checks: &[Check], span: Span, date_format: &DateFormat) -> Self {
        let at = checks.first().and_then(|check| moment(&check.timestamp));
        let at = at.unwrap_or_default();
        let good = checks.iter().filter(|check| check.status == 1);
        let times = good.filter_map(|check| check.total_ms);
        let times: Vec<f64> = times.filter(|ms| *ms > 0.0).collect();
        let word = if span.ms > 24 * HOUR_MS {
            date_format.local(at).format("%b %-d").to_string()
        } else {
            date_format.time(at)
        };
        Self {
            name: date_format.moment(at),
            word,
            ms: (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64),
            is_down: checks.iter().any(|check| check.status == 0),
        }
    }

    fn from_hour(hour: &Hour) -> Self {
        let at = NaiveDateTime::parse_from_str(&hour.date, "%Y-%m-%d %H:%M:%S").ok();
        let written =
            |format: &str| at.map_or_else(|| hour.date.clone(), |at| at.format(format).to_string());
        Self {
            name: written("%b %-d, %H:%M"),
            word: written("%b %-d"),
            ms: hour.avg_response_time.filter(|ms| *ms > 0.0),
            is_down: hour.downtime_seconds > 0.0,
        }
    }
}

/// Milliseconds between two checks.
fn interval_ms(monitor: &ScheduleOut) -> i64 {
    let granularity = monitor.fields.granularity;
    granularity
        .and_then(Granularity::interval_ms)
        .unwrap_or(MINUTE_MS)
}

/// The panel's inside.
pub(super) async fn draw(
    context: &PageContext,
    monitor: &ScheduleOut,
    span: Span,
    date_format: &DateFormat,
) -> Markup {
    match load(context, monitor, span, date_format).await {
        Ok(points) => draw_points(&points),
        // The right to see a monitor does not include its checks.
        Err(message) => notice("note", &html! { (message) }),
    }
}

async fn load(
    context: &PageContext,
    monitor: &ScheduleOut,
    span: Span,
    date_format: &DateFormat,
) -> Result<Vec<Point>, String> {
    let now_ms = context.shared().clock.now_ms();
    let is_hourly = span.ms / interval_ms(monitor) > MAX_CHECKS * 9 / 10;
    let parameter = if is_hourly {
        "uptime_time_series"
    } else {
        "uptime_recent_checks"
    };
    let body = json!({
        "parameters": [parameter], "startDate": iso_ms(now_ms - span.ms), "endDate": iso_ms(now_ms), "granularity": "hourly",
        "limit": MAX_CHECKS, "timeZone": date_format.zone.name(),
    });
    let asked = context.query_monitor(&monitor.id, body).await;
    let answers: Answers = asked.map_err(|fault| fault.message.into_owned())?;
    if is_hourly {
        let hours: Vec<Hour> = answers.rows(parameter)?;
        return Ok(hours.iter().map(Point::from_hour).collect());
    }
    let mut checks: Vec<Check> = answers.rows(parameter)?;
    checks.retain(|check| check.status <= 2);
    checks.reverse();
    let size = checks.len().div_ceil(MAX_POINTS).max(1);
    let points = checks.chunks(size);
    Ok(points
        .map(|some| Point::from_checks(some, span, date_format))
        .collect())
}

/// Outages as first point and number of points.
fn outages(points: &[Point]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (place, _) in points.iter().enumerate().filter(|(_, one)| one.is_down) {
        match found.last_mut() {
            Some((first, count)) if *first + *count == place => *count += 1,
            _ => found.push((place, 1)),
        }
    }
    found
}

fn draw_points(points: &[Point]) -> Markup {
    let outages = outages(points);
    let times: Vec<f64> = points.iter().filter_map(|point| point.ms).collect();
    if times.is_empty() && outages.is_empty() {
        return empty(
            "No data for this period",
            &html! { "Response times of successful checks appear here. Heartbeats have one if you call " code { "/start" } " first." },
        );
    }
    let step = |point: &Point| Step {
        name: point.name.clone(),
        word: point.word.clone(),
        value: point.ms,
        before: None,
    };
    let steps: Vec<Step> = points.iter().map(step).collect();
    let line = Line {
        title: "Response time",
        steps: &steps,
        goes_on: false,
        whole: false,
        reach: 0.0,
        marks: &[],
        written: &number::millis,
    };
    let width = |count: usize| format!("{:.2}", 1_000.0 * count as f64 / points.len() as f64);
    html! {
        div.timed {
            (line.draw())
            @if !outages.is_empty() {
                svg.outages viewBox="0 0 1000 1" preserveAspectRatio="none" aria-hidden="true" {
                    @for (first, count) in &outages { rect x=(width(*first)) width=(width(*count)) height="1" {} }
                }
            }
        }
        @if !outages.is_empty() { details.behind {
            summary.key.outage { (number::with_noun(outages.len() as u64, "outage", "outages")) }
            ul { @for (first, count) in outages.iter().rev() { li {
                (points[*first].name) @if *count > 1 { " to " (points[first + count - 1].name) }
            } } }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(is_down: bool) -> Point {
        Point {
            name: String::new(),
            word: String::new(),
            ms: None,
            is_down,
        }
    }

    #[test]
    fn neighboring_failures_are_one_outage() {
        let points = [false, true, true, false, true].map(point);
        assert_eq!(outages(&points), [(1, 2), (4, 1)]);
        assert_eq!(outages(&[]), []);
        let drawn = draw_points(&points).into_string();
        assert!(drawn.contains("x=\"200.00\" width=\"400.00\""), "{drawn}");
        assert!(drawn.contains("2 outages"), "{drawn}");
    }

    #[test]
    fn heartbeats_without_a_duration_have_no_response_time() {
        let check = |total_ms: f64| Check {
            timestamp: "2026-10-14T12:00:00.000Z".to_owned(),
            status: 1,
            total_ms: Some(total_ms),
        };
        let span = Span {
            value: "1h",
            ms: HOUR_MS,
        };
        let format = DateFormat::default();
        let of = |checks: &[Check]| Point::from_checks(checks, span, &format).ms;
        assert_eq!(of(&[check(0.0)]), None);
        assert_eq!(of(&[check(0.0), check(20.0), check(40.0)]), Some(30.0));
    }
}
