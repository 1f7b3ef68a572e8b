//! Sections about everything that leaves the program: probes, webhooks, mail, destinations, agents.

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::config::Secret;

/// `[monitors]`: uptime checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Monitors {
    /// Checks that run at the same time.
    pub concurrency: u32,
    /// Days for which single checks are kept.
    pub retention_days: u32,
    /// Failed re-checks before a monitor is down.
    pub retries: u32,
}

/// `[egress]`: what probes and webhooks may reach. Reloadable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Egress {
    /// CIDRs that may be reached although they are not public.
    pub allow: Vec<IpNet>,
    /// Ports that are never reached.
    pub blocked_ports: Vec<u16>,
}

/// `[mail]`: how mail is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    /// `smtp://user:password@host:port`; empty = no mail is sent.
    pub smtp_url: Secret,
    /// Sender of every mail.
    pub from: String,
}

/// `[alarms]`: where each kind of destination is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alarms {
    /// Slack's address.
    pub slack_base_url: String,
    /// Discord's address.
    pub discord_base_url: String,
    /// Telegram's address.
    pub telegram_base_url: String,
    /// Address of Microsoft Teams' workflows.
    pub teams_base_url: String,
    /// PagerDuty's address.
    pub pagerduty_base_url: String,
}

/// `[agent]`: the model behind agent chats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// An OpenAI-compatible endpoint; empty = no agent chats.
    pub base_url: String,
    /// Its key.
    pub api_key: Secret,
    /// Its model.
    pub model: String,
    /// Seconds for which it may say nothing.
    pub timeout_seconds: u32,
}
