//! Reports: pages of trends and tables, each a row of [`REPORTS`].

mod cell;
mod cohorts;
mod paths;
mod properties;
mod settings;
mod table;
mod table_query;
mod tables;
mod trend;
mod vitals;

use serde_json::Value;

pub(super) use self::cell::{moment, text, vital};
use self::{
    cell::TableContext,
    table::{draw, has_content},
    table_query::{STATE, TableQuery},
    tables::{FEWER, REPORTS, Report, SPARK, Table},
};
use super::{
    data_access::draw_query,
    day_chart::days,
    period::{PeriodQuery, bar, filtered_address},
};
use crate::{
    analytics::run::Answers,
    http::pages::prelude::*,
    pages::{
        part::{empty, notice},
        view::View,
    },
};

pub(super) fn routes() -> Vec<Route> {
    let reports = REPORTS.into_iter();
    reports
        .map(|report| page_route(report.path, |route| route.to(show)))
        .collect()
}

/// The query type of this name, if a table shows it.
pub(super) fn kind(name: &str) -> Option<&'static str> {
    let tables = REPORTS.into_iter().flat_map(|report| report.tables);
    tables.map(|table| table.kind).find(|kind| *kind == name)
}

/// The report of a request's route.
fn find_report(context: &PageContext) -> Option<&'static Report> {
    let pattern = context.request.match_pattern()?;
    let mut reports = REPORTS.into_iter();
    reports.find(|report| report.path == pattern)
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = context.website(&id).await?;
    let report = find_report(&context).ok_or_else(|| Fault::not_found("page", id.as_str()))?;
    let path = report.path.replace("{id}", &website.id);
    if let Some(address) = filtered_address(context.request.query_string(), &path, &STATE) {
        return Ok(answer::redirect(&address));
    }
    let period = PeriodQuery::load(&context, &STATE).await?;
    let value = |field: &str| {
        let mut filters = period.view.filters.iter();
        filters
            .find(|one| one.field == field)
            .map(|one| one.value.clone())
    };
    let has = |field: &&str| value(field).is_some();
    let subject = report.subject.map(|(field, all)| (value(field), all));
    if let Some((None, all)) = subject {
        let all = period.view.address(&all.replace("{id}", &website.id));
        let main = draw_without_subject(report, &all);
        return Ok(context.show_site(report.place, &website.id, report.title, &main));
    }
    let tables = || report.tables.iter();
    let page = context.parameter("page");
    let wanted: Vec<(&'static Table, TableQuery)> = tables()
        .filter(|table| table.needs.iter().all(has))
        .map(|table| (table, TableQuery::read(&period.view, &page, table)))
        .collect();
    let begun = tables().filter(|table| table.needs.iter().any(has));
    let lacking = begun.filter_map(|table| settings::describe_missing(report.settings, table, has));
    let elsewhere = report.own_fields();
    let trends = report.trends.iter().map(|trend| trend.kind);
    let usual = settings::automatic(report.settings, &period);
    let bodies = TableQuery::bodies(&period, &wanted, trends, &usual);
    let (answers, problems) = period.split(context.query(&website.id, bodies.clone()).await)?;
    let found = answers
        .as_ref()
        .map(|answers| find_rows(&wanted, answers, &period));
    let (found, wrong) = take_problems(report, found.unwrap_or_default());
    let title = match &subject {
        Some((Some(name), _)) => name.as_str(),
        _ => report.title,
    };
    let at = TableContext {
        period: &period,
        view: &period.view.without_tabs(),
        path: &path,
        website: &website.id,
    };
    let main = html! {
        div.title-row { h1 { (title) } span.dim { (report.says) } }
        (bar(&period, &path, false, &elsewhere))
        @if !report.settings.is_empty() { (settings::draw(report.settings, &period.view, &path, &wrong)) }
        @for message in lacking { (notice("bad", &html! { (message) })) }
        @for message in problems.above(&[]) { (notice("bad", &html! { (message) })) }
        @if let Some(answers) = &answers { (draw_answers(report, &found, answers, &at)) }
        (draw_query(&context.shared().urls.base, &website.id, &bodies))
    };
    Ok(context.show_site(report.place, &website.id, title, &main))
}

