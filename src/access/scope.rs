//! The eleven scopes of an API key.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an API key may do.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Scope {
    /// Analytics queries and website lists.
    #[serde(rename = "read:data")]
    ReadData,
    /// Event ingestion.
    #[serde(rename = "track:events")]
    TrackEvents,
    /// Read short links.
    #[serde(rename = "read:links")]
    ReadLinks,
    /// Change short links.
    #[serde(rename = "write:links")]
    WriteLinks,
    /// Read monitors.
    #[serde(rename = "read:monitors")]
    ReadMonitors,
    /// Change monitors.
    #[serde(rename = "write:monitors")]
    WriteMonitors,
    /// Read status pages.
    #[serde(rename = "read:status_pages")]
    ReadStatusPages,
    /// Change status pages and incidents.
    #[serde(rename = "write:status_pages")]
    WriteStatusPages,
    /// Change websites.
    #[serde(rename = "manage:websites")]
    ManageWebsites,
    /// Change and administer feature flags.
    #[serde(rename = "manage:flags")]
    ManageFlags,
    /// Change integrations and organization settings.
    #[serde(rename = "manage:config")]
    ManageConfig,
}

impl Scope {
    /// Every scope, in the order of the reference.
    pub const ALL: [Self; 11] = [
        Self::ReadData,
        Self::TrackEvents,
        Self::ReadLinks,
        Self::WriteLinks,
        Self::ReadMonitors,
        Self::WriteMonitors,
        Self::ReadStatusPages,
        Self::WriteStatusPages,
        Self::ManageWebsites,
        Self::ManageFlags,
        Self::ManageConfig,
    ];

    /// The scope as it is written on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadData => "read:data",
            Self::TrackEvents => "track:events",
            Self::ReadLinks => "read:links",
            Self::WriteLinks => "write:links",
            Self::ReadMonitors => "read:monitors",
            Self::WriteMonitors => "write:monitors",
            Self::ReadStatusPages => "read:status_pages",
            Self::WriteStatusPages => "write:status_pages",
            Self::ManageWebsites => "manage:websites",
            Self::ManageFlags => "manage:flags",
            Self::ManageConfig => "manage:config",
        }
    }

    /// Reads a scope as written on the wire.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }
}
