//! Monitors: their list, and one with its history and settings.

mod checks;
mod fields;
mod history;
mod list;
mod overview;
mod pick;
mod request;
mod response;
mod show;
mod suggest;
mod timing;

use self::show::NewMonitor;
use super::resource::creation;
use crate::{
    actors::monitors::{Kind, MonitorEntry, State},
    http::{
        pages::prelude::*,
        procedures::{
            uptime_summary::{SummaryOut, UptimeOut},
            uptime_wire::{ScheduleOut, WholeOut},
        },
    },
    pages::{number, part::time, uptime},
};

pub(super) fn routes() -> Vec<Route> {
    let new = creation::<NewMonitor>().into();
    [
        list::routes(),
        pick::routes(),
        suggest::routes(),
        new,
        resource::routes::<WholeOut>(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

pub(super) fn monitor_name(monitor: &ScheduleOut) -> &str {
    let name = monitor.fields.name.as_deref();
    let name = name.filter(|name| !name.is_empty());
    name.or(address(monitor)).unwrap_or("Monitor")
}

/// The target of a monitor; none for heartbeats.
fn address(monitor: &ScheduleOut) -> Option<&str> {
    let url = monitor.fields.url.as_deref();
    url.filter(|url| !url.is_empty())
}

/// The title of a monitor's type.
fn kind_label(kind: Kind) -> &'static str {
    match kind {
        Kind::Http => "HTTP",
        Kind::Dns => "DNS",
        kind => kind.info().label,
    }
}

const fn state_label(state: State) -> &'static str {
    match state {
        State::Up => "Up",
        State::Degraded => "Degraded",
        State::Pending => "Pending",
        State::Down => "Down",
        State::Unknown => "Not checked yet",
    }
}

/// The status of a monitor: its value in addresses, its class, its label.
fn status(monitor: &ScheduleOut) -> (&'static str, &'static str, &'static str) {
    describe_status(monitor.state, monitor.is_paused, monitor.in_maintenance)
}

const fn describe_status(
    state: State,
    is_paused: bool,
    in_maintenance: bool,
) -> (&'static str, &'static str, &'static str) {
    let class = match state {
        _ if is_paused => return ("paused", "", "Paused"),
        _ if in_maintenance => return ("maintenance", "", "Maintenance"),
        State::Up => "good",
        State::Degraded | State::Pending => "warn",
        State::Down => "bad",
        State::Unknown => "",
    };
    (state.as_str(), class, state_label(state))
}

fn draw_status(monitor: &ScheduleOut) -> Markup {
    draw_state(status(monitor))
}

fn draw_state((_, class, label): (&str, &str, &str)) -> Markup {
    html! { span class={ "state " (class) } { (label) } }
}

/// The status of a monitor with its newest checks and its uptime, without its target.
pub(super) fn draw_summary(
    monitor: &MonitorEntry,
    summary: &SummaryOut,
    date_format: &DateFormat,
    now_ms: i64,
) -> Markup {
    let (spec, live) = (monitor.spec(), monitor.live());
    let standing = live.standing;
    let state = describe_status(standing.state, spec.is_paused, spec.in_maintenance(now_ms));
    let since = (standing.settled != State::Unknown).then_some(standing.since_ms);
    let texts = date_format.texts;
    let (name, class, label) = state;
    let state = (name, class, texts.label(label));
    html! {
        p { (draw_state(state)) @if let Some(at) = since { span.dim { " " (texts.label("since")) " " (time(at, &date_format.moment(at), date_format)) } } }
        @if !summary.checks.is_empty() { (checks::draw_bars(None, &summary.checks, date_format)) }
        dl.figures {
            div { dt { (texts.label("24 hours")) } dd { (draw_uptime(texts, &summary.last_day, 1)) } }
            div { dt { (texts.label("30 days")) } dd { (draw_uptime(texts, &summary.last_month, 30)) } }
            div { dt { (texts.label("Response time")) } dd { (texts.number(&draw_ms(summary.avg_response_time))) } }
        }
        @if !summary.checks.is_empty() { (checks::draw_table(&summary.checks, date_format)) }
    }
}

/// The uptime of so many days. Where less is known, it says of how long; a day that has just begun is no gap.
fn draw_uptime(texts: Texts, known: &UptimeOut, days: u16) -> Markup {
    let seconds = known.known_seconds;
    let whole = DAY_SECONDS * f64::from(days.saturating_sub(1).max(1));
    let over = match seconds {
        0.0..1.0 => Some(texts.label("first check").to_owned()),
        seconds if seconds < 0.97 * whole => Some(format!(
            "{} {}",
            texts.label("over"),
            texts.duration(seconds)
        )),
        _ => None,
    };
    html! {
        @match known.uptime_percentage {
            Some(percent) => {
                (texts.number(&uptime::percent(percent)))
                @if let Some(over) = over { " " span.dim { (over) } }
            }
            None => (number::NONE),
        }
    }
}

const DAY_SECONDS: f64 = 86_400.0;

/// A response time; a dash where none was measured.
fn draw_ms(ms: Option<f64>) -> String {
    ms.map_or_else(|| number::NONE.to_owned(), number::millis)
}
