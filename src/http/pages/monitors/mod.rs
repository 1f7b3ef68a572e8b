//! Monitors: all of them as they stand, making and changing one, and what became of it.

mod fields;
mod list;
mod new;
mod past;
mod show;

use maud::{Markup, html};
use serde::Deserialize;

use crate::http::routes::Route;

pub(super) fn routes() -> Vec<Route> {
    [list::routes(), new::routes(), show::routes()]
        .into_iter()
        .flatten()
        .collect()
}

/// Where a monitor's page is.
fn path(id: &str) -> String {
    format!("/console/monitor/{id}")
}

/// What lists and pages need of a monitor; what forms need is in [`fields`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Monitor {
    id: String,
    name: Option<String>,
    url: Option<String>,
    kind: String,
    group: Option<String>,
    is_paused: bool,
    state: String,
    in_maintenance: bool,
    since: Option<String>,
    last_checked_at: Option<String>,
    push_url: Option<String>,
}

impl Monitor {
    fn name(&self) -> &str {
        let name = self.name.as_deref().filter(|name| !name.is_empty());
        name.or(self.address()).unwrap_or("Monitor")
    }

    /// What is watched; nothing where signs of life are waited for.
    fn address(&self) -> Option<&str> {
        self.url.as_deref().filter(|url| !url.is_empty())
    }

    /// How it stands, in a word.
    fn stands(&self) -> Markup {
        let (class, word) = match self.state.as_str() {
            _ if self.is_paused => ("", "paused"),
            _ if self.in_maintenance => ("", "maintenance"),
            "up" => ("good", "up"),
            "degraded" => ("warn", "slow"),
            "pending" => ("warn", "failing, being checked again"),
            "down" => ("bad", "down"),
            _ => ("", "not checked yet"),
        };
        html! { span class={ "state " (class) } { (word) } }
    }
}

/// The past of a monitor.
#[derive(Debug, Deserialize)]
struct History {
    days: Vec<Day>,
    changes: Vec<Change>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Day {
    date: String,
    uptime_percentage: Option<f64>,
    avg_response_time: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Change {
    at: String,
    from: String,
    to: String,
    error: Option<String>,
}

impl History {
    /// The mean of the days of which something is known.
    fn mean(&self, of: fn(&Day) -> Option<f64>) -> Option<f64> {
        let known: Vec<f64> = self.days.iter().filter_map(of).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    }
}
