//! Reports: pages of tables, each a row of [`REPORTS`].

mod cell;
mod settings;
mod tables;

use serde_json::{Value, json};

pub(super) use self::cell::{moment, text, vital};
use self::{
    cell::TableContext,
    tables::{FEWER, Form, REPORTS, Report, Table},
};
use super::{
    data_access::{draw_exports, draw_query},
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

/// Rows of a table.
const ROWS: usize = 50;

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
    if let Some(address) = filtered_address(context.request.query_string(), &path, &[]) {
        return Ok(answer::redirect(&address));
    }
    let period = PeriodQuery::load(&context, &[]).await?;
    let has = |field: &&str| period.view.filters.iter().any(|one| one.field == *field);
    let tables = || report.tables.iter();
    let wanted: Vec<&Table> = tables()
        .filter(|table| table.needs.iter().all(has))
        .collect();
    let begun = tables().filter(|table| table.needs.iter().any(has));
    let lacking = begun.filter_map(|table| settings::describe_missing(report.settings, table, has));
    let own: Vec<&str> = report.settings.iter().map(|one| one.field).collect();
    let kinds: Vec<&str> = wanted.iter().map(|table| table.kind).collect();
    let mut body = period.body(&json!(kinds), ROWS);
    // No table has a series, and cohorts have days alone.
    body["granularity"] = json!("daily");
    let (answers, problems) = period.split(context.query(&website.id, body.clone()).await)?;
    let found = answers.map(|answers| find_rows(&wanted, &answers));
    let mut found = found.unwrap_or_default();
    // A problem of a setting is shown below the settings, and not in place of its table.
    let mut wrong = Vec::new();
    found.retain(|(table, rows)| {
        let message = rows.as_ref().err();
        let message =
            message.and_then(|message| settings::find_problem(report.settings, table, message));
        let stays = message.is_none();
        wrong.extend(message);
        stays
    });
    let main = html! {
        div.title-row { h1 { (report.title) } span.dim { (report.says) } }
        (bar(&period, &path, false, &own))
        @if !report.settings.is_empty() { (settings::draw(report.settings, &period.view, &path, &wrong)) }
        @for message in lacking { (notice("bad", &html! { (message) })) }
        @for message in problems.above(&[]) { (notice("bad", &html! { (message) })) }
        @if !found.is_empty() {
            (draw_tables(report, found, &TableContext { period: &period, path: &path, website: &website.id }))
        }
        (draw_query(&context.shared().urls.base, &website.id, &body))
    };
    Ok(context.show_site(report.place, &website.id, report.title, &main))
}

/// A table with its rows, or why there are none.
type TableRows = (&'static Table, Result<Vec<Value>, String>);

fn find_rows(wanted: &[&'static Table], answers: &Answers) -> Vec<TableRows> {
    let rows = |kind: &str| answers.rows::<Value>(kind);
    let one = |table: &&'static Table| {
        let mut own = rows(table.kind);
        if let (Some(borrowed), Ok(own)) = (table.borrowed, &mut own) {
            borrowed.fill(own, &rows(borrowed.kind).unwrap_or_default());
        }
        (*table, own)
    };
    wanted.iter().map(one).collect()
}

fn draw_tables(report: &Report, found: Vec<TableRows>, at: &TableContext<'_>) -> Markup {
    let nothing =
        |rows: &Result<Vec<Value>, String>| rows.as_ref().is_ok_and(|rows| !has_content(rows));
    html! {
        @if found.iter().all(|(_, rows)| nothing(rows)) {
            div.panel { (empty(report.none, &html! { p { (choose_hint(report.next, &at.period.view)) } })) }
        } @else {
            @for (table, rows) in found {
                @match rows {
                    Ok(rows) if has_content(&rows) => section.panel aria-label=(table.title) { (draw(table, &rows, at)) },
                    Ok(_) => {},
                    Err(message) => section.panel aria-label=(table.title) { h2 { (table.title) } (notice("warn", &html! { (settings::use_titles(report.settings, table, &message)) })) },
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

/// Whether rows have content. A single row of zeros has none.
fn has_content(rows: &[Value]) -> bool {
    let is_zero =
        |value: &Value| value.is_null() || value.as_f64() == Some(0.0) || value.is_string();
    match rows {
        [] => false,
        [one] => !one
            .as_object()
            .is_some_and(|row| row.values().all(is_zero) && row.values().any(Value::is_number)),
        _ => true,
    }
}

fn draw(table: &Table, rows: &[Value], at: &TableContext<'_>) -> Markup {
    match table.form {
        Form::Facts => html! {
            h2 { (table.title) }
            @for row in rows {
                ul.headline { @for column in table.columns { li { span.fact { span.what { (column.heading) } strong { (cell::draw(column, table.form, row, at)) } } } } }
            }
        },
        Form::Rows => html! {
            h2 { (table.title) }
            div.scroll { table.table.report {
                thead { tr { @for column in table.columns { th scope="col" .num[column.is_number()] { (column.heading) } } } }
                tbody { @for row in rows { tr { @for column in table.columns { td.num[column.is_number()] data-label=(column.heading) { (cell::draw(column, table.form, row, at)) } } } } }
            } }
            @if rows.len() == ROWS { p.dim.small { (ROWS) " rows are shown. Filters and fewer days show others." } }
            (draw_exports(at.period, at.website, ("table", table.kind)))
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_zeros_says_nothing() {
        assert!(!has_content(&[]));
        assert!(!has_content(&[
            json!({ "date": "2026-01-01", "n": 0, "rate": 0.0 })
        ]));
        assert!(
            has_content(&[json!({ "name": "a" })]),
            "a row without numbers is one"
        );
        assert!(has_content(&[json!({ "n": 0 }), json!({ "n": 0 })]));
        assert!(has_content(&[json!({ "n": 1 })]));
    }
}
