//! What organizations keep for their single sign-on: domains and providers.

use serde::{Deserialize, Serialize};

pub use crate::actors::dns_proof::MISSING_MS;
use crate::{
    access::Role,
    actors::dns_proof,
    ids::{OrganizationId, SsoDomainId},
    oidc::{RoleRule, SSO_PREFIX},
};

/// Domains of an organization at most.
pub(super) const MAX_DOMAINS: u64 = 20;
/// Providers of an organization at most.
pub(super) const MAX_PROVIDERS: u64 = 10;

/// A domain that an organization says is its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SsoDomain {
    pub id: SsoDomainId,
    pub organization: OrganizationId,
    /// In lower case.
    pub name: String,
    pub token: String,
    pub is_verified: bool,
    /// What the last check found.
    pub outcome: Option<DomainOutcome>,
    pub checked_ms: Option<i64>,
    /// Since when the record of the verified domain is missing.
    pub missing_since_ms: Option<i64>,
    pub created_ms: i64,
}

impl SsoDomain {
    /// The name of the text record.
    pub fn record_name(&self) -> String {
        dns_proof::record_name(&self.name)
    }

    /// What the text record has to hold.
    pub fn record_text(&self) -> String {
        dns_proof::record_text(&self.token)
    }
}

/// What a check of a domain found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DomainOutcome {
    Found,
    /// The text records that are there instead.
    Missing(Vec<String>),
    /// Why there was no answer.
    Unknown(String),
}

/// A provider that an organization added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SsoProvider {
    /// Also its name in addresses, links and sessions.
    pub id: String,
    pub organization: OrganizationId,
    pub fields: SsoProviderFields,
    /// The client's secret, sealed for this provider.
    pub(super) sealed_secret: Option<Vec<u8>>,
    pub created_ms: i64,
    pub updated_ms: i64,
}

/// What owners decide about a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SsoProviderFields {
    pub label: String,
    pub issuer: String,
    pub client_id: String,
    /// Separated by spaces.
    pub scopes: String,
    pub groups_claim: String,
    pub roles: Vec<GroupRole>,
    /// The role of people who join at their first sign-in; `None` = they don't join.
    pub join_role: Option<Role>,
    pub is_enabled: bool,
}

/// A group of a provider and the role that it gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupRole {
    pub group: String,
    pub role: Role,
}

impl SsoProvider {
    pub fn has_secret(&self) -> bool {
        self.sealed_secret.is_some()
    }

    /// The roles that its groups give, which are roles in its own organization.
    pub fn role_rules(&self) -> Vec<RoleRule> {
        let rule = |one: &GroupRole| RoleRule {
            group: one.group.clone(),
            organization: self.organization.clone(),
            role: one.role,
        };
        self.fields.roles.iter().map(rule).collect()
    }
}

/// An ID for a new provider.
pub(super) fn new_provider_id() -> String {
    format!("{SSO_PREFIX}{}", uuid::Uuid::now_v7().simple())
}
