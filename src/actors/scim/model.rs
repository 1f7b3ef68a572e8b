//! What the domain is about.

use secrecy::SecretString;

use crate::ids::{OrganizationId, ScimTokenId, UserId};

/// Tokens of an organization.
pub(super) const MAX_TOKENS: u64 = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScimToken {
    pub id: ScimTokenId,
    pub organization: OrganizationId,
    /// The member with whose rights it acts.
    pub maker: UserId,
    pub name: String,
    pub created_ms: i64,
    /// Within five minutes.
    pub last_used_ms: Option<i64>,
}

/// A fresh token, which is shown this once.
#[derive(Debug)]
pub struct NewScimToken {
    pub token: ScimToken,
    pub secret: SecretString,
}
