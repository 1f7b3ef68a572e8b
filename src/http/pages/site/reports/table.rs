//! A table of a report: its rows with sorting, search and pages.

use serde_json::Value;

use super::{
    cell::{self, TableContext},
    table_query::{ROWS, STATE, TableQuery, describe_count, is_counted},
    tables::{Column, Form, Format, Table},
    trend_table,
};
use crate::{
    analytics::run::Answers,
    http::pages::{prelude::*, site::data_access::draw_exports},
    pages::{number, part::hidden},
};

/// Rows that a phone shows first.
const FIRST: usize = 10;

/// Whether rows have content. A single row of zeros has none.
pub(super) fn has_content(rows: &[Value]) -> bool {
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

/// The inside of a table's panel.
pub(super) fn draw(
    table: &Table,
    query: &TableQuery,
    rows: &[Value],
    answers: &Answers,
    at: &TableContext<'_>,
) -> Markup {
    let drawing = table.drawing.map(|draw| draw(rows, answers, at));
    html! {
        div.panel-head {
            h2 { (table.title) }
            @if table.form == Form::Rows && (rows.len() > FIRST || !query.search.is_empty()) { (draw_search(table, query, rows, at)) }
        }
        @if let Some(drawing) = drawing { (drawing) }
        @match table.form {
            Form::Drawing => {},
            Form::Facts => @for row in rows {
                ul.headline { @for column in table.columns { li { span.fact { span.what { (column.heading) } strong { (cell::draw(column, table.form, row, at)) } } } } }
            },
            Form::Rows => {
                (draw_rows(table, query, rows, at))
                (draw_pages(table, query, rows, answers, at))
                (draw_exports(at.period, at.website, ("table", table.kind)))
            },
        }
    }
}

fn draw_rows(table: &Table, query: &TableQuery, rows: &[Value], at: &TableContext<'_>) -> Markup {
    let (rows, ..) = query.cut(table, rows);
    let first = &rows[..rows.len().min(FIRST)];
    let rest = &rows[first.len()..];
    let id = format!("all-{}", table.kind);
    let draw_row = |row: &Value| html! { tr { @for column in table.columns { td.num[column.is_number()] data-label=(column.heading) { (cell::draw(column, table.form, row, at)) } } } };
    html! {
        @if rows.is_empty() { p.dim { "No results" } } @else {
            @if !rest.is_empty() {
                input.unfold id=(id) type="checkbox";
                label.unfold for=(id) { "Show all " (rows.len()) " rows" }
            }
            div.scroll { table.table.report {
                thead { tr { @for column in table.columns { (draw_heading(table, query, column, at)) } } }
                tbody { @for row in first { (draw_row(row)) } }
                @if !rest.is_empty() { tbody.rest { @for row in rest { (draw_row(row)) } } }
            } }
            @if table.spark.is_some() { (trend_table::draw(table, rows, at.period)) }
        }
    }
}

/// A heading, as a link that sorts: largest first, then smallest first.
fn draw_heading(
    table: &Table,
    query: &TableQuery,
    column: &Column,
    at: &TableContext<'_>,
) -> Markup {
    if !table.can_sort(column) {
        return html! { th scope="col" .num[column.is_number()] { (column.heading) } };
    }
    let is_sorted = query.sort == column.name;
    let order = if query.is_ascending {
        "ascending"
    } else {
        "descending"
    };
    let next = TableQuery {
        sort: column.name.to_owned(),
        is_ascending: is_sorted && !query.is_ascending,
        page: 0,
        ..query.clone()
    };
    html! {
        th scope="col" .num[column.is_number()] aria-sort=[is_sorted.then_some(order)] {
            a href=(next.address(&at.period.view, at.path, table)) { (column.heading) }
        }
    }
}

/// The form that searches the names of a table. The names that are shown complete what is typed.
fn draw_search(table: &Table, query: &TableQuery, rows: &[Value], at: &TableContext<'_>) -> Markup {
    let Some(field) = table.search_field() else {
        return html! {};
    };
    let mut view = query.view(&at.period.view, table);
    view.tabs.retain(|(name, _)| name != STATE[3]);
    let is_name = |column: &&Column| match column.format {
        Format::Filter(own) => own == field,
        Format::Event => field == "event_name",
        _ => false,
    };
    let column = table.columns.iter().find(is_name);
    let (name, heading) = column.map_or(("name", ""), |column| (column.name, column.heading));
    let does = format!("Search {}", heading.to_lowercase());
    let (id, list) = (
        format!("search-{}", table.kind),
        format!("names-{}", table.kind),
    );
    html! {
        form.find-rows method="get" action=(at.path) role="search" aria-label=(table.title) {
            @for (name, value) in view.pairs() { (hidden(name, &value)) }
            label.hide for=(id) { (does) ", " (table.title) }
            input id=(id) type="search" name=(STATE[3]) value=(query.search) placeholder=(does) list=(list);
            datalist id=(list) { @for row in rows.iter().take(ROWS) { option value=(cell::text(&row[name])) {} } }
            button.button.small type="submit" { "Search" }
        }
    }
}

/// `1–50 of 1,234`, with links to the pages before and after.
fn draw_pages(
    table: &Table,
    query: &TableQuery,
    rows: &[Value],
    answers: &Answers,
    at: &TableContext<'_>,
) -> Markup {
    let (shown, first, has_more) = query.cut(table, rows);
    if shown.len() <= FIRST && query.page == 0 {
        return html! {};
    }
    let last = first + shown.len().saturating_sub(1);
    let total = table.total.filter(|_| query.search.is_empty());
    let total = total.and_then(|(kind, column)| {
        let rows = answers.rows::<Value>(kind).ok()?;
        rows.first()?[column].as_u64()
    });
    let all = match total {
        _ if is_counted(table) => Some(describe_count(rows.len())),
        _ if !has_more => Some(number::full(last as u64)),
        Some(total) if total > last as u64 => Some(number::full(total)),
        _ => None,
    };
    let to = |page: usize| {
        let query = TableQuery {
            page,
            ..query.clone()
        };
        query.address(&at.period.view, at.path, table)
    };
    html! {
        nav.pages aria-label=(format!("Pages of {}", table.title)) {
            span { (first) "–" (last) @if let Some(all) = all { " of " (all) } }
            @if query.page > 0 { a.button.small href=(to(query.page - 1)) rel="prev" { "Previous" } }
            @if has_more { a.button.small href=(to(query.page + 1)) rel="next" { "Next" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
