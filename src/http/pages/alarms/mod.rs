//! Alarms: their list, one with its settings, backtests, and deliveries.

mod backtest;
mod conditions;
mod deliveries;
mod destinations;
mod fields;
mod list;
mod show;

use self::show::NewAlarm;
use super::resource::creation;
use crate::{
    actors::alarms::TriggerType,
    http::{pages::prelude::*, procedures::alarms_wire::AlarmOut},
    pages::part::{copyable, notice},
};

pub(super) fn routes() -> Vec<Route> {
    [
        list::routes(),
        creation::<NewAlarm>().into(),
        show::routes(),
        deliveries::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Kinds of alarms with their labels.
const KINDS: [(&str, &str); 7] = [
    ("uptime", "Monitors"),
    ("heartbeat", "Signs of life"),
    ("traffic_spike", "More traffic"),
    ("traffic_drop", "Less traffic"),
    ("error_rate", "Errors"),
    ("web_vital", "Web vitals"),
    ("custom", "Any number"),
];

/// The label of a kind.
pub(super) fn about(kind: TriggerType) -> &'static str {
    let own = KINDS.iter().find(|(own, _)| *own == kind.as_str());
    own.map_or(kind.as_str(), |(_, words)| words)
}

/// The state of an alarm over all of its subjects.
fn draw_state(alarm: &AlarmOut) -> Markup {
    let firing = alarm
        .standings
        .iter()
        .filter(|one| one.status.is_firing())
        .count();
    html! {
        @if !alarm.fields.enabled { span.state { "switched off" } }
        @else if firing > 0 { span.state.bad { "is going off" @if firing > 1 { " about " (firing) } } }
        @else { span.state.good { "quiet" } }
    }
}

/// Secrets of webhooks that were created just now.
fn new_secrets(alarm: &AlarmOut) -> Option<Markup> {
    let fresh = alarm.destinations.iter().filter_map(|to| {
        let secret = to.config.secret.as_deref()?;
        secret.starts_with("whsec_").then_some((to, secret))
    });
    let fresh: Vec<_> = fresh.collect();
    (!fresh.is_empty()).then(|| html! {
        (notice("good", &html! { p { strong { "This is what its messages are signed with. " } "Nobody can see it again: put it where it is needed, now." } }))
        section.panel { @for (to, secret) in fresh { p { "To " (to.identifier) ":" } (copyable("Secret of the webhook", secret)) } }
    })
}