/// The tables, or why a query of the batch was refused as a whole.
fn draw_answers(
    report: &Report,
    found: &[TableRows<'_>],
    answers: &Answers,
    at: &TableContext<'_>,
) -> Markup {
    match answers.refused() {
        Some(message) => notice("bad", &html! { (message) }),
        None => draw_tables(report, found, answers, at),
    }
}

/// The page of one event, whose address names none.
fn draw_without_subject(report: &Report, all: &str) -> Markup {
    html! {
        div.title-row { h1 { (report.title) } }
        div.panel { (empty("No event selected", &html! { a.button href=(all) { "Open events" } })) }
    }
}

/// The tables that are shown, and the problems of settings: those are shown below the settings, not in place of their table.
fn take_problems<'a>(
    report: &Report,
    mut found: Vec<TableRows<'a>>,
) -> (Vec<TableRows<'a>>, Vec<settings::FieldProblem>) {
    let mut wrong = Vec::new();
    found.retain(|found| {
        let message = found.rows.as_ref().err();
        let message = message
            .and_then(|message| settings::find_problem(report.settings, found.table, message));
        let stays = message.is_none();
        wrong.extend(message);
        stays
    });
    (found, wrong)
}

/// A table with its rows, or why there are none.
struct TableRows<'a> {
    table: &'static Table,
    query: &'a TableQuery,
    rows: Result<Vec<Value>, String>,
}

fn find_rows<'a>(
    wanted: &'a [(&'static Table, TableQuery)],
    answers: &Answers,
    period: &PeriodQuery,
) -> Vec<TableRows<'a>> {
    let rows = |kind: &str| answers.rows::<Value>(kind);
    let one = |(table, query): &'a (&'static Table, TableQuery)| {
        let mut own = rows(table.kind);
        if let (Some(borrowed), Ok(own)) = (table.borrowed, &mut own) {
            borrowed.fill(own, &rows(borrowed.kind).unwrap_or_default());
        }
        if let (Some(spark), Ok(own)) = (table.spark, &mut own) {
            let days: Vec<String> = days(period).map(|day| day.to_string()).collect();
            spark.fill_days(own, &rows(spark.kind).unwrap_or_default(), &days, SPARK);
        }
        TableRows {
            table,
            query,
            rows: own,
        }
    };
    wanted.iter().map(one).collect()
}

fn draw_tables(
    report: &Report,
    found: &[TableRows<'_>],
    answers: &Answers,
    at: &TableContext<'_>,
) -> Markup {
    // A search without a result keeps its table.
    let is_shown = |found: &TableRows<'_>| {
        let rows = found.rows.as_ref();
        rows.is_err()
            || rows.is_ok_and(|rows| has_content(rows))
            || *found.query != TableQuery::default()
    };
    html! {
        @if !found.iter().any(is_shown) && !found.is_empty() {
            div.panel { (empty(report.none, &html! { p { (choose_hint(report.next, &at.period.view)) } })) }
        } @else {
            @for trend in report.trends { (trend.draw(answers, at.period)) }
            @for found in found.iter().filter(|found| is_shown(found)) {
                section.panel aria-label=(found.table.title) {
                    @match &found.rows {
                        Ok(rows) => (draw(found.table, found.query, rows, answers, at)),
                        Err(message) => { h2 { (found.table.title) } (notice("warn", &html! { (settings::use_titles(report.settings, found.table, message)) })) },
                    }
                }
            }
        }
    }
}

/// The hint of an empty report. Without filters none can be removed.
fn choose_hint(hint: &'static str, view: &View) -> &'static str {
    match hint {
        FEWER if view.filters.is_empty() => "Choose another period.",
        hint => hint,
    }
}
