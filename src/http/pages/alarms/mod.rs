//! Alarms: all of them, making and changing one, what it would have done, and what became of its messages.

mod conditions;
mod destinations;
mod fields;
mod inputs;
mod list;
mod log;
mod new;
mod past;
mod show;

use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    http::routes::Route,
    pages::part::{copied, notice},
};

pub(super) fn routes() -> Vec<Route> {
    [list::routes(), new::routes(), show::routes(), log::routes()]
        .into_iter()
        .flatten()
        .collect()
}

/// Where an alarm's page is.
fn path(id: &str) -> String {
    format!("/console/alarm/{id}")
}

/// What alarms go off about, in words.
const KINDS: [(&str, &str); 7] = [
    ("uptime", "Monitors"),
    ("heartbeat", "Signs of life"),
    ("traffic_spike", "More traffic"),
    ("traffic_drop", "Less traffic"),
    ("error_rate", "Errors"),
    ("web_vital", "Web vitals"),
    ("custom", "Any number"),
];

/// What an alarm of this type goes off about.
pub(super) fn about(kind: &str) -> &str {
    let own = KINDS.iter().find(|(own, _)| *own == kind);
    own.map_or(kind, |(_, words)| words)
}

/// What lists and pages need of an alarm; what its form needs is in [`fields`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Alarm {
    id: String,
    name: String,
    enabled: bool,
    website_id: Option<String>,
    trigger_type: String,
    destinations: Vec<Destination>,
    standings: Vec<Standing>,
}

/// Whom an alarm tells.
#[derive(Debug, Deserialize)]
struct Destination {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    identifier: String,
    config: Config,
    disabled: Option<String>,
}

/// What of a destination's settings pages show.
#[derive(Debug, Deserialize)]
struct Config {
    secret: Option<String>,
}

/// How an alarm stands about one thing.
#[derive(Debug, Deserialize)]
struct Standing {
    subject: String,
    name: String,
    status: String,
    since: Option<String>,
    acknowledged: bool,
    evidence: String,
}

impl Standing {
    fn rings(&self) -> bool {
        ["firing", "recovering"].contains(&self.status.as_str())
    }

    /// How it stands, in a word.
    fn stands(&self) -> Markup {
        let (class, word) = match self.status.as_str() {
            "firing" => ("bad", "is going off"),
            "recovering" => ("warn", "about to end"),
            "pending" => ("warn", "about to go off"),
            _ => ("good", "quiet"),
        };
        html! { span class={ "state " (class) } { (word) } @if self.acknowledged { span.dim { " taken care of" } } }
    }
}

impl Alarm {
    /// What it goes off about.
    fn about(&self) -> &str {
        about(&self.trigger_type)
    }

    /// How it stands about everything.
    fn stands(&self) -> Markup {
        let ringing = self.standings.iter().filter(|one| one.rings()).count();
        html! {
            @if !self.enabled { span.state { "switched off" } }
            @else if ringing > 0 { span.state.bad { "is going off" @if ringing > 1 { " about " (ringing) } } }
            @else { span.state.good { "quiet" } }
        }
    }

    /// Secrets that were made just now, for those who have to put them somewhere.
    fn secrets(&self) -> Markup {
        let fresh = self.destinations.iter().filter_map(|to| {
            let secret = to.config.secret.as_deref()?;
            secret.starts_with("whsec_").then_some((to, secret))
        });
        let fresh: Vec<_> = fresh.collect();
        html! {
            @if !fresh.is_empty() {
                (notice("good", &html! { p { strong { "This is what its messages are signed with. " } "Nobody can see it again: put it where it is needed, now." } }))
                section.panel { @for (to, secret) in fresh { p { "To " (to.identifier) ":" } (copied("Secret of the webhook", secret)) } }
            }
        }
    }
}
