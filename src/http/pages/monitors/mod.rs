//! Monitors: their list, and one with its history and settings.

mod fields;
mod list;
mod past;
mod show;

use self::show::NewMonitor;
use super::resource::creation;
use crate::{
    actors::monitors::State,
    http::{
        pages::prelude::*,
        procedures::uptime_wire::{DayOut, HistoryOut, ScheduleOut, WholeOut},
    },
};

pub(super) fn routes() -> Vec<Route> {
    let new = creation::<NewMonitor>().into();
    [list::routes(), new, resource::routes::<WholeOut>()]
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

/// The state of a monitor, in a word.
fn draw_state(monitor: &ScheduleOut) -> Markup {
    let (class, word) = match monitor.state {
        _ if monitor.is_paused => ("", "paused"),
        _ if monitor.in_maintenance => ("", "maintenance"),
        State::Up => ("good", "up"),
        State::Degraded => ("warn", "slow"),
        State::Pending => ("warn", "failing, being checked again"),
        State::Down => ("bad", "down"),
        State::Unknown => ("", "not checked yet"),
    };
    html! { span class={ "state " (class) } { (word) } }
}

/// The mean of the days with a value.
fn mean(history: &HistoryOut, of: fn(&DayOut) -> Option<f64>) -> Option<f64> {
    let known: Vec<f64> = history.days.iter().filter_map(of).collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}
