//! Backtests of alerts.

use serde_json::{Map, Value, json};

use crate::{
    http::{
        pages::{daily::Daily, prelude::*},
        procedures::{
            alarms,
            alarms_wire::{BacktestOut, FiringOut},
        },
    },
    pages::{
        number,
        part::{panel, time},
        time::moment,
    },
};

/// Firings of the table.
const MAX_LISTED: usize = 50;

/// Runs the alert of a form over the last days.
pub(super) async fn run_backtest(
    context: &PageContext,
    mut conditions: Map<String, Value>,
) -> Result<Markup, Fault> {
    let date_format = context.date_format().await?;
    let daily = Daily::from_query(context, &date_format);
    conditions.insert("days".to_owned(), json!(daily.count));
    let past = context.submit(&alarms::BACKTEST, conditions).await?;
    Ok(panel("Backtest", &draw(&past, &daily, &date_format)))
}

fn draw(past: &BacktestOut, daily: &Daily, date_format: &DateFormat) -> Markup {
    let day = |one: &FiringOut| Some(date_format.day(moment(&one.fired_at)?));
    let days: Vec<Option<String>> = past.firings.iter().map(day).collect();
    let on = |day: &str| {
        let own = days.iter().filter(|own| own.as_deref() == Some(day));
        Some(own.count() as f64)
    };
    let times = past.firings.len() as u64;
    html! {
        p {
            "In the last " (daily.count) " days this alert would have fired "
            strong { (number::with_noun(times, "time", "times")) }
            ". It checked " (number::with_noun(past.readings as u64, "value", "values")) ". Nothing is saved yet."
        }
        @if times > 0 {
            (daily.chart("Alerts fired", (true, 0.0), &number::decimal, on))
            details.behind {
                summary { "All alerts, newest first" }
                div.scroll { table.table.report {
                    thead { tr { th scope="col" { "Started" } th scope="col" { "Resolved" } th scope="col" { "Subject" } th scope="col" { "Evidence" } } }
                    tbody { @for one in past.firings.iter().rev().take(MAX_LISTED) { tr {
                        td { @if let Some(at) = moment(&one.fired_at) { (time(at, &date_format.moment(at), date_format)) } }
                        td data-label="Resolved" { @match one.resolved_at.as_deref().and_then(moment) { Some(at) => (time(at, &date_format.moment(at), date_format)), None => "Firing" } }
                        td data-label="Subject" { (one.name) }
                        td data-label="Evidence" { (date_format.localize_times(&one.evidence)) }
                    } } }
                } }
            }
        }
    }
}
