//! Ids under which clients of other products send events for a website.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{actors::digest::Digest, events::accept::protocols::Protocol};

/// An id that clients of a protocol send, and the website that it means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Compatibility {
    pub protocol: Protocol,
    /// What the clients send: a domain, a project key, a site's id.
    pub id: String,
    /// Whether they have to send a secret with it.
    pub has_secret: bool,
    #[serde(skip)]
    pub(super) secret: Option<Digest>,
}

/// An id that clients of a protocol may send.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "CompatibilityInput")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompatibilityInput {
    pub protocol: Protocol,
    /// What the clients send, at most 256 characters; unique in the installation for each protocol. Left out: the website's domain
    /// (`plausible`), its client id (`umami`), else a new one.
    #[serde(default)]
    pub id: Option<String>,
    /// What they have to send with it, 8 to 256 characters, for `ga4` (`api_secret`) and `matomo` (`token_auth`). Left out: as
    /// before; empty: none.
    #[serde(default)]
    pub secret: Option<String>,
    /// Ignored; accepted because clients send back what they read.
    #[serde(default)]
    pub has_secret: Option<bool>,
}

impl Compatibility {
    /// Whether a request may use the id: it has no secret, or this is it.
    pub fn admits(&self, secret: Option<&str>) -> bool {
        match (&self.secret, secret) {
            (None, _) => true,
            (Some(own), Some(secret)) => own.matches(&Digest::from_secret(secret)),
            (Some(_), None) => false,
        }
    }
}
