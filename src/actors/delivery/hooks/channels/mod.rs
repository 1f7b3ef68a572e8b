//! Notification channels: services that messages are sent to, each a file of data (`built_in/`, or an operator's own).
//!
//! A file says what is asked for (`definition.rs`), how the request is made (`request.rs`, `template.rs`) and what an answer means. API,
//! console, guide and checks derive from it.

mod aws;
mod check;
mod definition;
mod request;
mod template;
#[cfg(test)]
mod tests;
mod verdict;
mod webhook;

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::{Notice, receiver};
use crate::actors::seal::opaque_debug;

pub use check::{ChannelRules, FieldError};
use definition::DefinitionError;
pub use definition::{Category, Definition, Field};
pub(super) use request::Message;
#[cfg(test)]
pub(super) use request::Request;
#[cfg(test)]
use verdict::Verdict;

/// The files of the program, by name.
static BUILT_IN: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/channels.rs"));

/// `[alarms]` of the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelOptions {
    /// Where services are, as `channel=url`; the service's own address unless named.
    pub base_urls: Vec<String>,
    /// A folder of further channels; empty = none.
    pub channels_directory: String,
    // What `base_urls` was in the first release.
    pub slack_base_url: String,
    pub discord_base_url: String,
    pub telegram_base_url: String,
    pub teams_base_url: String,
    pub pagerduty_base_url: String,
}

/// A file of the operator's folder can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ChannelsError {
    #[error("{}: {error}", path.display())]
    Definition {
        path: PathBuf,
        error: DefinitionError,
    },
    #[error("{}: {error}", path.display())]
    Io {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("{}: there is a channel `{name}` already", path.display())]
    Taken { path: PathBuf, name: String },
}

/// Every channel; cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Channels(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    own: BTreeMap<String, Definition>,
    base_urls: BTreeMap<String, String>,
}

impl Channels {
    /// The built-in channels and those of the operator's folder.
    pub fn load(options: &ChannelOptions) -> Result<Self, ChannelsError> {
        let named = options
            .base_urls
            .iter()
            .filter_map(|given| given.split_once('='));
        let named = named.map(|(name, url)| (name.trim().to_owned(), url.trim().to_owned()));
        let mut base_urls: BTreeMap<String, String> = named.collect();
        for (name, url) in [
            ("slack", &options.slack_base_url),
            ("discord", &options.discord_base_url),
            ("telegram", &options.telegram_base_url),
            ("teams", &options.teams_base_url),
            ("pagerduty", &options.pagerduty_base_url),
        ] {
            base_urls
                .entry(name.to_owned())
                .or_insert_with(|| url.clone());
        }
        base_urls.retain(|_, url| !url.is_empty());
        let own = match options.channels_directory.as_str() {
            "" => BTreeMap::new(),
            folder => read_folder(Path::new(folder))?,
        };
        Ok(Self(Arc::new(Inner { own, base_urls })))
    }

    /// The channel with this name.
    pub fn get(&self, name: &str) -> Option<&Definition> {
        built_in(name).or_else(|| self.0.own.get(name))
    }

    /// Every channel by name.
    pub fn all(&self) -> Vec<(&str, &Definition)> {
        let built_in = BUILT_IN
            .iter()
            .filter_map(|(name, _)| Some((*name, built_in(name)?)));
        let own = self.0.own.iter().map(|(name, one)| (name.as_str(), one));
        let mut all: Vec<_> = built_in.chain(own).collect();
        all.sort_by_key(|(_, one)| one.title.to_lowercase());
        all
    }

    /// Where the operator says that a service is.
    fn base_url(&self, name: &str) -> Option<&str> {
        self.0.base_urls.get(name).map(String::as_str)
    }
}

/// A channel of the program, read when it is first asked for.
fn built_in(name: &str) -> Option<&'static Definition> {
    static READ: OnceLock<Vec<OnceLock<Option<Definition>>>> = OnceLock::new();
    let at = BUILT_IN.iter().position(|(own, _)| *own == name)?;
    let read = READ.get_or_init(|| BUILT_IN.iter().map(|_| OnceLock::new()).collect());
    read[at]
        .get_or_init(|| {
            let parsed = Definition::parse(BUILT_IN[at].1);
            parsed
                .inspect_err(
                    |error| tracing::error!(channel = name, %error, "a channel can't be read"),
                )
                .ok()
        })
        .as_ref()
}

fn read_folder(folder: &Path) -> Result<BTreeMap<String, Definition>, ChannelsError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| ChannelsError::Io { path, error }
    };
    let mut own = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(io(folder))? {
        let path = entry.map_err(io(folder))?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let file = std::fs::read_to_string(&path).map_err(io(&path))?;
        let definition = match Definition::parse(&file) {
            Ok(definition) => definition,
            Err(error) => return Err(ChannelsError::Definition { path, error }),
        };
        if built_in(&name).is_some() {
            return Err(ChannelsError::Taken { path, name });
        }
        own.insert(name, definition);
    }
    Ok(own)
}

/// The name of a channel, such as `slack`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChannelKind(String);

impl ChannelKind {
    pub const WEBHOOK: &'static str = "webhook";
    pub const EMAIL: &'static str = "email";

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_email(&self) -> bool {
        self.0 == Self::EMAIL
    }
}

impl Default for ChannelKind {
    fn default() -> Self {
        Self(Self::WEBHOOK.to_owned())
    }
}

impl From<&str> for ChannelKind {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl fmt::Display for ChannelKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl JsonSchema for ChannelKind {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "DestinationKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        json_schema!({
            "description": "The name of a channel; `/alarms/channels` lists them. An operator may have added more.",
            "type": "string", "default": Self::WEBHOOK, "examples": names,
        })
    }
}

/// Where a message goes.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    pub kind: ChannelKind,
    /// What the service knows it by: an address, a chat, a routing key.
    // Earlier versions called it what it is in each service.
    #[serde(alias = "url", alias = "chat", alias = "key")]
    pub identifier: String,
    /// `POST` unless it says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Further fields of the request's head.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// What else the channel needs, such as a token.
    #[serde(flatten)]
    pub fields: BTreeMap<String, String>,
}

opaque_debug!(Channel);
