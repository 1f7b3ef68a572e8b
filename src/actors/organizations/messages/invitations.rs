//! Invitations.

use actix::Message;
use secrecy::SecretString;

use crate::{
    access::Role,
    actors::organizations::{Invitation, OrganizationError},
    ids::{InvitationId, OrganizationId, SessionId, UserId},
};

/// Invites somebody by address, whether there is an account or not.
#[derive(Debug, Message)]
#[rtype(result = "Result<Invited, OrganizationError>")]
pub struct Invite {
    /// Who invites.
    pub by: UserId,
    /// Where to.
    pub organization: OrganizationId,
    /// Who is invited.
    pub email: String,
    pub role: Role,
    /// Whether an invitation that is open already gives way to this one.
    pub again: bool,
    /// `{base_url}`, below which its link lies.
    pub base_url: String,
}

/// What [`Invite`] made.
#[derive(Debug)]
pub struct Invited {
    pub invitation: Invitation,
    /// What its link ends in; known to nobody else, and not kept.
    pub token: SecretString,
    /// Whether it is mailed too.
    pub mailed: bool,
}

/// Accepts an invitation.
#[derive(Debug, Message)]
#[rtype(result = "Result<Invitation, OrganizationError>")]
pub struct Accept {
    /// Who was invited.
    pub by: UserId,
    pub session: SessionId,
    /// The token of the link; or the invitation's id, where the person's address is known to be theirs.
    pub invitation: SecretString,
}

/// Declines an invitation.
#[derive(Debug, Message)]
#[rtype(result = "Result<Invitation, OrganizationError>")]
pub struct Reject {
    /// Who was invited.
    pub by: UserId,
    /// As for [`Accept`].
    pub invitation: SecretString,
}

/// Takes an invitation back.
#[derive(Debug, Message)]
#[rtype(result = "Result<Invitation, OrganizationError>")]
pub struct CancelInvitation {
    /// Who takes it back.
    pub by: UserId,
    pub id: InvitationId,
}

/// Deletes the invitations of an organization that were not accepted in time; how many.
#[derive(Debug, Message)]
#[rtype(result = "Result<u64, OrganizationError>")]
pub struct ClearExpired {
    pub organization: OrganizationId,
}
