//! Everything that can be asked of this domain.

use std::sync::Arc;

use actix::Message;
use secrecy::SecretString;

use super::{LiveSession, OrganizationError, Person};
use crate::{
    access::authorize::Tenant,
    ids::{OrganizationId, SessionId, UserId},
};

/// Opens a session for whoever knows the password. Ten failures per account in 15 minutes, then refusals.
#[derive(Debug, Message)]
#[rtype(result = "Result<SignedIn, OrganizationError>")]
pub struct SignIn {
    /// The account; case does not matter.
    pub email: String,
    /// The password.
    pub password: SecretString,
    /// The browser, to be shown in the list of sessions.
    pub user_agent: Option<String>,
}

/// A fresh session.
#[derive(Debug)]
pub struct SignedIn {
    /// The value of the cookie; known to nobody else.
    pub token: SecretString,
    /// The session.
    pub session: Arc<LiveSession>,
    /// Whose it is.
    pub person: Arc<Person>,
}

/// Ends a session at once. One that is gone already is no error.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub struct SignOut {
    /// The session.
    pub session: SessionId,
}

/// Makes the first organization with its owner, in one transaction; refused when an organization exists.
#[derive(Debug, Message)]
#[rtype(result = "Result<Founded, OrganizationError>")]
pub struct Install {
    /// The organization's name.
    pub organization: String,
    /// The plan it starts on.
    pub plan: String,
    /// The owner's address.
    pub email: String,
    /// The owner's password.
    pub password: SecretString,
}

/// Founds an organization again whose installation was cut off before anybody learnt how to sign in: the same ids, a
/// new name, address and password.
#[derive(Debug, Message)]
#[rtype(result = "Result<Founded, OrganizationError>")]
pub struct InstallAgain {
    /// The only organization there is.
    pub organization: OrganizationId,
    /// What is wanted.
    pub install: Install,
}

/// What [`Install`] made.
#[derive(Debug, Clone)]
pub struct Founded {
    /// The organization.
    pub organization: Tenant,
    /// Its owner.
    pub user: UserId,
    /// The address the owner signs in with.
    pub email: String,
}

/// A password was right: open the session. Comes from [`SignIn`]'s own work.
#[derive(Debug, Message)]
#[rtype(result = "Result<SignedIn, OrganizationError>")]
pub(super) struct OpenSession {
    pub(super) account: String,
    pub(super) user: UserId,
    pub(super) user_agent: Option<String>,
}

/// The owner's password is hashed: store everything. Comes from the own work of [`Install`] and [`InstallAgain`].
#[derive(Debug, Message)]
#[rtype(result = "Result<Founded, OrganizationError>")]
pub(super) struct Found {
    pub(super) draft: super::rules::Draft,
    pub(super) password_hash: String,
    /// The organization that is founded again.
    pub(super) again: Option<OrganizationId>,
}
