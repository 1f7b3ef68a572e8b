//! A website's settings as they are stored.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::enrich::bot::BotRules;

/// Who may send events for a website, and which events it leaves out. Empty lists allow everyone and leave out nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(!default)]
#[serde(rename_all = "camelCase", default)]
pub struct WebsiteSettings {
    /// Origins whose pages may send events, beside the website's own.
    pub allowed_origins: Vec<String>,
    /// Addresses and networks that may send events.
    pub allowed_ips: Vec<String>,
    /// Origins whose refused events are no trouble.
    pub ignored_tracking_origins: Vec<String>,
    /// Whether no tracking trouble is reported at all.
    pub tracking_issue_warnings_disabled: bool,
    /// Addresses and networks whose visits are left out.
    pub excluded_ips: Vec<String>,
    /// Countries (ISO 3166-1 alpha-2) whose visits are left out.
    pub excluded_countries: Vec<String>,
    /// Paths whose events are left out; `*` matches anything.
    pub excluded_paths: Vec<String>,
    /// Hosts whose events are left out; `*.` matches everything below.
    pub excluded_hosts: Vec<String>,
    /// Days after which its events are deleted, 0 = never; `None` = as the installation says.
    pub retention_days: Option<u32>,
    /// Whether everyone counts as a person.
    pub ignore_bot_detection: bool,
    /// What becomes of single kinds of bots; the others are treated as usual.
    pub bot_rules: BotRules,
}
