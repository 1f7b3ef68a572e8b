use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    actors::dns_proof,
    ids::{HostId, OrganizationId},
};

/// What a host serves.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum HostUse {
    /// Short links with slugs of its own.
    Links,
    /// A status page.
    Status,
    /// The tracker script, and the events of the organization's websites.
    Tracker,
    /// A shared dashboard.
    Share,
}

impl HostUse {
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// Whether a host serves one thing, which it names.
    pub const fn needs_subject(self) -> bool {
        matches!(self, Self::Status | Self::Share)
    }
}

/// By what a host is the organization's.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
    strum::EnumString,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Proof {
    /// Its text record.
    Text,
    /// It leads here, no other organization claims it, and it is not below a domain of the installation's own.
    Address,
}

impl Proof {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// A host that an organization brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomHost {
    pub id: HostId,
    pub organization: OrganizationId,
    /// In lower case, without a port and a final dot.
    pub name: String,
    pub serves: HostUse,
    /// The ID of the status page or the share link.
    pub subject: Option<String>,
    pub fields: HostFields,
    /// What the text record has to hold.
    pub token: String,
    /// By what it is verified; `None` = it isn't, and serves nothing.
    pub proof: Option<Proof>,
    /// What the last check found.
    pub findings: Option<DnsFindings>,
    pub checked_ms: Option<i64>,
    /// Since when the verified host has no proof.
    pub missing_since_ms: Option<i64>,
    pub created_ms: i64,
}

impl CustomHost {
    /// The name of the text record.
    pub fn record_name(&self) -> String {
        dns_proof::record_name(&self.name)
    }

    /// What the text record has to hold.
    pub fn record_text(&self) -> String {
        dns_proof::record_text(&self.token)
    }

    pub const fn is_verified(&self) -> bool {
        self.proof.is_some()
    }

    /// Whether it leads here, as far as the last check could see.
    pub fn leads_here(&self) -> bool {
        let found = self.findings.as_ref();
        found.is_none_or(|found| found.pointing != Pointing::Elsewhere)
    }

    /// When the verified host is lost unless it is proved before, Unix milliseconds.
    pub fn lost_ms(&self) -> Option<i64> {
        let since_ms = self.missing_since_ms.filter(|_| self.is_verified())?;
        Some(since_ms + dns_proof::MISSING_MS)
    }
}

/// What can be changed of a host: where one for short links leads when there is no link to follow. Without a URL it shows a
/// page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct HostFields {
    /// Where its root leads.
    pub root_url: Option<String>,
    /// Where a slug leads that no link has.
    pub unknown_url: Option<String>,
    /// Where a link leads that has ended and has no URL of its own for that.
    pub ended_url: Option<String>,
}

/// What a check found in DNS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DnsFindings {
    /// Whether the text record is there; `None` = there was no answer.
    pub text: Option<bool>,
    /// The text records that are there instead, or why there was no answer.
    pub texts: Vec<String>,
    pub pointing: Pointing,
    /// Where the host leads: names and addresses, or why there was no answer.
    pub leads_to: Vec<String>,
}

/// Whether a host leads to this installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pointing {
    Here,
    /// Somewhere else, or nowhere.
    Elsewhere,
    /// There was no answer.
    Unknown,
}
