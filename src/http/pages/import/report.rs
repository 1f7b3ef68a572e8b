//! The tables of what a file of events holds.

use crate::{
    events::import::Report,
    http::pages::prelude::*,
    pages::{
        number,
        part::{Heading, empty, panel, resource_table},
    },
};

/// Refused records that are listed.
const MAX_REFUSALS: usize = 100;

/// What a report says.
pub(super) fn tables(report: &Report, date_format: &DateFormat) -> Markup {
    let days = report.first.zip(report.last);
    let kinds = html! {
        @if let Some((first, last)) = days { p { (date_format.date(first)) " – " (date_format.date(last)) } }
        @if report.people > 0 { p { (number::with_noun(report.people, "record", "records")) " with users or their traits" } }
        @if report.kinds.is_empty() { (empty("No events", &html! { p { "The file has no events that can be imported." } })) }
        @else { (counts("Event types", ["Kind", "Events"], &report.kinds.iter().map(|(kind, count)| (kind.as_str(), *count)).collect::<Vec<_>>())) }
    };
    let left_out: Vec<(&str, u64)> = report
        .left_out
        .iter()
        .map(|(why, count)| (why.as_str(), *count))
        .collect();
    html! {
        (panel("Events", &kinds))
        @if !report.omitted.is_empty() { (panel("Fields that aren’t imported", &omitted(report))) }
        @if !left_out.is_empty() { (panel("Records that aren’t events", &counts("Records that aren’t events", ["Record", "Count"], &left_out))) }
        @if report.refused > 0 { (panel("Refused records", &refusals(report))) }
    }
}

fn counts(caption: &str, headings: [&str; 2], rows: &[(&str, u64)]) -> Markup {
    let body = html! { @for (name, count) in rows { tr {
        td.wide data-label=(headings[0]) { (name) }
        td.num data-label=(headings[1]) { (number::full(*count)) }
    } } };
    resource_table(
        caption,
        &[Heading::Text(headings[0]), Heading::Number(headings[1])],
        &body,
    )
}

fn omitted(report: &Report) -> Markup {
    let rows = html! { @for one in &report.omitted { tr {
        td data-label="Field" { code { (one.field) } }
        td.wide data-label="Reason" { (one.reason) }
        td.num data-label="Records" { (number::full(one.records)) }
    } } };
    resource_table(
        "Fields that aren’t imported",
        &[
            Heading::Text("Field"),
            Heading::Text("Reason"),
            Heading::Number("Records"),
        ],
        &rows,
    )
}

fn refusals(report: &Report) -> Markup {
    let rows = html! { @for one in report.refusals.iter().take(MAX_REFUSALS) { tr {
        td.num data-label="Line" { (number::full(one.line)) }
        td.wide data-label="Reason" { (one.why) }
    } } };
    let hidden = report.refused.saturating_sub(MAX_REFUSALS as u64);
    html! {
        (resource_table("Refused records", &[Heading::Number("Line"), Heading::Text("Reason")], &rows))
        @if hidden > 0 { p.hint { (number::full(hidden)) " more aren’t shown." } }
    }
}
