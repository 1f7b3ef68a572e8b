//! Organizations and their members.

use std::sync::Arc;

use actix::Message;

use super::SignedIn;
use crate::{
    access::{Role, authorize::Tenant},
    actors::{
        audit::Actor,
        organizations::{LiveSession, LostAccess, Notifications, Organization, OrganizationError},
    },
    ids::{OrganizationId, SessionId, UserId},
};

#[derive(Debug, Message)]
#[rtype(result = "Result<Arc<Organization>, OrganizationError>")]
pub struct CreateOrganization {
    pub by: UserId,
    /// The session that works in it from now on, if one shall.
    pub session: Option<SessionId>,
    pub name: String,
    /// Its name in URLs; made from the name when absent.
    pub slug: Option<String>,
    pub logo: Option<String>,
}

/// What changes of an organization; `None` stays as it is.
#[derive(Debug, Clone, Default)]
pub struct OrganizationChange {
    pub name: Option<String>,
    pub slug: Option<String>,
    /// Address of the picture; an empty one takes it away.
    pub logo: Option<String>,
    /// What the generated picture is drawn from.
    pub avatar_seed: Option<String>,
    /// Which mails its people get.
    pub notifications: Option<Notifications>,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<Arc<Organization>, OrganizationError>")]
pub struct UpdateOrganization {
    pub by: Actor,
    pub organization: OrganizationId,
    pub change: OrganizationChange,
}

/// Deletes an organization: it stops working at once, and can be restored for seven days.
#[derive(Debug, Message)]
#[rtype(result = "Result<Arc<Organization>, OrganizationError>")]
pub struct DeleteOrganization {
    /// An owner.
    pub by: UserId,
    pub organization: OrganizationId,
}

/// Brings a deleted organization back, with its members.
#[derive(Debug, Message)]
#[rtype(result = "Result<Arc<Organization>, OrganizationError>")]
pub struct RestoreOrganization {
    /// A former owner.
    pub by: UserId,
    pub organization: OrganizationId,
}

/// The deleted organizations that cannot be restored any more.
#[derive(Debug, Message)]
#[rtype(result = "Result<Vec<Tenant>, OrganizationError>")]
pub struct DueForErasure;

/// Erases what is left of a deleted organization whose time is over, and writes the receipt. Everything that other
/// domains have of it has to be gone.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub struct EraseOrganization {
    pub organization: OrganizationId,
    /// What went before it.
    pub erased: ErasureCounts,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ErasureCounts {
    pub events: u64,
    /// Websites, with all that belongs to them.
    pub websites: u64,
    pub keys: u64,
}

/// Chooses the organization that a session works in; `None` = in none.
#[derive(Debug, Message)]
#[rtype(result = "Result<Arc<LiveSession>, OrganizationError>")]
pub struct SetActive {
    pub session: SessionId,
    /// The organization, which the person has to be in.
    pub organization: Option<OrganizationId>,
}

/// Gives a member another role. The member's sessions end; one's own goes on under a new token (threat T33).
#[derive(Debug, Message)]
#[rtype(result = "Result<RoleOutcome, OrganizationError>")]
pub struct SetRole {
    pub by: UserId,
    pub session: SessionId,
    pub organization: OrganizationId,
    /// The member's id or address.
    pub member: String,
    pub role: Role,
    /// Whether the member's keys beyond that role keep working; for owners.
    pub keep_keys: bool,
}

/// What a change of roles came to.
#[derive(Debug, Default)]
pub struct RoleOutcome {
    /// The session in which people change their own role, under its new token.
    pub renewed: Option<SignedIn>,
    /// What ended with the rights that were lost.
    pub lost: LostAccess,
}

/// Makes another member the owner and oneself an admin, in one step.
#[derive(Debug, Message)]
#[rtype(result = "Result<RoleOutcome, OrganizationError>")]
pub struct Transfer {
    pub by: UserId,
    pub session: SessionId,
    pub organization: OrganizationId,
    /// The id or address of the member who gets it.
    pub member: String,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<RemovedMember, OrganizationError>")]
pub struct RemoveMember {
    /// The acting member. Members who remove themselves leave.
    pub by: UserId,
    pub organization: OrganizationId,
    /// The member's id or address.
    pub member: String,
    /// Whether keys that the member made keep working; for owners.
    pub keep_keys: bool,
}

/// Removes a member's authenticator app, passkeys and backup codes, and ends their sessions.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub struct RemoveSecondFactors {
    /// An owner.
    pub by: UserId,
    pub organization: OrganizationId,
    /// The member's id or address.
    pub member: String,
}

#[derive(Debug)]
pub struct RemovedMember {
    pub user: UserId,
    /// What ended with their rights.
    pub lost: LostAccess,
}
