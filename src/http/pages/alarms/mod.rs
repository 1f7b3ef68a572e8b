//! Alerts (`alarms` in the API): their list, one with its settings, backtests, and deliveries.

mod backtest;
mod conditions;
mod deliveries;
mod destinations;
mod fields;
mod list;
mod routing;
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
    ("uptime", "Monitor"),
    ("heartbeat", "Heartbeat (push)"),
    ("traffic_spike", "Traffic spike"),
    ("traffic_drop", "Traffic drop"),
    ("error_rate", "Error rate"),
    ("web_vital", "Web vitals"),
    ("custom", "Custom metric"),
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
        @if !alarm.fields.enabled { span.state { "Disabled" } }
        @else if firing > 0 { span.state.bad { "Firing" @if firing > 1 { " (" (firing) ")" } } }
        @else { span.state.good { "OK" } }
    }
}

/// What is said of a new secret.
const SHOWN_ONCE: &str = "Copy it now. It isn't shown again.";
/// The name of a webhook's secret.
const SECRET: &str = "Webhook signing secret";

/// Secrets of webhooks that were created just now.
fn new_secrets(alarm: &AlarmOut) -> Option<Markup> {
    let fresh = alarm.destinations.iter().filter_map(|to| {
        let secret = to.config.secret.as_deref()?;
        secret.starts_with("whsec_").then_some((to, secret))
    });
    let fresh: Vec<_> = fresh.collect();
    (!fresh.is_empty()).then(|| html! {
        (notice("good", &html! { p { strong { "Signing secret created. " } (SHOWN_ONCE) } }))
        section.panel { @for (to, secret) in fresh { p { (to.identifier) } (copyable(SECRET, secret)) } }
    })
}
