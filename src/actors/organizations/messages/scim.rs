//! What identity providers change, and who gets which role by it.

use std::sync::Arc;

use actix::Message;

use crate::{
    access::Role,
    actors::organizations::{OrganizationError, Provisioner, ScimGroup, ScimUser},
    ids::{OrganizationId, ScimGroupId, ScimUserId, UserId},
    scim::{GroupAttributes, UserAttributes},
};

/// Stores a user of an identity provider, and makes the membership what it says.
#[derive(Debug, Message)]
#[rtype(result = "Result<Arc<ScimUser>, OrganizationError>")]
pub struct StoreScimUser {
    pub by: Provisioner,
    /// The user as it was read; `None` = a new one.
    pub before: Option<Arc<ScimUser>>,
    pub attributes: UserAttributes,
    /// Whether the organization's sign-in provider vouches for the address of the account.
    pub is_vouched_for: bool,
    /// `{base_url}`, below which links in emails lie.
    pub base_url: String,
}

/// Forgets a user of an identity provider, and ends the membership.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub struct DeleteScimUser {
    pub by: Provisioner,
    pub user: ScimUserId,
}

/// Stores a group of an identity provider, and gives its members the roles that follow.
#[derive(Debug, Message)]
#[rtype(result = "Result<Arc<ScimGroup>, OrganizationError>")]
pub struct StoreScimGroup {
    pub by: Provisioner,
    /// The group as it was read; `None` = a new one.
    pub before: Option<Arc<ScimGroup>>,
    pub attributes: GroupAttributes,
}

/// Forgets a group of an identity provider.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub struct DeleteScimGroup {
    pub by: Provisioner,
    pub group: ScimGroupId,
}

/// Says which role the members of a group get; `None` = none by this group.
#[derive(Debug, Message)]
#[rtype(result = "Result<Arc<ScimGroup>, OrganizationError>")]
pub struct SetScimGroupRole {
    pub by: UserId,
    pub organization: OrganizationId,
    pub group: ScimGroupId,
    pub role: Option<Role>,
}
