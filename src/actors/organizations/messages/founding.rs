//! The first organization.

use actix::Message;
use secrecy::SecretString;

use crate::{
    access::authorize::Tenant,
    actors::organizations::{OrganizationError, rules},
    ids::{OrganizationId, UserId},
};

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
    pub organization: Tenant,
    pub user: UserId,
    /// The address the owner signs in with.
    pub email: String,
}

/// The owner's password is hashed: store everything. Comes from the own work of [`Install`] and [`InstallAgain`].
#[derive(Debug, Message)]
#[rtype(result = "Result<Founded, OrganizationError>")]
pub(in crate::actors::organizations) struct Found {
    pub(in crate::actors::organizations) draft: rules::Draft,
    pub(in crate::actors::organizations) password_hash: String,
    /// The organization that is founded again.
    pub(in crate::actors::organizations) again: Option<OrganizationId>,
}
