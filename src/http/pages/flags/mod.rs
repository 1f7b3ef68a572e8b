//! Feature flags: all of them, making and changing one, what it is for somebody, and its history.

mod explain;
mod fields;
mod history;
mod list;
mod new;
mod rules;
mod show;

use maud::{Markup, html};
use serde::Deserialize;

use crate::{http::routes::Route, pages::number};

pub(super) fn routes() -> Vec<Route> {
    [list::routes(), new::routes(), show::routes()]
        .into_iter()
        .flatten()
        .collect()
}

/// Where a flag's page is.
fn path(id: &str) -> String {
    format!("/console/flag/{id}")
}

/// What lists and pages need of a flag; what forms need is in [`fields`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Flag {
    id: String,
    key: String,
    name: Option<String>,
    #[serde(rename = "type")]
    kind: String,
    status: String,
    default_value: bool,
    rollout_percentage: Option<u8>,
    website_id: Option<String>,
    rules: Vec<serde_json::Value>,
}

impl Flag {
    /// Whether it counts, in a word.
    fn stands(&self) -> Markup {
        let (class, word) = match self.status.as_str() {
            "active" => ("good", "active"),
            "archived" => ("", "archived"),
            _ => ("warn", "inactive"),
        };
        html! { span class={ "state " (class) } { (word) } }
    }

    /// How it decides, in words.
    fn decides(&self) -> String {
        let rules = match self.rules.len() {
            0 => String::new(),
            1 => "1 rule, then ".to_owned(),
            count => format!("{count} rules, then "),
        };
        let rest = match (self.kind.as_str(), self.rollout_percentage) {
            ("rollout", share) => format!("on for {}", number::percent(share.unwrap_or(0).into())),
            ("multivariant", _) => "one of its variants".to_owned(),
            _ if self.default_value => "on".to_owned(),
            _ => "off".to_owned(),
        };
        rules + &rest
    }
}
