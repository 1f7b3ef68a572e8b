//! Incidents and maintenance of a page, as lists and pages need them.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::path;
use crate::{
    fault::Fault,
    http::pages::context::PageContext,
    pages::{
        part::{empty, time},
        time::{DateFormat, moment},
    },
};

/// An incident, or maintenance that is planned.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Incident {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) title: String,
    pub(super) status: String,
    pub(super) severity: String,
    pub(super) created_at: String,
    pub(super) resolved_at: Option<String>,
    pub(super) starts_at: Option<String>,
    pub(super) ends_at: Option<String>,
    pub(super) updates: Vec<Update>,
    pub(super) affected_monitors: Vec<Affected>,
    pub(super) postmortem: Option<String>,
    pub(super) automatic: bool,
}

/// What was said at one moment.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Update {
    pub(super) status: String,
    pub(super) message: String,
    pub(super) created_at: String,
}

/// A monitor that is affected.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Affected {
    pub(super) monitor_name: String,
    pub(super) impact: String,
}

/// How incidents stand, one after the other.
pub(super) const STANDINGS: [(&str, &str); 4] = [
    (
        "investigating",
        "Investigating: nobody knows yet what it is",
    ),
    ("identified", "Identified: it is known what it is"),
    ("monitoring", "Monitoring: something was done about it"),
    ("resolved", "Resolved: it is over"),
];

/// How maintenance stands.
pub(super) const STAGES: [(&str, &str); 4] = [
    ("scheduled", "Scheduled"),
    ("in_progress", "In progress"),
    ("verifying", "Verifying: it is looked whether it went well"),
    ("completed", "Completed"),
];

impl Incident {
    pub(super) fn is_over(&self) -> bool {
        ["resolved", "completed"].contains(&self.status.as_str())
    }

    /// Whether something is wrong now, or done.
    pub(super) fn is_open(&self) -> bool {
        !self.is_over() && self.status != "scheduled"
    }

    pub(super) fn is_planned(&self) -> bool {
        self.kind == "maintenance"
    }

    /// How it stands, in a word.
    pub(super) fn stands(&self) -> Markup {
        let class = match self.status.as_str() {
            _ if self.is_over() => "good",
            "scheduled" => "",
            _ if self.severity == "critical" => "bad",
            _ => "warn",
        };
        html! { span class={ "state " (class) } { (self.status.replace('_', " ")) } }
    }

    /// When it began, or begins.
    pub(super) fn begins(&self) -> &str {
        self.starts_at.as_deref().unwrap_or(&self.created_at)
    }

    /// When it was over, or shall be.
    pub(super) fn ends(&self) -> Option<&str> {
        self.resolved_at.as_deref().or(self.ends_at.as_deref())
    }
}

/// Incidents of a page, newest first.
pub(super) async fn listed(context: &PageContext, page: &str) -> Result<Vec<Incident>, Fault> {
    let input = json!({ "statusPageId": page });
    context.ask("statusPage", "listIncidents", input).await
}

/// A moment of the wire, in the reader's zone.
pub(super) fn at(text: Option<&str>, date_format: &DateFormat) -> Markup {
    html! {
        @match text.and_then(moment) { Some(at) => (time(at, &date_format.moment(at), date_format)), None => span.dim { "open" } }
    }
}

/// All of them, what is open first.
pub(super) fn table(page: &str, incidents: &[Incident], date_format: &DateFormat) -> Markup {
    if incidents.is_empty() {
        let next = html! { "What goes wrong, and what is planned, is told here and to everybody who follows the page." };
        return empty("Nothing was ever wrong", &next);
    }
    let (over, open): (Vec<_>, Vec<_>) = incidents.iter().partition(|one| one.is_over());
    html! {
        table.table.sites {
            caption.hide { "Incidents and maintenance, what is open first" }
            thead { tr { th scope="col" { "What" } th scope="col" { "Stands" } th scope="col" { "From" } th scope="col" { "Until" } } }
            tbody { @for one in open.into_iter().chain(over) { tr {
                td {
                    a.name href=(format!("{}/incident/{}", path(page), one.id)) { (one.title) }
                    span.dim { (one.kind) @if !one.is_planned() { ", " (one.severity) } @if one.automatic { ", by itself" } }
                }
                td { (one.stands()) }
                td data-label="From" { (at(Some(one.begins()), date_format)) }
                td data-label="Until" { (at(one.ends(), date_format)) }
            } } }
        }
    }
}
