//! What came of a goal or a funnel in some days.

use maud::{Markup, html};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{filters::saved, kind::Kind};
use crate::{
    fault::Fault,
    http::pages::{context::PageContext, site::days::PeriodQuery},
    pages::{
        chart::{Line, Step},
        number,
        part::{Ranked, empty, meter, notice, panel, ranked},
    },
};

/// Sources that are listed.
const MAX_SOURCES: usize = 10;

/// How people went.
#[derive(Debug, Deserialize)]
pub(super) struct Conversion {
    pub(super) overall_conversion_rate: f64,
    pub(super) total_users_entered: u64,
    pub(super) total_users_completed: u64,
    avg_completion_time: f64,
    duration_available: bool,
    steps_analytics: Vec<Taken>,
    time_series: Vec<Day>,
    error_insights: Insights,
}

/// How a step went.
#[derive(Debug, Deserialize)]
struct Taken {
    step_number: usize,
    step_name: String,
    users: u64,
    conversion_rate: f64,
    dropoffs: u64,
    dropoff_rate: f64,
    avg_time_to_complete: f64,
    error_count: u64,
    top_errors: Vec<Met>,
}

/// An error that people met after a step.
#[derive(Debug, Deserialize)]
struct Met {
    message: String,
    count: u64,
}

/// People who came in on one day.
#[derive(Debug, Deserialize)]
struct Day {
    date: String,
    users: u64,
    conversions: u64,
    conversion_rate: f64,
}

/// What errors have to do with it.
#[derive(Debug, Deserialize)]
struct Insights {
    available: bool,
    total_errors: u64,
    dropoffs_with_errors: u64,
    error_correlation_rate: f64,
}

/// Where people came from.
#[derive(Deserialize)]
struct Sources {
    referrer_analytics: Vec<Source>,
}

#[derive(Deserialize)]
struct Source {
    referrer: String,
    referrer_parsed: Parsed,
    total_users: u64,
    completed_users: u64,
}

#[derive(Deserialize)]
struct Parsed {
    name: String,
}

impl Source {
    /// What it is called, as on the dashboard.
    fn name(&self) -> &str {
        let name = &self.referrer_parsed.name;
        if name.is_empty() {
            &self.referrer
        } else {
            name
        }
    }
}

/// The question about the days and filters of an address.
pub(super) fn question(asked: &PeriodQuery, site: &str) -> Value {
    json!({
        "websiteId": site, "startDate": asked.range.first.to_string(), "endDate": asked.range.last.to_string(),
        "timezone": asked.date_format.zone.name(), "filters": saved(&asked.view),
    })
}

/// What a question is answered with, else why not, for whoever looks.
async fn answered<O: DeserializeOwned>(
    context: &PageContext,
    kind: Kind,
    name: &'static str,
    input: Value,
) -> Result<Result<O, String>, Fault> {
    match context.ask(kind.router(), name, input).await {
        Ok(found) => Ok(Ok(found)),
        Err(fault) => {
            let (_, problems) = crate::http::pages::context::told(fault)?;
            Ok(Err(problems.above(&[]).join("; ")))
        }
    }
}

/// The numbers, the steps, how it went day by day, and where people came from.
pub(super) async fn draw(
    context: &PageContext,
    kind: Kind,
    site: &str,
    id: &str,
    asked: &PeriodQuery,
) -> Result<Markup, Fault> {
    let mut input = question(asked, site);
    input[kind.id()] = json!(id);
    let found = answered(context, kind, "getAnalytics", input.clone()).await?;
    let found: Conversion = match found {
        Ok(found) => found,
        Err(said) => return Ok(notice("warn", &html! { (said) })),
    };
    if found.total_users_entered == 0 {
        let next = html! { "Nobody came in these days. Choose other days, or look whether its pages and events are called as they are here." };
        return Ok(html! { div.panel { (empty("Nothing to count", &next)) } });
    }
    let sources = if kind == Kind::Funnel {
        let found = answered(context, kind, "getAnalyticsByReferrer", input).await?;
        from(found)
    } else {
        html! {}
    };
    Ok(html! {
        section.panel { (headline(kind, &found)) (chart(kind, &found, asked)) }
        @if kind == Kind::Funnel { (panel("Steps", &steps(&found))) (sources) }
    })
}

fn headline(kind: Kind, found: &Conversion) -> Markup {
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

fn chart(kind: Kind, found: &Conversion, asked: &PeriodQuery) -> Markup {
    let [all, did, share, _] = kind.numbers();
    let name = |day: &Day, pattern: &str| {
        let read: Result<chrono::NaiveDate, _> = day.date.parse();
        read.map_or_else(
            |_| day.date.clone(),
            |read| read.format(pattern).to_string(),
        )
    };
    let step = |day: &Day| Step {
        name: name(day, "%a, %b %-d"),
        word: name(day, "%b %-d"),
        value: (day.users > 0).then_some(day.conversion_rate),
        before: None,
    };
    let steps: Vec<Step> = found.time_series.iter().map(step).collect();
    let line = Line {
        title: did,
        steps: &steps,
        goes_on: asked.goes_on(),
        whole: false,
        reach: 0.0,
        marks: &[],
        written: &number::percent,
    };
    html! {
        @if steps.len() > 1 { (line.draw()) }
        details.behind {
            summary { "As a table" }
            div.scroll { table.table {
                thead { tr { th scope="col" { "Day" } th.num scope="col" { (all) } th.num scope="col" { (did) } th.num scope="col" { (share) } } }
                tbody { @for (day, step) in found.time_series.iter().zip(&steps).rev() { tr {
                    th scope="row" { (step.name) }
                    td.num { (number::full(day.users)) }
                    td.num { (number::full(day.conversions)) }
                    td.num { (number::percent(day.conversion_rate)) }
                } } }
            } }
        }
    }
}

fn steps(found: &Conversion) -> Markup {
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
                (number::counted(found.error_insights.dropoffs_with_errors, "person", "people"))
                " who did not go through met an error after their last step: " (number::percent(found.error_insights.error_correlation_rate)) " of all who left."
            }
        } @else if !errors { p.dim { "Errors between steps are not part of the plan." } }
    }
}

fn from(found: Result<Sources, String>) -> Markup {
    let inside = match found {
        Ok(found) => {
            let mut rows: Vec<Ranked> = Vec::new();
            for one in &found.referrer_analytics {
                let numbers = [one.total_users, one.completed_users];
                // Several domains of one source are one source.
                if let Some(row) = rows.iter_mut().find(|row| row.name == one.name()) {
                    for (sum, number) in row.numbers.iter_mut().zip(numbers) {
                        *sum += number;
                    }
                } else {
                    rows.push(Ranked {
                        name: one.name().to_owned(),
                        way: None,
                        numbers: numbers.into(),
                    });
                }
            }
            rows.sort_by_key(|row| std::cmp::Reverse(row.numbers[0]));
            rows.truncate(MAX_SOURCES);
            ranked("Source", &["Came in", "Went through"], &rows)
        }
        Err(said) => notice("warn", &html! { (said) }),
    };
    panel("Where they came from", &inside)
}
