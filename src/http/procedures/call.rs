//! What a procedure's handler is given: the caller and everything shared.

use std::sync::Arc;

use crate::{
    access::Principal,
    fault::Fault,
    http::{Shared, edge::ClientAddress},
    ids::{OrganizationId, UserId},
};

/// One call of a procedure.
#[derive(Debug, Clone)]
pub struct Call {
    /// Domains, clock and the rest.
    pub shared: Arc<Shared>,
    /// Who calls.
    pub caller: Principal,
    /// From where; for limits alone.
    pub address: Option<ClientAddress>,
}

impl Call {
    /// The organization that is meant: the one named, else the key's, else the session's active one.
    pub fn organization(&self, named: Option<&str>) -> Result<OrganizationId, Fault> {
        if let Some(named) = named {
            return Ok(OrganizationId::from(named));
        }
        let own = match &self.caller {
            Principal::Anonymous => return Err(Fault::unauthenticated()),
            Principal::Key(key) => key.organization.clone(),
            Principal::Session(session) => session.active_organization.clone(),
        };
        own.ok_or_else(|| Fault::invalid("Organization ID is required"))
    }

    /// The person whose something is that the caller makes in an organization: who calls, or for a key the
    /// organization's first owner.
    pub fn maker(&self, organization: &OrganizationId) -> Option<UserId> {
        if let Principal::Session(session) = &self.caller {
            return Some(session.user.clone());
        }
        let organizations = self.shared.organizations.view();
        let owners = organizations.owners_of(organization);
        owners.first().map(|owner| owner.id.clone())
    }
}
