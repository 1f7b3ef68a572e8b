//! How long the phases of checks took: of the last check, and day by day.

use serde::Deserialize;
use serde_json::json;

use crate::{
    http::{
        pages::{daily::Daily, prelude::*},
        procedures::uptime_wire::CheckOut,
    },
    pages::{
        number,
        part::{meter, panel},
    },
};

/// A day of `uptime_phases`.
#[derive(Deserialize)]
struct Day {
    date: String,
    avg_dns: Option<f64>,
    avg_tcp: Option<f64>,
    avg_tls: Option<f64>,
    avg_wait: Option<f64>,
    avg_transfer: Option<f64>,
}

/// The labels of a check's phases, in their order.
const PHASES: [(&str, &str); 5] = [
    ("dns", "DNS lookup"),
    ("tcp", "TCP connection"),
    ("tls", "TLS handshake"),
    ("ttfb", "Time to first byte"),
    ("transfer", "Download"),
];

impl Day {
    fn phases(&self) -> [Option<f64>; 5] {
        [
            self.avg_dns,
            self.avg_tcp,
            self.avg_tls,
            self.avg_wait,
            self.avg_transfer,
        ]
    }
}

/// The panel with the phases of good checks by day, if they have any.
pub(super) async fn draw_days(context: &PageContext, id: &str, date_format: &DateFormat) -> Markup {
    let daily = Daily::from_query(context, date_format);
    let (first, last) = daily.range();
    let body = json!({
        "parameters": ["uptime_phases"], "startDate": first, "endDate": last, "granularity": "daily", "timeZone": date_format.zone.name(),
    });
    let answers = context.query_monitor(id, body).await.ok();
    let days = answers.and_then(|answers| answers.rows::<Day>("uptime_phases").ok());
    let days = days.unwrap_or_default();
    let mut known = days.iter().flat_map(Day::phases).flatten();
    if !known.any(|ms| ms > 0.0) {
        return html! {};
    }
    let on = |day: &str| {
        let found = days.iter().find(|row| row.date.starts_with(day));
        found.map(Day::phases)
    };
    let names = PHASES.map(|(_, title)| title);
    panel(
        "Timing (30 days)",
        &html! {
            (daily.stack("Timing", names, &number::millis, on))
        },
    )
}

/// The panel with the phases of a check, if it has any.
pub(super) fn draw_check(check: &CheckOut) -> Markup {
    let known = PHASES
        .iter()
        .filter_map(|(name, title)| Some((*title, *check.phases.get(name)? as f64)));
    let known: Vec<(&str, f64)> = known.filter(|(_, us)| *us > 0.0).collect();
    let total: f64 = known.iter().map(|(_, us)| us).sum();
    html! {
        @if !known.is_empty() { (panel("Last check timing", &html! {
            table.table.list {
                thead { tr { th scope="col" { "Phase" } th.num scope="col" { "Duration" } } }
                tbody {
                    @for (name, us) in &known { tr { td { (meter(100.0 * us / total.max(1.0))) span.word { (name) } } td.num { (number::millis(us / 1_000.0)) } } }
                    tr { td { span.word { strong { "Total" } } } td.num { (number::millis(total / 1_000.0)) } }
                }
            }
        })) }
    }
}
