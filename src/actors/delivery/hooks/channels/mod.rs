//! Services that messages are sent to over HTTP, and email beside them: one file each, one line in `services!`.

mod discord;
mod email;
mod pagerduty;
mod slack;
mod teams;
mod telegram;
mod webhook;

use std::collections::BTreeMap;

use hyper::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::{Notice, receiver};
use crate::{actors::seal::opaque_debug, egress::Policy};

/// `[alarms]` of the configuration: where the services are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bases {
    #[serde(rename = "slack_base_url")]
    pub slack: String,
    #[serde(rename = "discord_base_url")]
    pub discord: String,
    #[serde(rename = "telegram_base_url")]
    pub telegram: String,
    /// Microsoft Teams' workflows; empty = where each destination says.
    #[serde(rename = "teams_base_url")]
    pub teams: String,
    #[serde(rename = "pagerduty_base_url")]
    pub pagerduty: String,
}

impl Default for Bases {
    fn default() -> Self {
        let at = |address: &str| address.to_owned();
        Self {
            slack: at("https://hooks.slack.com"),
            discord: at("https://discord.com"),
            telegram: at("https://api.telegram.org"),
            teams: String::new(),
            pagerduty: at("https://events.pagerduty.com"),
        }
    }
}

type MakeRequest = fn(&Message<'_>) -> Result<Request, String>;

/// What a service is and how it is reached.
#[derive(Debug)]
pub struct Service {
    /// What it is, and what its `identifier` is.
    pub title: &'static str,
    /// Fields of a destination that it takes beside `identifier`, such as `config.token`.
    pub fields: &'static [&'static str],
    /// Whether it gets a message for each subject, because it keeps a list of what is open.
    pub is_told_one_by_one: bool,
    /// Judges where a message is to go, and puts it into one form.
    pub check: fn(&mut Channel, &ChannelRules) -> Result<(), FieldError>,
    /// The request that says it; nothing for email.
    pub(super) request: Option<MakeRequest>,
}

/// The field that is wrong, and what is wrong with it.
pub type FieldError = (&'static str, String);

#[derive(Debug, Clone)]
pub struct ChannelRules {
    pub policy: std::sync::Arc<Policy>,
    pub bases: Bases,
    pub mail: bool,
}

/// Declares the kinds of channels, each with the module whose `SERVICE` it is.
macro_rules! services {
    ($($(#[$meta:meta])* $kind:ident => $module:ident,)*) => {
        /// Kinds of destinations.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "lowercase")]
        #[schemars(rename = "DestinationKind")]
        pub enum ChannelKind { $($(#[$meta])* $kind,)* }

        impl ChannelKind {
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// The kind as it is stored and written on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$kind => stringify!($module),)* }
            }

            pub const fn service(self) -> &'static Service {
                match self { $(Self::$kind => &$module::SERVICE,)* }
            }
        }
    };
}

services! {
    /// Any HTTP server, with messages signed by Standard Webhooks.
    #[default]
    Webhook => webhook,
    /// A channel in Slack.
    Slack => slack,
    /// A channel in Discord.
    Discord => discord,
    /// A chat in Telegram.
    Telegram => telegram,
    /// A channel in Microsoft Teams.
    Teams => teams,
    /// A service in PagerDuty.
    Pagerduty => pagerduty,
    /// A mailbox.
    Email => email,
}

/// Where a message goes.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    pub kind: ChannelKind,
    /// What the service knows it by: an address, a chat, a routing key.
    // Earlier versions called it what it is in each service.
    #[serde(alias = "url", alias = "chat", alias = "key")]
    pub identifier: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// `POST` unless it says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Further fields of the request's head.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
}

opaque_debug!(Channel);

/// What is to be said, where, and when.
pub(super) struct Message<'a> {
    pub(super) channel: &'a Channel,
    pub(super) notice: &'a Notice,
    pub(super) bases: &'a Bases,
    /// The same for every attempt.
    pub(super) id: &'a str,
    pub(super) now_ms: i64,
}

impl Message<'_> {
    pub(super) fn request(&self) -> Result<Request, String> {
        let request = self.channel.kind.service().request;
        request.ok_or("not a channel over HTTP")?(self)
    }
}

pub(super) struct Request {
    pub(super) method: Method,
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Request {
    fn post(url: String, body: &Value) -> Self {
        let agent = concat!("pharos/", env!("CARGO_PKG_VERSION"));
        let headers = [("content-type", "application/json"), ("user-agent", agent)];
        Self {
            method: Method::POST,
            url,
            headers: headers
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
            body: body.to_string(),
        }
    }

    /// To the address that a service gave out, where that service is reached.
    fn post_to(given: &str, base: &str, body: &Value) -> Result<Self, String> {
        if base.is_empty() {
            return Ok(Self::post(given.to_owned(), body));
        }
        let url = Url::parse(given).map_err(|error| error.to_string())?;
        let rest = &url[url::Position::BeforePath..url::Position::AfterQuery];
        Ok(Self::post(join(base, rest), body))
    }
}

fn join(base: &str, path: &str) -> String {
    format!("{}{path}", base.trim_end_matches('/'))
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// An address over HTTP that may be reached as far as its spelling says.
fn check_address(channel: &mut Channel, rules: &ChannelRules) -> Result<(), FieldError> {
    channel.identifier =
        receiver(&channel.identifier, &rules.policy).map_err(|message| ("identifier", message))?;
    Ok(())
}

/// An address that a service gave out: below one of its own, or below where it is reached.
fn check_given_out(channel: &Channel, base: &str, own: &[&str]) -> Result<(), FieldError> {
    let given = &channel.identifier;
    let begins = |base: &str| {
        let rest = given.strip_prefix(base.trim_end_matches('/'));
        !base.is_empty() && rest.is_some_and(|rest| rest.starts_with('/'))
    };
    if Url::parse(given).is_ok() && own.iter().copied().chain([base]).any(begins) {
        return Ok(());
    }
    let first = own.first().copied().unwrap_or_default();
    Err((
        "identifier",
        format!("`identifier` must begin with {first}/"),
    ))
}
