//! Backtests of alarms.

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

/// Runs the alarm of a form over the last days.
pub(super) async fn run_backtest(
    context: &PageContext,
    mut conditions: Map<String, Value>,
) -> Result<Markup, Fault> {
    let date_format = context.date_format().await?;
    let daily = Daily::from_query(context, &date_format);
    conditions.insert("days".to_owned(), json!(daily.count));
    let past = context.submit(&alarms::BACKTEST, conditions).await?;
    Ok(panel(
        "What it would have done",
        &draw(&past, &daily, &date_format),
    ))
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
            "In the last " (daily.count) " days it would have gone off "
            strong { (number::with_noun(times, "time", "times")) }
            "; " (number::with_noun(past.readings as u64, "reading was", "readings were")) " looked at. Nothing is saved yet."
        }
        @if times > 0 {
            (daily.chart("Times that it goes off", (true, 0.0), &number::decimal, on))
            details.behind {
                summary { "Every time, the last one first" }
                div.scroll { table.table.report {
                    thead { tr { th scope="col" { "From" } th scope="col" { "Until" } th scope="col" { "What" } th scope="col" { "Why" } } }
                    tbody { @for one in past.firings.iter().rev().take(MAX_LISTED) { tr {
                        td { @if let Some(at) = moment(&one.fired_at) { (time(at, &date_format.moment(at), date_format)) } }
                        td data-label="Until" { @match one.resolved_at.as_deref().and_then(moment) { Some(at) => (time(at, &date_format.moment(at), date_format)), None => "still" } }
                        td data-label="What" { (one.name) }
                        td data-label="Why" { (date_format.localize_times(&one.evidence)) }
                    } } }
                } }
            }
        }
    }
}
