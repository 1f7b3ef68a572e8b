//! Invitations.

use actix::Message;
use secrecy::SecretString;

use crate::{
    access::Role,
    actors::organizations::{Invitation, OrganizationError},
    ids::{InvitationId, OrganizationId, SessionId, UserId},
};

/// Invites a person by address, with or without an account.
#[derive(Debug, Message)]
#[rtype(result = "Result<NewInvitation, OrganizationError>")]
pub struct Invite {
    pub by: UserId,
    pub organization: OrganizationId,
    pub email: String,
    pub role: Role,
    /// Whether an invitation that is open already gives way to this one.
    pub again: bool,
    /// `{base_url}`, below which its link lies.
    pub base_url: String,
}

#[derive(Debug)]
pub struct NewInvitation {
    pub invitation: Invitation,
    /// What its link ends in; not stored.
    pub token: SecretString,
    /// Whether it is mailed too.
    pub mailed: bool,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<Invitation, OrganizationError>")]
pub struct Accept {
    /// Who was invited.
    pub by: UserId,
    pub session: SessionId,
    /// The token of the link; or the invitation's id, where the person's address is known to be theirs.
    pub invitation: SecretString,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<Invitation, OrganizationError>")]
pub struct Reject {
    /// Who was invited.
    pub by: UserId,
    /// As for [`Accept`].
    pub invitation: SecretString,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<Invitation, OrganizationError>")]
pub struct CancelInvitation {
    pub by: UserId,
    /// Whose rights count: it may have no access to the person's organization.
    pub session: SessionId,
    pub id: InvitationId,
}

/// Deletes the invitations of an organization that were not accepted in time; how many.
#[derive(Debug, Message)]
#[rtype(result = "Result<u64, OrganizationError>")]
pub struct ClearExpired {
    pub organization: OrganizationId,
}
