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
    locale::Texts,
    pages::{
        part::{empty, time},
        time::moment,
    },
};

/// Statuses of incidents, in their order.
pub(super) const STANDINGS: [(&str, &str); 4] = [
    ("investigating", "Investigating"),
    ("identified", "Identified"),
    ("monitoring", "Monitoring"),
    ("resolved", "Resolved"),
];

/// Statuses of maintenance, in their order.
pub(super) const STAGES: [(&str, &str); 4] = [
    ("scheduled", "Scheduled"),
    ("in_progress", "In progress"),
    ("verifying", "Verifying"),
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
        @if is_planned(incident) { "Maintenance" } @else { "Incident, " (incident.severity.as_str()) }
    }
}

/// Its status, in a word.
pub(super) fn status_mark(incident: &IncidentOut) -> Markup {
    let class = match (incident.status, incident.severity) {
        (IncidentStatus::Resolved | IncidentStatus::Completed, _) => "good",
        (IncidentStatus::Scheduled, _) => "",
        (_, Severity::Critical) => "bad",
        _ => "warn",
    };
    html! { span class={ "state " (class) } { (incident.status.label(Texts::ENGLISH)) } }
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
        @match text.and_then(moment) { Some(at) => (time(at, &date_format.moment(at), date_format)), None => span.dim { "Ongoing" } }
    }
}

/// All of them, open ones first.
pub(super) fn table(page: &str, incidents: &[IncidentOut], date_format: &DateFormat) -> Markup {
    if incidents.is_empty() {
        let next = html! { "Reported incidents and scheduled maintenance appear here. Subscribers get a message." };
        return empty("No incidents", &next);
    }
    let (over, open): (Vec<_>, Vec<_>) = incidents.iter().partition(|one| is_over(one));
    html! {
        table.table.sites {
            caption.hide { "Incidents and maintenance, open ones first" }
            thead { tr { th scope="col" { "Title" } th scope="col" { "Status" } th scope="col" { "Started" } th scope="col" { "Ended" } } }
            tbody { @for one in open.into_iter().chain(over) { tr {
                td {
                    a.name href=(Incident::path(&[page, &one.id])) { (one.title) }
                    span.dim { (nature(one)) @if one.automatic { ", automatic" } }
                }
                td { (status_mark(one)) }
                td data-label="Started" { (at(Some(begins(one)), date_format)) }
                td data-label="Ended" { (at(ends(one), date_format)) }
            } } }
        }
    }
}
