//! The numbers of a goal or a funnel in a range.

use chrono::NaiveDate;
use serde_json::{Map, Value, json};

use super::{filters::from_view, kind::Kind};
use crate::{
    http::{
        pages::{
            context::form_problems,
            prelude::*,
            site::{day_chart::DayChart, period::PeriodQuery},
        },
        procedures::{
            conversion::{Conversion, DayOut},
            funnels::{self, AnalyticsBody, ReferrerOut, ReferrersOut},
            goals,
        },
    },
    pages::{
        chart::{FunnelBar, funnel_bars},
        number,
        part::{RankedRow, empty, meter, notice, panel, ranked_list},
    },
};

/// Sources that are listed.
const MAX_SOURCES: usize = 10;

/// The name of a source, as on the dashboard.
fn source_name(source: &ReferrerOut) -> &str {
    let name = &source.referrer_parsed.name;
    if name.is_empty() {
        &source.referrer
    } else {
        name
    }
}

/// The range and the filters of an address, as procedures take them.
pub(super) fn when(period: &PeriodQuery) -> Map<String, Value> {
    let fields = [
        ("startDate", json!(period.range.first.to_string())),
        ("endDate", json!(period.range.last.to_string())),
        ("timezone", json!(period.date_format.zone.name())),
        ("filters", from_view(&period.view)),
    ];
    fields
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}

/// The query of a funnel, with the range and the filters of an address.
pub(super) fn funnel_question(period: &PeriodQuery, site: &str, id: &str) -> AnalyticsBody {
    AnalyticsBody {
        website_id: site.to_owned(),
        funnel_id: id.to_owned(),
        when: when(period).into(),
    }
}

/// The result of a query, or the message why there is none.
fn split_refusal<O>(outcome: Result<O, Fault>) -> Result<Result<O, String>, Fault> {
    match outcome {
        Ok(found) => Ok(Ok(found)),
        Err(fault) => {
            let (_, problems) = form_problems(fault)?;
            Ok(Err(problems.above(&[]).join("; ")))
        }
    }
}

/// The numbers, the chart, the steps and the sources.
pub(super) async fn draw(
    context: &PageContext,
    kind: Kind,
    site: &str,
    id: &str,
    period: &PeriodQuery,
) -> Result<Markup, Fault> {
    let outcome = match kind {
        Kind::Goal => {
            let body = goals::AnalyticsBody {
                website_id: site.to_owned(),
                goal_id: id.to_owned(),
                when: when(period).into(),
            };
            let outcome = context.ask(&goals::GET_ANALYTICS, body).await;
            outcome.map(|found| found.conversion)
        }
        Kind::Funnel => {
            let body = funnel_question(period, site, id);
            let outcome = context.ask(&funnels::GET_ANALYTICS, body).await;
            outcome.map(|found| found.conversion)
        }
    };
    let found = match split_refusal(outcome)? {
        Ok(found) => found,
        Err(message) => return Ok(notice("warn", &html! { (message) })),
    };
    if found.total_users_entered == 0 {
        let next = html! { "Choose another period, or check the paths and event names." };
        return Ok(html! { div.panel { (empty("No data for this period", &next)) } });
    }
    let sources = if kind == Kind::Funnel {
        let body = funnel_question(period, site, id);
        let outcome = context.ask(&funnels::GET_ANALYTICS_BY_REFERRER, body);
        draw_sources(split_refusal(outcome.await)?)
    } else {
        html! {}
    };
    Ok(html! {
        section.panel { (draw_headline(kind, &found)) (draw_chart(kind, &found, period)) }
        @if kind == Kind::Funnel { (panel("Steps", &html! { (draw_steps_chart(&found)) (draw_steps(&found)) })) (sources) }
    })
}

fn draw_headline(kind: Kind, found: &Conversion) -> Markup {
    let [all, did, share, took] = kind.numbers();
    let facts = [
        (all, number::full(found.total_users_entered)),
        (did, number::full(found.total_users_completed)),
        (share, number::percent(found.overall_conversion_rate)),
        (
            took,
            if found.duration_available {
                number::duration(found.avg_completion_time)
            } else {
                number::NONE.to_owned()
            },
        ),
    ];
    html! { ul.headline { @for (what, value) in facts { li { span.fact { span.what { (what) } strong { (value) } } } } } }
}

