//! Components of the page, which are its monitors: their status, their days as bars, and their response times as a line.

use std::{borrow::Cow, fmt::Write as _};

use maud::{Markup, html};

use super::incidents::on_day;
use crate::{
    actors::status_pages::{Day, Incident, MonitorSnapshot, MonitorStatus, Snapshot},
    clock::from_ms,
    locale::Texts,
    pages::{
        chart::table_below,
        number,
        uptime::{self, Bar, bars},
    },
};

/// Days that the list below the bars has.
const MAX_LISTED: usize = 30;
/// Height of the line, in its own measure.
const HEIGHT: f64 = 30.0;

/// Every monitor, under the headings of their groups, in the order of their first monitors.
pub(super) fn draw(seen: &Snapshot, texts: Texts) -> Markup {
    let mut groups: Vec<Option<&str>> = Vec::new();
    for one in &seen.monitors {
        let group = one.listed.fields.group.as_deref();
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    let has_headings = groups.len() > 1 || groups.first().is_some_and(Option::is_some);
    html! {
        h2 { (texts.status_components()) }
        @if seen.monitors.is_empty() { p.dim { (texts.status_no_components()) } }
        @for group in groups {
            @if has_headings { h3 { (group.unwrap_or(&texts.status_other_components())) } }
            @for one in seen.monitors.iter().filter(|one| one.listed.fields.group.as_deref() == group) { (component(seen, texts, one)) }
        }
    }
}

/// The status of a monitor: a class of the style, and its text.
fn status(one: &MonitorSnapshot, texts: Texts) -> (&'static str, Cow<'static, str>) {
    match one.status {
        _ if one.in_maintenance => ("planned", texts.status_maintenance()),
        MonitorStatus::Up => ("up", texts.component_operational()),
        MonitorStatus::Degraded => ("degraded", texts.component_degraded()),
        MonitorStatus::Down => ("down", texts.component_outage()),
        MonitorStatus::Unknown => ("unknown", texts.component_unknown()),
    }
}

fn component(seen: &Snapshot, texts: Texts, one: &MonitorSnapshot) -> Markup {
    let hides = &one.listed.fields;
    let (class, label) = status(one, texts);
    let days: Vec<DayCard<'_>> = one
        .days
        .iter()
        .map(|day| DayCard::new(seen, texts, one, day))
        .collect();
    let uptime = one.uptime(90).filter(|_| !hides.hide_uptime_percentage);
    html! {
        section.one aria-label=(one.name) {
            div.row { strong { (one.name) } span.(class) { (label) } }
            @if !hides.hide_url && !one.url.is_empty() && one.name != one.url { p.dim { (one.url) } }
            (draw_bars(texts, &days))
            div.row.dim {
                span { (texts.uptime_first_day()) }
                @if let Some(uptime) = uptime { span { (uptime_share(texts, uptime)) } }
                span { (texts.uptime_last_day()) }
            }
            (list(texts, &days))
            @if !hides.hide_latency { (line(texts, one)) }
            (draw_table(texts, &days))
        }
    }
}

fn uptime_share(texts: Texts, uptime: f64) -> Cow<'static, str> {
    texts.uptime_share(&texts.number(&uptime::percent(uptime)))
}

/// A day of a monitor, with what is said of it.
struct DayCard<'a> {
    date: String,
    class: &'static str,
    text: String,
    incidents: Vec<&'a Incident>,
    is_known: bool,
    /// The average response time, if it is shown.
    response: Option<String>,
}

impl<'a> DayCard<'a> {
    fn new(seen: &'a Snapshot, texts: Texts, one: &MonitorSnapshot, day: &Day) -> Self {
        let known = &day.known;
        let uptime = known.uptime();
        let mut parts = Vec::with_capacity(2);
        match uptime {
            None => parts.push(texts.uptime_none()),
            Some(_) if one.listed.fields.hide_uptime_percentage => {}
            Some(percent) => parts.push(uptime_share(texts, percent)),
        }
        if known.down_ms > 0 {
            let down = texts.duration(known.down_ms as f64 / 1_000.0);
            parts.push(texts.uptime_down(&down));
        }
        Self {
            date: texts.day(from_ms(day.at_ms).date_naive()),
            class: uptime::class(uptime),
            text: texts.list(&parts),
            incidents: on_day(seen, &one.listed.id, day.at_ms),
            is_known: uptime.is_some(),
            response: day
                .response()
                .filter(|_| !one.listed.fields.hide_latency)
                .map(|ms| texts.number(&number::millis(ms))),
        }
    }

    /// The label of a day whose numbers are hidden.
    fn label(&self) -> &'static str {
        match self.class {
            "up" => "Up",
            "degraded" => "Degraded",
            _ => "Down",
        }
    }

    fn has_trouble(&self) -> bool {
        matches!(self.class, "degraded" | "down") || !self.incidents.is_empty()
    }
}

/// Ninety bars, each with a card of its day.
fn draw_bars(texts: Texts, days: &[DayCard<'_>]) -> Markup {
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
        0 => texts.uptime_bars_none(),
        _ => texts.uptime_bars(bad as u64, known as u64),
    };
    bars(&days.iter().map(bar).collect::<Vec<_>>(), &label)
}

/// The days with trouble in words, newest first, for those who do not point at bars.
fn list(texts: Texts, days: &[DayCard<'_>]) -> Markup {
    let bad = days.iter().rev().filter(|day| day.has_trouble());
    let bad: Vec<&DayCard<'_>> = bad.take(MAX_LISTED).collect();
    html! {
        @if !bad.is_empty() {
            details {
                summary { (texts.uptime_bad_days(bad.len() as u64)) }
                ul { @for day in bad { li {
                    (day.date) @if !day.text.is_empty() { ": " (day.text) }
                    @for one in &day.incidents { br; a href={ "#" (one.id) } { (one.title) } }
                } } }
            }
        }
    }
}

/// The days of the bars and of the line as a table, newest first.
fn draw_table(texts: Texts, days: &[DayCard<'_>]) -> Markup {
    let known: Vec<&DayCard<'_>> = days.iter().rev().filter(|day| day.is_known).collect();
    if known.is_empty() {
        return html! {};
    }
    let is_timed = known.iter().any(|day| day.response.is_some());
    let rows = html! {
        @for day in known { tr {
            th scope="row" { (day.date) }
            td { @if day.text.is_empty() { (texts.label(day.label())) } @else { (day.text) } }
            @if is_timed { td { (day.response.as_deref().unwrap_or(number::NONE)) } }
        } }
    };
    let table = html! {
        table {
            thead { tr {
                th scope="col" { (texts.label("Day")) }
                th scope="col" { (texts.label("Uptime")) }
                @if is_timed { th scope="col" { (texts.label("Response time")) } }
            } }
            tbody { (rows) }
        }
    };
    table_below(texts, &table)
}

/// Response times day by day as a line, where at least two days are known.
fn line(texts: Texts, one: &MonitorSnapshot) -> Markup {
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
    let [response, low, high] = [response, least, most].map(|ms| texts.number(&number::millis(ms)));
    html! {
        div.row.dim {
            span { (texts.response_time(&response)) }
            @if count > 1 { span { (texts.response_time_range(&low, &high)) } }
        }
        @if count > 1 {
            svg.line viewBox="0 0 360 30" preserveAspectRatio="none" role="img" aria-label=(texts.response_time_chart(&low, &high)) {
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
