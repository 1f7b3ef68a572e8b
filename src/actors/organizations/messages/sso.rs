//! What owners decide about the single sign-on of their organization, and who signs in by it.

use actix::Message;
use secrecy::SecretString;

use super::SignInOutcome;
use crate::{
    actors::organizations::{
        OrganizationError, ProvenIdentity, SsoDomain, SsoProvider, SsoProviderFields,
    },
    egress::TextRecord,
    ids::{OrganizationId, UserId},
};

/// Adds a domain that is verified later.
#[derive(Debug, Message)]
#[rtype(result = "Result<SsoDomain, OrganizationError>")]
pub struct AddSsoDomain {
    pub by: UserId,
    pub organization: OrganizationId,
    pub name: String,
}

/// Looks for the text record of a domain, and verifies the domain or notes what is missing.
#[derive(Debug, Message)]
#[rtype(result = "Result<SsoDomain, OrganizationError>")]
pub struct CheckSsoDomain {
    /// Who asked; `None` = it was time.
    pub by: Option<UserId>,
    pub domain: SsoDomain,
}

/// Stores what a check found.
#[derive(Debug, Message)]
#[rtype(result = "Result<SsoDomain, OrganizationError>")]
pub(crate) struct StoreDomainCheck {
    pub(crate) check: CheckSsoDomain,
    pub(crate) found: TextRecord,
}

/// Removes a domain, with the sessions that count by it.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub struct RemoveSsoDomain {
    pub by: UserId,
    pub domain: SsoDomain,
}

/// Adds a provider, or changes one.
#[derive(Debug, Message)]
#[rtype(result = "Result<SsoProvider, OrganizationError>")]
pub struct StoreSsoProvider {
    pub by: UserId,
    pub organization: OrganizationId,
    /// Which one changes; `None` = a new one.
    pub id: Option<String>,
    pub fields: SsoProviderFields,
    /// `None` = it stays; empty = the client has none.
    pub secret: Option<SecretString>,
}

/// Deletes a provider with its links, and ends its sessions.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), OrganizationError>")]
pub struct DeleteSsoProvider {
    pub by: UserId,
    pub provider: SsoProvider,
}

/// Signs in a member of an organization with its own provider. `None`: their groups have just ended the membership.
#[derive(Debug, Message)]
#[rtype(result = "Result<Option<SignInOutcome>, OrganizationError>")]
pub struct SignInWithSso {
    pub proven: ProvenIdentity,
    /// The browser, to be shown in the list of sessions.
    pub user_agent: Option<String>,
}
