//! Incidents and maintenance on the page.

use maud::{Markup, PreEscaped, html};

use super::markdown::html as markdown;
use crate::{
    actors::status_pages::{Incident, IncidentKind, IncidentStatus, Snapshot},
    clock::{from_ms, iso_ms},
    locale::Texts,
};

const DAY_MS: i64 = 86_400_000;
/// Days whose incidents are listed by date.
const DAYS: i64 = 14;
/// Older incidents that are shown.
const MAX_OLDER: usize = 20;

/// When an incident began, and when it ended; `None` if it has not begun.
fn duration(one: &Incident, now_ms: i64) -> Option<(i64, i64)> {
    if one.status == IncidentStatus::Scheduled {
        return None;
    }
    let ended_ms = one.resolved_ms.or(one.ends_ms).filter(|_| one.is_over());
    let began_ms = one.starts_ms.unwrap_or(one.created_ms);
    Some((began_ms, ended_ms.unwrap_or(now_ms).max(began_ms)))
}

/// The incidents of a day that affect a component, by its id on the page.
pub(super) fn on_day<'a>(seen: &'a Snapshot, component: &str, day_ms: i64) -> Vec<&'a Incident> {
    let affects = |one: &&Incident| {
        let mut hits = one.affected.iter();
        one.affected.is_empty() || hits.any(|hit| hit.status_page_monitor_id == component)
    };
    let is_on = |one: &&Incident| {
        let span = duration(one, seen.at_ms);
        span.is_some_and(|(began, ended)| began < day_ms + DAY_MS && ended >= day_ms)
    };
    let all = seen.page.incidents.iter();
    all.filter(affects).filter(is_on).collect()
}

/// Active incidents, and maintenance in the order in which it comes.
pub(super) fn open(seen: &Snapshot, texts: Texts) -> Markup {
    let all = |kind: IncidentKind| {
        let all = seen.page.incidents.iter();
        let mut all: Vec<&Incident> = all
            .filter(|one| one.kind == kind && !one.is_over())
            .collect();
        all.sort_by_key(|one| one.starts_ms);
        all
    };
    let sections = [
        (texts.incidents_active(), all(IncidentKind::Incident)),
        (texts.maintenance(), all(IncidentKind::Maintenance)),
    ];
    html! {
        @for (heading, all) in sections.iter().filter(|(_, all)| !all.is_empty()) {
            h2 { (heading) }
            @for one in all { (incident(seen, texts, one)) }
        }
    }
}

/// What is over: of the last days by date, and older.
pub(super) fn past(seen: &Snapshot, texts: Texts) -> Markup {
    let today = seen.at_ms.div_euclid(DAY_MS);
    let over = seen.page.incidents.iter().filter(|one| one.is_over());
    let day = |one: &Incident| one.starts_ms.unwrap_or(one.created_ms).div_euclid(DAY_MS);
    let (recent, older): (Vec<&Incident>, Vec<&Incident>) =
        over.partition(|one| today - day(one) < DAYS);
    let is_active = |one: &&Incident| one.kind == IncidentKind::Incident && !one.is_over();
    let active: Vec<&Incident> = seen.page.incidents.iter().filter(is_active).collect();
    html! {
        h2 { (texts.incidents_past()) }
        @for date in (0..DAYS).map(|back| today - back) {
            @let is_of_day = |one: &&&Incident| day(one) == date || date == today && day(one) > today;
            @let mut active = active.iter().filter(is_of_day).peekable();
            @let mut own = recent.iter().filter(is_of_day).peekable();
            div.day {
                h3 { (texts.day(from_ms(date * DAY_MS).date_naive())) }
                @if own.peek().is_none() && active.peek().is_none() { p.dim { (texts.incidents_none()) } }
                @for one in active { p { a href=(format!("#{}", one.id)) { (one.title) } } }
                @for one in own { (incident(seen, texts, one)) }
            }
        }
        @if !older.is_empty() {
            details {
                summary { (texts.incidents_older()) }
                @for one in older.iter().take(MAX_OLDER) { (incident(seen, texts, one)) }
            }
        }
    }
}

fn incident(seen: &Snapshot, texts: Texts, one: &Incident) -> Markup {
    let class = match (one.kind, one.is_over()) {
        (_, true) => "over",
        (IncidentKind::Incident, false) => one.severity.as_str(),
        (IncidentKind::Maintenance, false) => "planned",
    };
    let names = one.affected.iter().filter_map(|hit| {
        let id = &hit.status_page_monitor_id;
        let own = seen.monitors.iter().find(|own| own.listed.id == *id)?;
        Some(own.name.as_str())
    });
    let names: Vec<&str> = names.collect();
    html! {
        article.(class) id=(one.id) {
            h3 { (one.title) }
            p.dim {
                @match (one.starts_ms, one.ends_ms) {
                    (Some(starts), Some(ends)) => (span(texts, starts, ends)),
                    _ => (one.severity.label(texts)),
                }
                @if !names.is_empty() { " · " (texts.incident_affects(&texts.list(&names))) }
            }
            @if let Some(learned) = &one.postmortem { (update(texts, &texts.postmortem(), learned.created_ms, &learned.message)) }
            @for own in &one.updates { (update(texts, &own.status.label(texts), own.created_ms, &own.message)) }
        }
    }
}

fn update(texts: Texts, label: &str, at_ms: i64, message: &str) -> Markup {
    html! {
        div.said {
            p.dim { strong { (label) } " " (time(texts, at_ms)) }
            (PreEscaped(markdown(message)))
        }
    }
}

fn time(texts: Texts, at_ms: i64) -> Markup {
    html! { time datetime=(iso_ms(at_ms)) { (texts.moment(from_ms(at_ms))) } }
}

/// When maintenance begins and ends.
fn span(texts: Texts, starts_ms: i64, ends_ms: i64) -> Markup {
    let [starts, ends] = [starts_ms, ends_ms].map(|at_ms| texts.moment(from_ms(at_ms)));
    html! { (texts.span(&starts, &ends)) }
}
