//! What is kept of an identity provider's people and groups.

use std::collections::BTreeSet;

use crate::{
    access::Role,
    ids::{OrganizationId, ScimGroupId, ScimTokenId, ScimUserId, UserId},
    scim::UserAttributes,
};

/// Users of an organization at most.
pub(super) const MAX_USERS: u64 = 5_000;
/// Groups of an organization at most.
pub(super) const MAX_GROUPS: u64 = 500;

/// An identity provider that shows a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provisioner {
    pub token: ScimTokenId,
    pub organization: OrganizationId,
    /// The member who made the token, with whose rights it acts.
    pub maker: UserId,
}

/// A person as an identity provider knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScimUser {
    pub id: ScimUserId,
    pub organization: OrganizationId,
    /// The address of the account, in lower case. It never changes.
    pub account: String,
    /// `active` is what the provider wants. Whether it is so, the membership says.
    pub attributes: UserAttributes,
    /// The role of the membership that SCIM took, to be given back.
    pub(super) left_role: Option<Role>,
    /// The role that groups gave.
    pub(super) group_role: Option<Role>,
    pub version: i64,
    pub created_ms: i64,
    pub updated_ms: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScimGroup {
    pub id: ScimGroupId,
    pub organization: OrganizationId,
    pub name: String,
    pub external_id: Option<String>,
    /// The role that its members get.
    pub role: Option<Role>,
    pub members: BTreeSet<ScimUserId>,
    pub version: i64,
    pub created_ms: i64,
    pub updated_ms: i64,
}
