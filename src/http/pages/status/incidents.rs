//! Incidents and maintenance of a status page.

use super::incident::Incident;
use crate::{
    actors::status_pages::{IncidentKind, IncidentStatus, Severity},
    http::{
        pages::prelude::*,
        procedures::status_page::{
            bodies::StatusPageIdBody, incidents::LIST_INCIDENTS, wire::IncidentOut,
        },
    },
    pages::{
        part::{empty, time},
        time::moment,
    },
};

/// Statuses of incidents, in their order.
pub(super) const STANDINGS: [(&str, &str); 4] = [
    (
        "investigating",
        "Investigating: nobody knows yet what it is",
    ),
    ("identified", "Identified: it is known what it is"),
    ("monitoring", "Monitoring: something was done about it"),
    ("resolved", "Resolved: it is over"),
];

/// Statuses of maintenance, in their order.
pub(super) const STAGES: [(&str, &str); 4] = [
    ("scheduled", "Scheduled"),
    ("in_progress", "In progress"),
    ("verifying", "Verifying: it is looked whether it went well"),
    ("completed", "Completed"),
];

pub(super) const fn is_over(incident: &IncidentOut) -> bool {
    matches!(
        incident.status,
        IncidentStatus::Resolved | IncidentStatus::Completed
    )
}

pub(in crate::http::pages) fn is_open(incident: &IncidentOut) -> bool {
    !is_over(incident) && incident.status != IncidentStatus::Scheduled
}

pub(super) fn is_planned(incident: &IncidentOut) -> bool {
    incident.kind == IncidentKind::Maintenance
}

/// Its kind and severity.
pub(super) fn nature(incident: &IncidentOut) -> Markup {
    html! {
        @if is_planned(incident) { "maintenance" } @else { "incident, " (incident.severity.as_str()) }
    }
}

/// A status, in a word.
pub(super) fn status_word(status: IncidentStatus) -> String {
    status.as_str().replace('_', " ")
}

/// Its status, in a word.
pub(super) fn status_mark(incident: &IncidentOut) -> Markup {
    let class = match (incident.status, incident.severity) {
        (IncidentStatus::Resolved | IncidentStatus::Completed, _) => "good",
        (IncidentStatus::Scheduled, _) => "",
        (_, Severity::Critical) => "bad",
        _ => "warn",
    };
    html! { span class={ "state " (class) } { (status_word(incident.status)) } }
}

pub(super) fn begins(incident: &IncidentOut) -> &str {
    let planned = incident.starts_at.as_deref();
    planned.unwrap_or(&incident.created_at)
}

pub(super) fn ends(incident: &IncidentOut) -> Option<&str> {
    let over = incident.resolved_at.as_deref();
    over.or(incident.ends_at.as_deref())
}

/// Incidents of a page, newest first.
pub(in crate::http::pages) async fn load_incidents(
    context: &PageContext,
    page: &str,
) -> Result<Vec<IncidentOut>, Fault> {
    let status_page_id = page.to_owned();
    context
        .ask(&LIST_INCIDENTS, StatusPageIdBody { status_page_id })
        .await
}

/// A moment of the wire, in the reader's zone.
pub(super) fn at(text: Option<&str>, date_format: &DateFormat) -> Markup {
    html! {
        @match text.and_then(moment) { Some(at) => (time(at, &date_format.moment(at), date_format)), None => span.dim { "open" } }
    }
}

/// All of them, open ones first.
pub(super) fn table(page: &str, incidents: &[IncidentOut], date_format: &DateFormat) -> Markup {
    if incidents.is_empty() {
        let next = html! { "What goes wrong, and what is planned, is told here and to everybody who follows the page." };
        return empty("Nothing was ever wrong", &next);
    }
    let (over, open): (Vec<_>, Vec<_>) = incidents.iter().partition(|one| is_over(one));
    html! {
        table.table.sites {
            caption.hide { "Incidents and maintenance, what is open first" }
            thead { tr { th scope="col" { "What" } th scope="col" { "Stands" } th scope="col" { "From" } th scope="col" { "Until" } } }
            tbody { @for one in open.into_iter().chain(over) { tr {
                td {
                    a.name href=(Incident::path(&[page, &one.id])) { (one.title) }
                    span.dim { (nature(one)) @if one.automatic { ", by itself" } }
                }
                td { (status_mark(one)) }
                td data-label="From" { (at(Some(begins(one)), date_format)) }
                td data-label="Until" { (at(ends(one), date_format)) }
            } } }
        }
    }
}