fn draw_chart(kind: Kind, found: &Conversion, period: &PeriodQuery) -> Markup {
    let [all, did, share, _] = kind.numbers();
    let counts = |number: fn(&DayOut) -> u64| {
        let days = found.time_series.iter();
        days.map(|day| number::full(number(day))).collect()
    };
    let rate = |day: &DayOut| {
        let date = day.date.parse().ok()?;
        Some((date, (day.users > 0).then_some(day.conversion_rate)))
    };
    let days: Vec<(NaiveDate, Option<f64>)> = found.time_series.iter().filter_map(rate).collect();
    let chart = DayChart {
        title: share,
        days: &days,
        period,
        is_whole: false,
        written: &number::percent,
        others: &[
            (all, counts(|day| day.users)),
            (did, counts(|day| day.conversions)),
        ],
    };
    chart.draw()
}

/// The steps as columns.
pub(super) fn draw_steps_chart(found: &Conversion) -> Markup {
    let mut before = 100.0;
    let mut bars = Vec::new();
    for step in &found.steps_analytics {
        let users = number::full(step.users);
        let mut notes = vec![format!(
            "{users} ({})",
            number::percent(step.conversion_rate)
        )];
        if step.dropoffs > 0 {
            let (lost, rate) = (
                number::full(step.dropoffs),
                number::percent(step.dropoff_rate),
            );
            notes.push(format!("Drop-off: {lost} ({rate})"));
        }
        bars.push(FunnelBar {
            name: step.step_name.clone(),
            share: step.conversion_rate,
            before,
            notes,
        });
        before = step.conversion_rate;
    }
    funnel_bars(&bars)
}

fn draw_steps(found: &Conversion) -> Markup {
    let errors = found.error_insights.available;
    html! {
        div.scroll role="region" aria-label="Steps as table" tabindex="0" { table.table.list.sites {
            thead { tr {
                th scope="col" { "Step" } th.num scope="col" { "Completed" } th.num scope="col" { "Conversion rate" }
                th.num scope="col" { "Drop-off" } th.num scope="col" { "Time from previous step" } @if errors { th.num scope="col" { "Errors after step" } }
            } }
            tbody { @for one in &found.steps_analytics { tr {
                td { (meter(one.conversion_rate)) span.word { (one.step_number) ". " (one.step_name) } }
                td.num data-label="Completed" { (number::full(one.users)) }
                td.num data-label="Conversion rate" { (number::percent(one.conversion_rate)) }
                td.num data-label="Drop-off" { @if one.dropoffs > 0 { (number::full(one.dropoffs)) " (" (number::percent(one.dropoff_rate)) ")" } @else { (number::NONE) } }
                td.num data-label="Time from previous step" { @if one.step_number > 1 && one.users > 0 { (number::duration(one.avg_time_to_complete)) } @else { (number::NONE) } }
                @if errors { td.num data-label="Errors after step" { @if one.error_count > 0 {
                    details.long { summary { (number::full(one.error_count)) } @for error in &one.top_errors { p { (number::full(error.count)) " × " (error.message) } } }
                } @else { (number::NONE) } } }
            } } }
        } }
        @if errors && found.error_insights.total_errors > 0 {
            p.dim {
                (number::percent(found.error_insights.error_correlation_rate)) " of drop-offs ("
                (number::full(found.error_insights.dropoffs_with_errors)) ") met an error after their last step."
            }
        } @else if !errors { p.dim { "Your plan doesn't include errors between steps." } }
    }
}

fn draw_sources(found: Result<ReferrersOut, String>) -> Markup {
    let inside = match found {
        Ok(found) => {
            let mut rows: Vec<RankedRow> = Vec::new();
            for one in &found.referrer_analytics {
                let numbers = [one.total_users, one.completed_users];
                // Several domains of one source are one source.
                if let Some(row) = rows.iter_mut().find(|row| row.name == source_name(one)) {
                    for (sum, number) in row.numbers.iter_mut().zip(numbers) {
                        *sum += number;
                    }
                } else {
                    rows.push(RankedRow {
                        name: source_name(one).to_owned(),
                        link: None,
                        numbers: numbers.into(),
                    });
                }
            }
            rows.sort_by_key(|row| std::cmp::Reverse(row.numbers[0]));
            rows.truncate(MAX_SOURCES);
            ranked_list(Texts::ENGLISH, "Source", &["Entered", "Completed"], &rows)
        }
        Err(message) => notice("warn", &html! { (message) }),
    };
    panel("Sources", &inside)
}
