//! The numbers of a goal or a funnel in a range.

use serde_json::{Map, Value, json};

use super::{filters::from_view, kind::Kind};
use crate::{
    http::{
        pages::{context::form_problems, prelude::*, site::period::PeriodQuery},
        procedures::{
            conversion::{Conversion, DayOut},
            funnels::{self, AnalyticsBody, ReferrerOut, ReferrersOut},
            goals,
        },
    },
    pages::{
        chart::{Column, Line, LineOptions, Step},
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
        let next = html! { "Nobody came in these days. Choose other days, or look whether its pages and events are called as they are here." };
        return Ok(html! { div.panel { (empty("Nothing to count", &next)) } });
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
        @if kind == Kind::Funnel { (panel("Steps", &draw_steps(&found))) (sources) }
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
    let name = |day: &DayOut, pattern: &str| {
        let read: Result<chrono::NaiveDate, _> = day.date.parse();
        read.map_or_else(
            |_| day.date.clone(),
            |read| read.format(pattern).to_string(),
        )
    };
    let step = |day: &DayOut| Step {
        name: name(day, "%a, %b %-d"),
        word: name(day, "%b %-d"),
        value: (day.users > 0).then_some(day.conversion_rate),
        before: None,
    };
    let steps: Vec<Step> = found.time_series.iter().map(step).collect();
    let line = Line {
        title: share,
        steps: &steps,
        goes_on: period.is_ongoing(),
        whole: false,
        reach: 0.0,
        marks: &[],
        written: &number::percent,
    };
    let column = |heading: &str, number: fn(&DayOut) -> u64| {
        let cells = found.time_series.iter().map(number).map(number::full);
        Column::new(heading, cells)
    };
    line.draw_with(&LineOptions {
        columns: vec![
            column(all, |day| day.users),
            column(did, |day| day.conversions),
        ],
        zoom: Some(period.zoom()),
        ..LineOptions::default()
    })
}

fn draw_steps(found: &Conversion) -> Markup {
    let errors = found.error_insights.available;
    html! {
        div.scroll { table.table.list.sites {
            thead { tr {
                th scope="col" { "Step" } th.num scope="col" { "Took it" } th.num scope="col" { "Of all" }
                th.num scope="col" { "Left before it" } th.num scope="col" { "After" } @if errors { th.num scope="col" { "Errors behind it" } }
            } }
            tbody { @for one in &found.steps_analytics { tr {
                td { (meter(one.conversion_rate)) span.word { (one.step_number) ". " (one.step_name) } }
                td.num data-label="Took it" { (number::full(one.users)) }
                td.num data-label="Of all" { (number::percent(one.conversion_rate)) }
                td.num data-label="Left before it" { @if one.dropoffs > 0 { (number::full(one.dropoffs)) " (" (number::percent(one.dropoff_rate)) ")" } @else { (number::NONE) } }
                td.num data-label="After" { @if one.step_number > 1 && one.users > 0 { (number::duration(one.avg_time_to_complete)) } @else { (number::NONE) } }
                @if errors { td.num data-label="Errors behind it" { @if one.error_count > 0 {
                    details.long { summary { (number::full(one.error_count)) } @for error in &one.top_errors { p { (number::full(error.count)) " × " (error.message) } } }
                } @else { (number::NONE) } } }
            } } }
        } }
        @if errors && found.error_insights.total_errors > 0 {
            p.dim {
                (number::with_noun(found.error_insights.dropoffs_with_errors, "person", "people"))
                " who did not go through met an error after their last step: " (number::percent(found.error_insights.error_correlation_rate)) " of all who left."
            }
        } @else if !errors { p.dim { "Errors between steps are not part of the plan." } }
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
            ranked_list("Source", &["Came in", "Went through"], &rows)
        }
        Err(message) => notice("warn", &html! { (message) }),
    };
    panel("Where they came from", &inside)
}
