//! Signing in with what somebody else vouches for.

use actix::Message;

use super::SignedIn;
use crate::{
    actors::organizations::{OrganizationError, ProvenIdentity},
    ids::{OrganizationId, SessionId, UserId},
    oidc::{CreateAccounts, RoleRule},
};

/// Opens a session for a person whom a provider has signed in. Finds the account that is linked, links one whose verified address the
/// provider is trusted for, or makes one. Gives the roles that the groups give.
#[derive(Debug, Message)]
#[rtype(result = "Result<SignedIn, OrganizationError>")]
pub struct SignInWithProvider {
    pub proven: ProvenIdentity,
    pub create: CreateAccounts,
    /// Domains whose verified addresses the provider vouches for.
    pub email_domains: Vec<String>,
    pub roles: Vec<RoleRule>,
    /// The browser, to be shown in the list of sessions.
    pub user_agent: Option<String>,
}

/// Opens a session for a person whom a trusted proxy names. The account has to be there, or invited.
#[derive(Debug, Message)]
#[rtype(result = "Result<SignedIn, OrganizationError>")]
pub struct SignInByProxy {
    /// The account; case does not matter.
    pub email: String,
    /// The browser, to be shown in the list of sessions.
    pub user_agent: Option<String>,
}

/// Links a signed-in person's account to one at a provider. One that is linked already is no error.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub struct LinkIdentity {
    /// The session that began it, which has to be there still.
    pub session: SessionId,
    pub proven: ProvenIdentity,
}

/// Takes a link back, unless it is the last way in. Sessions that it opened end.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub struct UnlinkIdentity {
    pub user: UserId,
    pub identity: String,
}

/// Ends the sessions that a provider opened, because the person has signed out there; how many.
#[derive(Debug, Message)]
#[rtype(result = "Result<usize, OrganizationError>")]
pub struct EndProviderSessions {
    /// The provider's name.
    pub provider: String,
    pub issuer: String,
    /// Whose; `None` = of whoever has the session.
    pub subject: Option<String>,
    /// The provider's session; `None` = all of the subject's.
    pub session: Option<String>,
}

/// Lets members of an organization in only with a provider; `None` = any way.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub struct RequireProvider {
    /// An owner.
    pub by: UserId,
    /// The owner's session, which began at that provider.
    pub session: SessionId,
    pub organization: OrganizationId,
    pub provider: Option<String>,
}
