//! Sections about everything that leaves the program: probes, webhooks, mail, agents.

use serde::{Deserialize, Serialize};

use crate::config::Secret;

/// `[mail]`: how mail is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    /// `smtp://user:password@host:port`; empty = no mail is sent.
    pub smtp_url: Secret,
    /// Sender of every mail.
    pub from: String,
}

/// `[agent]`: the model behind agent chats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// An OpenAI-compatible endpoint; empty = no agent chats.
    pub base_url: String,
    pub api_key: Secret,
    pub model: String,
    /// Seconds for which it may say nothing.
    pub timeout_seconds: u32,
}
