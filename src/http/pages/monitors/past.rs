//! The past of a monitor: uptime, response times with their phases, and changes.

use serde::Deserialize;
use serde_json::json;

use super::mean;
use crate::{
    analytics::run::Answers,
    http::{
        pages::{daily::Daily, prelude::*},
        procedures::uptime_wire::{CheckOut, HistoryOut},
    },
    pages::{
        number,
        part::{empty, meter, notice, time},
        time::moment,
    },
};

/// A day of `uptime_time_series`.
#[derive(Deserialize)]
struct Day {
    date: String,
    p50_response_time: Option<f64>,
    p95_response_time: Option<f64>,
    avg_ttfb: Option<f64>,
}

/// A day of `uptime_phases`.
#[derive(Deserialize)]
struct Spent {
    date: String,
    avg_dns: Option<f64>,
    avg_tcp: Option<f64>,
    avg_tls: Option<f64>,
    avg_wait: Option<f64>,
    avg_transfer: Option<f64>,
}

/// The labels of a check's phases, in their order.
const PHASES: [(&str, &str); 5] = [
    ("dns", "Finding the address"),
    ("tcp", "Connecting"),
    ("tls", "Encryption"),
    ("ttfb", "Waiting for the first byte"),
    ("transfer", "The rest of the answer"),
];

impl Spent {
    fn phases(&self) -> [Option<f64>; 5] {
        [
            self.avg_dns,
            self.avg_tcp,
            self.avg_tls,
            self.avg_wait,
            self.avg_transfer,
        ]
    }

    fn has_any(&self) -> bool {
        self.phases().iter().flatten().any(|ms| *ms > 0.0)
    }
}

/// Response times of good checks and where they were spent, day by day, with the slowest twentieth and the time to the first byte.
pub(super) async fn times(
    context: &PageContext,
    id: &str,
    daily: &Daily,
    date_format: &DateFormat,
) -> Markup {
    let (first, last) = daily.range();
    let body = json!({
        "parameters": ["uptime_time_series", "uptime_phases"], "startDate": first, "endDate": last, "granularity": "daily", "timeZone": date_format.zone.name(),
    });
    let read = |answers: Answers| -> Result<(Vec<Day>, Vec<Spent>), String> {
        Ok((
            answers.rows("uptime_time_series")?,
            answers.rows("uptime_phases")?,
        ))
    };
    // The right to see a monitor does not include its checks.
    let asked = context.query_monitor(id, body).await;
    let (days, spent) = match asked
        .map_err(|fault| fault.message.into_owned())
        .and_then(read)
    {
        Ok(read) => read,
        Err(message) => return notice("note", &html! { (message) }),
    };
    if days.iter().all(|day| day.p50_response_time.is_none()) {
        return empty(
            "Nothing was measured",
            &html! { "Response times of good checks stand here, day by day." },
        );
    }
    let on = |day: &str| days.iter().find(|row| row.date.starts_with(day));
    html! {
        (daily.chart("Median response time", (false, 0.0), &number::millis, |day| on(day)?.p50_response_time))
        details.behind {
            summary { "With the slowest, and the time to the first byte" }
            div.scroll { table.table {
                thead { tr { th scope="col" { "Day" } th.num scope="col" { "Median" } th.num scope="col" { "95 % are faster than" } th.num scope="col" { "To the first byte" } } }
                tbody { @for day in days.iter().rev() { tr {
                    td { (day.date.get(..10).unwrap_or(&day.date)) }
                    td.num { (format_ms(day.p50_response_time)) }
                    td.num { (format_ms(day.p95_response_time)) }
                    td.num { (format_ms(day.avg_ttfb)) }
                } } }
            } }
        }
        @if spent.iter().any(Spent::has_any) { (over_time(&spent, daily)) }
    }
}

/// The phases of good checks by day.
fn over_time(spent: &[Spent], daily: &Daily) -> Markup {
    let on = |day: &str| {
        let found = spent.iter().find(|row| row.date.starts_with(day));
        found.map(Spent::phases)
    };
    let names = PHASES.map(|(_, title)| title);
    html! {
        h3.after { "Where the time was spent, on average" }
        (daily.stack("Phases of good checks", names, &number::millis, on))
    }
}

fn format_ms(ms: Option<f64>) -> String {
    ms.map_or_else(|| number::NONE.to_owned(), number::column_millis)
}

/// How long each phase of a check took.
pub(super) fn phases(check: &CheckOut) -> Markup {
    let known = PHASES
        .iter()
        .filter_map(|(name, title)| Some((*title, *check.phases.get(name)? as f64)));
    let known: Vec<(&str, f64)> = known.filter(|(_, us)| *us > 0.0).collect();
    let total: f64 = known.iter().map(|(_, us)| us).sum();
    html! {
        @if known.is_empty() { p.dim { "It has no phases." } }
        @else {
            table.table.list {
                thead { tr { th scope="col" { "Phase" } th.num scope="col" { "Took" } } }
                tbody {
                    @for (name, us) in &known { tr { td { (meter(100.0 * us / total.max(1.0))) span.word { (name) } } td.num { (number::millis(us / 1_000.0)) } } }
                    tr { td { span.word { strong { "All" } } } td.num { (number::millis(total / 1_000.0)) } }
                }
            }
        }
    }
}

/// The share of time in which it was up, day by day.
pub(super) fn uptime(history: &HistoryOut, daily: &Daily) -> Markup {
    let on = |day: &str| {
        history
            .days
            .iter()
            .find(|row| row.date == day)?
            .uptime_percentage
    };
    match mean(history, |day| day.uptime_percentage) {
        Some(mean) => html! {
            p { strong { (number::percent(mean)) } " on average of the days of which something is known. Days are in UTC." }
            (daily.chart("Uptime", (false, 100.0), &number::percent, on))
        },
        None => empty(
            "Nothing is known yet",
            &html! { "The share of time in which it was up stands here after its first check." },
        ),
    }
}

/// The changes of state with their reasons.
pub(super) fn changes(history: &HistoryOut, date_format: &DateFormat) -> Markup {
    html! {
        @if history.changes.is_empty() { p.dim { "No change yet." } }
        @else {
            div.scroll { table.table.report {
                thead { tr { th scope="col" { "When" } th scope="col" { "From" } th scope="col" { "To" } th scope="col" { "Why" } } }
                tbody { @for change in &history.changes { tr {
                    td { @if let Some(at) = moment(&change.at) { (time(at, &date_format.moment(at), date_format)) } }
                    td data-label="From" { (change.from.as_str()) }
                    td data-label="To" { (change.to.as_str()) }
                    td data-label="Why" { (change.error.as_deref().unwrap_or_default()) }
                } } }
            } }
        }
    }
}
