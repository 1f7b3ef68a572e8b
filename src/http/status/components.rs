//! Components of the page, which are its monitors: their status, their days as bars, and their response times as a line.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::incidents::on_day;
use crate::{
    actors::status_pages::{Day, Incident, MonitorSnapshot, MonitorStatus, Snapshot},
    clock::iso_ms,
    pages::{
        number,
        uptime::{self, Bar, bars},
    },
};

/// Days that the list below the bars has.
const MAX_LISTED: usize = 30;
/// Height of the line, in its own measure.
const HEIGHT: f64 = 30.0;

/// Every monitor, under the headings of their groups, in the order of their first monitors.
pub(super) fn draw(seen: &Snapshot) -> Markup {
    let mut groups: Vec<Option<&str>> = Vec::new();
    for one in &seen.monitors {
        let group = one.listed.fields.group.as_deref();
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    let has_headings = groups.len() > 1 || groups.first().is_some_and(Option::is_some);
    html! {
        h2 { "Components" }
        @if seen.monitors.is_empty() { p.dim { "No components yet." } }
        @for group in groups {
            @if has_headings { h3 { (group.unwrap_or("Other")) } }
            @for one in seen.monitors.iter().filter(|one| one.listed.fields.group.as_deref() == group) { (component(seen, one)) }
        }
    }
}

/// The status of a monitor: a class of the style, and its text.
const fn status(one: &MonitorSnapshot) -> (&'static str, &'static str) {
    match one.status {
        _ if one.in_maintenance => ("planned", "Under maintenance"),
        MonitorStatus::Up => ("up", "Operational"),
        MonitorStatus::Degraded => ("degraded", "Degraded"),
        MonitorStatus::Down => ("down", "Outage"),
        MonitorStatus::Unknown => ("unknown", "Unknown"),
    }
}

fn component(seen: &Snapshot, one: &MonitorSnapshot) -> Markup {
    let hides = &one.listed.fields;
    let (class, label) = status(one);
    let days: Vec<DayCard<'_>> = one
        .days
        .iter()
        .map(|day| DayCard::new(seen, one, day))
        .collect();
    let uptime = one.uptime(90).filter(|_| !hides.hide_uptime_percentage);
    html! {
        section.one aria-label=(one.name) {
            div.row { strong { (one.name) } span.(class) { (label) } }
            @if !hides.hide_url && !one.url.is_empty() && one.name != one.url { p.dim { (one.url) } }
            (draw_bars(&days))
            div.row.dim {
                span { "90 days ago" }
                @if let Some(uptime) = uptime { span { (uptime::percent(uptime)) " uptime" } }
                span { "Today" }
            }
            (list(&days))
            @if !hides.hide_latency { (line(one)) }
        }
    }
}

/// A day of a monitor, with what is said of it.
struct DayCard<'a> {
    date: String,
    class: &'static str,
    text: String,
    incidents: Vec<&'a Incident>,
    is_known: bool,
}

impl<'a> DayCard<'a> {
    fn new(seen: &'a Snapshot, one: &MonitorSnapshot, day: &Day) -> Self {
        let known = &day.known;
        let uptime = known.uptime();
        let mut text = match uptime {
            None => "no data".to_owned(),
            Some(_) if one.listed.fields.hide_uptime_percentage => String::new(),
            Some(percent) => format!("{} uptime", uptime::percent(percent)),
        };
        if known.down_ms > 0 {
            let glue = if text.is_empty() { "" } else { ", " };
            let down = number::duration(known.down_ms as f64 / 1_000.0);
            // Writing to a string cannot fail.
            let _ = write!(text, "{glue}down for {down}");
        }
        Self {
            date: iso_ms(day.at_ms).chars().take(10).collect(),
            class: uptime::class(uptime),
            text,
            incidents: on_day(seen, &one.listed.id, day.at_ms),
            is_known: uptime.is_some(),
        }
    }

    fn has_trouble(&self) -> bool {
        matches!(self.class, "degraded" | "down") || !self.incidents.is_empty()
    }
}

/// Ninety bars, each with a card of its day.
fn draw_bars(days: &[DayCard<'_>]) -> Markup {
    let bar = |day: &DayCard<'_>| Bar {
        class: day.class,
        card: html! {
            (day.date) @if !day.text.is_empty() { ": " (day.text) }
            @for one in &day.incidents { br; (one.title) }
        },
    };
    let known = days.iter().filter(|day| day.is_known).count();
    let bad = days
        .iter()
        .filter(|day| matches!(day.class, "degraded" | "down"))
        .count();
    let label = match known {
        0 => "Last 90 days: no data".to_owned(),
        _ => format!("Last 90 days: downtime on {bad} of {known} days with data"),
    };
    bars(&days.iter().map(bar).collect::<Vec<_>>(), &label)
}

/// The days with trouble in words, newest first, for those who do not point at bars.
fn list(days: &[DayCard<'_>]) -> Markup {
    let bad = days.iter().rev().filter(|day| day.has_trouble());
    let bad: Vec<&DayCard<'_>> = bad.take(MAX_LISTED).collect();
    html! {
        @if !bad.is_empty() {
            details {
                summary { (number::with_noun(bad.len() as u64, "day", "days")) " with downtime or incidents" }
                ul { @for day in bad { li {
                    (day.date) @if !day.text.is_empty() { ": " (day.text) }
                    @for one in &day.incidents { br; a href={ "#" (one.id) } { (one.title) } }
                } } }
            }
        }
    }
}

/// Response times day by day as a line, where at least two days are known.
fn line(one: &MonitorSnapshot) -> Markup {
    let means: Vec<Option<f64>> = one.days.iter().map(Day::response).collect();
    let known = means.iter().flatten().copied();
    let (least, most) = known
        .clone()
        .fold((f64::MAX, 0.0_f64), |(least, most), mean| {
            (least.min(mean), most.max(mean))
        });
    let count = known.count();
    let Some(response) = one.response(90) else {
        return html! {};
    };
    let ms = number::millis;
    html! {
        div.row.dim {
            span { "Response time: " (ms(response)) " average" }
            @if count > 1 { span { (ms(least)) " to " (ms(most)) " by day" } }
        }
        @if count > 1 {
            svg.line viewBox="0 0 360 30" preserveAspectRatio="none" role="img" aria-label=(format!("Response time by day, {} to {}", ms(least), ms(most))) {
                path d=(path(&means, most)) {}
            }
        }
    }
}

fn path(means: &[Option<f64>], most: f64) -> String {
    let mut path = String::new();
    let mut draws = false;
    for (nth, mean) in means.iter().enumerate() {
        let Some(mean) = mean else {
            draws = false;
            continue;
        };
        let y = HEIGHT - 2.0 - mean / most.max(1.0) * (HEIGHT - 4.0);
        let command = if draws { 'L' } else { 'M' };
        let _ = write!(path, "{command}{} {y:.1}", nth * 4 + 1);
        // A point of its own would not be seen.
        if !draws && means.get(nth + 1).copied().flatten().is_none() {
            path.push_str("h1");
        }
        draws = true;
    }
    path
}
