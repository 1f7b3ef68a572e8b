//! What is said about incidents and maintenance, on the page.

use std::fmt::Write as _;

use super::markdown::{escape, html};
use crate::{
    actors::status_pages::{Incident, IncidentKind, Snapshot},
    clock::iso_ms,
};

/// Incidents that are over and shown.
const MAX_PAST: usize = 20;

/// What goes on, and what is planned.
pub(super) fn open(text: &mut String, seen: &Snapshot) {
    for (kind, heading) in [
        (IncidentKind::Incident, "Current incidents"),
        (IncidentKind::Maintenance, "Maintenance"),
    ] {
        let all = seen.page.incidents.iter();
        let mut all: Vec<&Incident> = all
            .filter(|one| one.kind == kind && !one.is_over())
            .collect();
        if all.is_empty() {
            continue;
        }
        // What is planned is listed in the order in which it comes.
        all.sort_by_key(|one| one.starts_ms);
        let _ = write!(text, "<h2>{heading}</h2>");
        for one in all {
            incident(text, seen, one);
        }
    }
}

/// What is over, newest first.
pub(super) fn past(text: &mut String, seen: &Snapshot) {
    text.push_str("<h2>Past incidents</h2>");
    let all = seen.page.incidents.iter().filter(|one| one.is_over());
    let mut all = all.take(MAX_PAST).peekable();
    if all.peek().is_none() {
        text.push_str("<p class=\"dim\">None.</p>");
    }
    for one in all {
        incident(text, seen, one);
    }
}

fn incident(text: &mut String, seen: &Snapshot, one: &Incident) {
    let class = match (one.kind, one.is_over()) {
        (_, true) => "over",
        (IncidentKind::Incident, false) => one.severity.as_str(),
        (IncidentKind::Maintenance, false) => "planned",
    };
    let _ = write!(
        text,
        "<article class=\"{class}\" id=\"{}\"><h3>{}</h3><p class=\"dim\">",
        one.id,
        escape(&one.title),
    );
    match (one.starts_ms, one.ends_ms) {
        (Some(starts), Some(ends)) => {
            let _ = write!(text, "{} to {}", time(starts), time(ends));
        }
        _ => text.push_str(one.severity.as_str()),
    }
    let names = one.affected.iter().filter_map(|hit| {
        let id = &hit.status_page_monitor_id;
        let own = seen.monitors.iter().find(|own| own.listed.id == *id)?;
        Some(escape(&own.name))
    });
    let names: Vec<String> = names.collect();
    if !names.is_empty() {
        let _ = write!(text, " · affects {}", names.join(", "));
    }
    text.push_str("</p>");
    if let Some(learned) = &one.postmortem {
        write_update(text, "post-mortem", learned.created_ms, &learned.message);
    }
    for own in &one.updates {
        let status = own.status.as_str().replace('_', " ");
        write_update(text, &status, own.created_ms, &own.message);
    }
    text.push_str("</article>");
}

fn write_update(text: &mut String, what: &str, at_ms: i64, message: &str) {
    let _ = write!(
        text,
        "<div class=\"said\"><p class=\"dim\"><strong>{what}</strong> {}</p>{}</div>",
        time(at_ms),
        html(message),
    );
}

fn time(at_ms: i64) -> String {
    let iso = iso_ms(at_ms);
    let short: String = iso.chars().take(16).collect();
    format!(
        "<time datetime=\"{iso}\">{} UTC</time>",
        short.replace('T', " ")
    )
}
