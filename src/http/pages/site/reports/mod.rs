//! Pages that are tables: each is a row of [`REPORTS`], asked with one body and drawn alike.

mod cell;
mod settings;
mod tables;

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::{Value, json};

pub(super) use self::cell::{moment, text};
use self::{
    cell::Place as At,
    tables::{Form, REPORTS, Report, Table},
};
use super::{
    days::{Asked, bar, chosen},
    website,
};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            asked::Answers,
            page,
            visit::{Visit, told},
        },
        routes::Route,
    },
    pages::part::{empty, notice},
};

/// Rows of a table.
const ROWS: usize = 50;

pub(super) fn routes() -> Vec<Route> {
    let reports = REPORTS.into_iter();
    reports
        .map(|report| page(report.path, |route| route.to(show)))
        .collect()
}

/// The report of a request's route.
fn report(visit: &Visit) -> Option<&'static Report> {
    let pattern = visit.request.match_pattern()?;
    let mut reports = REPORTS.into_iter();
    reports.find(|report| report.path == pattern)
}

async fn show(visit: Visit, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = website(&visit, &id).await?;
    let report = report(&visit).ok_or_else(|| Fault::not_found("page", id.as_str()))?;
    let path = report.path.replace("{id}", &website.id);
    let query = visit.request.query_string();
    if let Some(address) = chosen(query, &path, &[]) {
        return Ok(answer::see(&address));
    }
    let reading = visit.reading().await?;
    let now_ms = visit.shared().clock.now_ms();
    let asked = Asked::read(query, &[], reading, now_ms);
    let has = |field: &str| asked.view.filters.iter().any(|one| one.field == field);
    let wanted = report.tables.iter();
    let wanted: Vec<&Table> = wanted.filter(|table| table.needs.is_none_or(has)).collect();
    let kinds: Vec<&str> = wanted.iter().map(|table| table.kind).collect();
    let answered = visit
        .query(&website.id, asked.body(&json!(kinds), ROWS))
        .await;
    let (answers, problems) = match answered {
        Ok(answers) => (Some(answers), asked.problems.clone()),
        Err(fault) => (None, told(fault).map(|(_, problems)| problems)?),
    };
    let main = html! {
        div.title-row { h1 { (report.title) } span.dim { (report.says) } }
        (bar(&asked, &path, false))
        @if !report.settings.is_empty() { (settings::draw(report.settings, &asked.view, &path)) }
        @for said in problems.above(&[]) { (notice("bad", &html! { (said) })) }
        @if let Some(answers) = &answers {
            (tables(report, &wanted, answers, &At { asked: &asked, path: &path, website: &website.id }))
        }
    };
    Ok(visit.show_site(report.place, &website.id, report.title, &main))
}

fn tables(report: &Report, wanted: &[&Table], answers: &Answers, at: &At<'_>) -> Markup {
    let found: Vec<_> = wanted
        .iter()
        .map(|table| (table, answers.rows::<Value>(table.kind)))
        .collect();
    let nothing = |rows: &Result<Vec<Value>, String>| rows.as_ref().is_ok_and(|rows| !tells(rows));
    html! {
        @if found.iter().all(|(_, rows)| nothing(rows)) {
            div.panel { (empty(report.none, &html! { p { (report.next) } })) }
        } @else {
            @for (table, rows) in &found {
                @match rows {
                    Ok(rows) if tells(rows) => section.panel aria-label=(table.title) { (draw(table, rows, at)) },
                    Ok(_) => {},
                    Err(said) => section.panel aria-label=(table.title) { h2 { (table.title) } (notice("warn", &html! { (said) })) },
                }
            }
        }
    }
}

/// Whether rows say anything: one with nothing but zeros does not.
fn tells(rows: &[Value]) -> bool {
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

fn draw(table: &Table, rows: &[Value], at: &At<'_>) -> Markup {
    match table.form {
        Form::Facts => html! {
            h2 { (table.title) }
            @for row in rows {
                ul.headline { @for column in table.columns { li { span.fact { span.what { (column.heading) } strong { (cell::draw(column, row, at)) } } } } }
            }
        },
        Form::Rows => html! {
            h2 { (table.title) }
            div.scroll { table.table.report {
                thead { tr { @for column in table.columns { th scope="col" .num[column.is_number()] { (column.heading) } } } }
                tbody { @for row in rows { tr { @for column in table.columns { td.num[column.is_number()] { (cell::draw(column, row, at)) } } } } }
            } }
            @if rows.len() == ROWS { p.dim.small { "The first " (ROWS) " are shown. Filters and fewer days show others." } }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_zeros_says_nothing() {
        assert!(!tells(&[]));
        assert!(!tells(&[
            json!({ "date": "2026-01-01", "n": 0, "rate": 0.0 })
        ]));
        assert!(
            tells(&[json!({ "name": "a" })]),
            "a row without numbers is one"
        );
        assert!(tells(&[json!({ "n": 0 }), json!({ "n": 0 })]));
        assert!(tells(&[json!({ "n": 1 })]));
    }
}
