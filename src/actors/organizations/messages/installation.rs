//! The first organization.

use actix::Message;
use secrecy::SecretString;

use crate::{
    access::authorize::Tenant,
    actors::organizations::{OrganizationError, rules},
    ids::{OrganizationId, UserId},
};

/// Makes the first organization with its owner, in one transaction; refused when another organization exists.
#[derive(Debug, Message)]
#[rtype(result = "Result<Installation, OrganizationError>")]
pub struct Install {
    pub organization: String,
    pub plan: String,
    pub email: String,
    pub password: SecretString,
    /// The only organization, whose installation was interrupted before its password was shown: it gets a new name, address
    /// and password.
    pub again: Option<OrganizationId>,
}

#[derive(Debug, Clone)]
pub struct Installation {
    pub organization: Tenant,
    pub user: UserId,
    /// The address the owner signs in with.
    pub email: String,
}

/// The owner's password is hashed: store everything. Comes from the own work of [`Install`].
#[derive(Debug, Message)]
#[rtype(result = "Result<Installation, OrganizationError>")]
pub(crate) struct StoreInstallation {
    pub(crate) draft: rules::Draft,
    pub(crate) password_hash: String,
    /// The organization that is installed again.
    pub(crate) again: Option<OrganizationId>,
}
