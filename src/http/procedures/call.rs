//! What a procedure's handler is given: the caller and everything shared.

use std::sync::Arc;

use crate::{
    access::{OrganizationAccess, Permission, Principal, authorize},
    fault::Fault,
    http::{Shared, edge::ClientAddress},
    ids::{OrganizationId, UserId},
    store::limits::{Demand, Identity, Rate},
};

/// One call of a procedure.
#[derive(Debug, Clone)]
pub struct Call {
    /// Domains, clock and the rest.
    pub shared: Arc<Shared>,
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

    /// Proof that the caller may do this in the organization that is meant.
    pub fn authorize(
        &self,
        permission: Permission,
        named: Option<&str>,
    ) -> Result<OrganizationAccess, Fault> {
        let organization = self.organization(named)?;
        authorize::organization(&self.caller, permission, &organization)
    }

    /// The same where something about a website is meant: unless an organization is named, it is the website's.
    pub fn authorize_about(
        &self,
        permission: Permission,
        named: Option<&str>,
        website: Option<&str>,
    ) -> Result<OrganizationAccess, Fault> {
        let (None, Some(id)) = (named, website) else {
            return self.authorize(permission, named);
        };
        let websites = self.shared.websites.view();
        let owner = websites.by_id(id).map(|website| &website.organization);
        authorize::owned(&self.caller, permission, ("website", id), owner)
    }

    /// What was found, if it is a live organization's and the caller may do this with it. Unknown and foreign ids are 404.
    pub fn authorize_found<T>(
        &self,
        permission: Permission,
        (what, id): (&'static str, &str),
        found: Option<T>,
        owner: impl Fn(&T) -> &OrganizationId,
    ) -> Result<T, Fault> {
        let organizations = self.shared.organizations.view();
        let live = found.filter(|one| organizations.is_live(owner(one)));
        authorize::owned(
            &self.caller,
            permission,
            (what, id),
            live.as_ref().map(owner),
        )?;
        live.ok_or_else(|| Fault::not_found(what, id))
    }

    /// Counts the call against a rate, and refuses one too many. It bounds no concurrency: there is no slot to hold.
    pub async fn limit(&self, who: Identity, rate: Rate) -> Result<(), Fault> {
        let demand = Demand::new(who).rate(Some(rate));
        let _ = self.shared.admission.admit(demand).await?;
        Ok(())
    }

    /// The person whose something is that the caller makes in an organization: who calls, whom an app acts for, or for a
    /// key the organization's first owner.
    pub fn maker(&self, organization: &OrganizationId) -> Option<UserId> {
        match &self.caller {
            Principal::Session(session) => return Some(session.user.clone()),
            Principal::Key(key) => {
                if let Some(person) = &key.person {
                    return Some(person.user.clone());
                }
            }
            Principal::Anonymous => {}
        }
        let organizations = self.shared.organizations.view();
        let owners = organizations.owners(organization);
        owners.first().map(|owner| owner.id.clone())
    }
}
