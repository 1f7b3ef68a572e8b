//! (principal, action, resource) → proof.
//!
//! Proofs have private fields: only this module makes them. Callers resolve the resource first (from a domain's
//! view) and pass what they found, `None` included: unknown and foreign resources are refused alike.

use super::{KeyGrant, Permission, Principal, Scope, proven};
use crate::{
    fault::Fault,
    ids::{OrganizationId, OrganizationKey, WebsiteId, WebsiteKey},
};

/// What the authorizer needs to know of a website.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    pub id: WebsiteId,
    /// Its number in event rows.
    pub key: WebsiteKey,
    pub organization: OrganizationId,
    /// The owner's number in event rows.
    pub organization_key: OrganizationKey,
    /// Whether anyone may see its public query types.
    pub is_public: bool,
}

/// What the authorizer needs to know of an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenant {
    pub id: OrganizationId,
    /// Its number in event rows.
    pub key: OrganizationKey,
}

/// What the authorizer needs to know of a short link or a monitor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thing {
    /// Its number in event rows.
    pub key: WebsiteKey,
    pub organization: OrganizationId,
    /// The owner's number in event rows.
    pub organization_key: OrganizationKey,
}

/// Proof that analytics rows of one target may be read. `analytics` runs nothing without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadAccess {
    organization: OrganizationKey,
    website: Option<WebsiteKey>,
    public_only: bool,
}

impl ReadAccess {
    /// Owner of the rows.
    pub fn organization(&self) -> OrganizationKey {
        self.organization
    }

    /// The website (or link, or monitor), or `None` for all of the organization.
    pub fn website(&self) -> Option<WebsiteKey> {
        self.website
    }

    /// Whether only query types that are marked public may be asked.
    pub fn public_only(&self) -> bool {
        self.public_only
    }
}

/// Proof that an organization may be seen or changed in the way that was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganizationAccess {
    organization: OrganizationId,
}

impl OrganizationAccess {
    pub fn organization(&self) -> &OrganizationId {
        &self.organization
    }
}

/// Proof that events may be stored for this owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IngestAccess {
    organization: OrganizationKey,
    website: WebsiteKey,
}

impl IngestAccess {
    /// Owner of the events.
    pub fn organization(&self) -> OrganizationKey {
        self.organization
    }

    /// Website of the events, [`WebsiteKey::NONE`] for the organization's own.
    pub fn website(&self) -> WebsiteKey {
        self.website
    }
}

/// May this caller read the website's analytics? If not: 401 for anonymous callers, else 403, the same for a foreign
/// website and for one that doesn't exist.
pub fn read_website(caller: &Principal, site: Option<&Site>) -> Result<ReadAccess, Fault> {
    let granted = |site: &Site, public_only| ReadAccess {
        organization: site.organization_key,
        website: Some(site.key),
        public_only,
    };
    let allowed = site.filter(|site| {
        may_read(caller, &site.organization, |key| {
            key.holds_for(Scope::ReadData, &site.id)
        })
    });
    if let Some(site) = allowed {
        return Ok(granted(site, false));
    }
    if let Some(site) = site.filter(|site| site.is_public) {
        return Ok(granted(site, true));
    }
    Err(refuse_read(caller, "Access denied to this website"))
}

/// May this caller read the analytics of a whole organization?
pub fn read_organization(caller: &Principal, tenant: Option<&Tenant>) -> Result<ReadAccess, Fault> {
    let allowed =
        tenant.filter(|tenant| may_read(caller, &tenant.id, |key| key.holds(Scope::ReadData)));
    match allowed {
        Some(tenant) => Ok(ReadAccess {
            organization: tenant.key,
            website: None,
            public_only: false,
        }),
        None => Err(refuse_read(caller, "Access denied to this organization")),
    }
}

/// Reads rows of a website for a caller who has proved that they may change what is in it.
pub fn read_to_change(proof: &OrganizationAccess, site: &Site) -> Option<ReadAccess> {
    (site.organization == proof.organization).then_some(ReadAccess {
        organization: site.organization_key,
        website: Some(site.key),
        public_only: false,
    })
}

/// Reads what is public of the website that a share link shows. Anyone may.
pub fn read_shared(shown: &WebsiteId, site: &Site) -> Option<ReadAccess> {
    (site.id == *shown).then_some(ReadAccess {
        organization: site.organization_key,
        website: Some(site.key),
        public_only: true,
    })
}

/// What an organization has set up is read on its behalf: its own rows, or those of a website of its own.
pub fn read_on_behalf(owner: &Tenant, site: Option<&Site>) -> Option<ReadAccess> {
    if site.is_some_and(|site| site.organization != owner.id) {
        return None;
    }
    Some(ReadAccess {
        organization: owner.key,
        website: site.map(|site| site.key),
        public_only: false,
    })
}

/// The same for a link that the organization owns.
pub fn read_link_on_behalf(owner: &Tenant, link: &Thing) -> Option<ReadAccess> {
    (link.organization == owner.id).then_some(ReadAccess {
        organization: owner.key,
        website: Some(link.key),
        public_only: false,
    })
}

/// May this caller read the clicks of a link? A key needs `read:data` for all of the organization.
pub fn read_link(caller: &Principal, link: Option<&Thing>) -> Result<ReadAccess, Fault> {
    read_thing(
        caller,
        link,
        &[Scope::ReadData],
        "Access denied to this link",
    )
}

/// May this caller read the checks of a monitor? A key needs `read:monitors` or `read:data` for all of the organization.
pub fn read_schedule(caller: &Principal, monitor: Option<&Thing>) -> Result<ReadAccess, Fault> {
    read_thing(
        caller,
        monitor,
        &[Scope::ReadMonitors, Scope::ReadData],
        "Access denied to this monitor",
    )
}

fn read_thing(
    caller: &Principal,
    thing: Option<&Thing>,
    scopes: &[Scope],
    refusal: &'static str,
) -> Result<ReadAccess, Fault> {
    let allowed = thing.filter(|thing| {
        may_read(caller, &thing.organization, |key| {
            scopes.iter().any(|scope| key.holds(*scope))
        })
    });
    match allowed {
        Some(thing) => Ok(ReadAccess {
            organization: thing.organization_key,
            website: Some(thing.key),
            public_only: false,
        }),
        None => Err(refuse_read(caller, refusal)),
    }
}

/// Whether the caller may read what an organization has: every member, and keys of it that hold the scope.
fn may_read(
    caller: &Principal,
    organization: &OrganizationId,
    holds: impl Fn(&KeyGrant) -> bool,
) -> bool {
    match caller {
        Principal::Anonymous => false,
        Principal::Key(key) => key.organization.as_ref() == Some(organization) && holds(key),
        Principal::Session(session) => session.role_in(organization).is_some(),
    }
}

/// The refusal of a read: 401 for strangers, 403 for everybody else.
pub fn refuse_read(caller: &Principal, message: &'static str) -> Fault {
    match caller {
        Principal::Anonymous => Fault::unauthenticated(),
        Principal::Key(key) if key.organization.is_none() => no_organization(),
        Principal::Key(_) | Principal::Session(_) => Fault::forbidden(message),
    }
}

/// May this caller do this in the organization? For procedures; unknown and foreign ids are 404.
pub fn organization(
    caller: &Principal,
    permission: Permission,
    organization: &OrganizationId,
) -> Result<OrganizationAccess, Fault> {
    let unseen = || Fault::not_found("Organization", organization.as_str());
    match caller {
        Principal::Anonymous => return Err(Fault::unauthenticated()),
        Principal::Key(key) => {
            let own = key.organization.as_ref().ok_or_else(no_organization)?;
            if own != organization {
                return Err(unseen());
            }
            let scope = permission.scope().ok_or_else(no_keys)?;
            if !key.holds(scope) {
                return Err(missing_scope(key, scope));
            }
            if !key.role_allows(permission) {
                return Err(missing_permission(permission));
            }
        }
        Principal::Session(session) => {
            let role = session.role_in(organization).ok_or_else(unseen)?;
            if !permission.held_by(role) {
                return Err(missing_permission(permission));
            }
        }
    }
    proven::note(permission, organization);
    Ok(OrganizationAccess {
        organization: organization.clone(),
    })
}

/// May this caller do this with the website? For procedures; unknown and foreign ids are 404.
pub fn website(
    caller: &Principal,
    permission: Permission,
    id: &str,
    site: Option<&Site>,
) -> Result<OrganizationAccess, Fault> {
    let unseen = || Fault::not_found("website", id);
    match caller {
        Principal::Anonymous => return Err(Fault::unauthenticated()),
        Principal::Key(key) => {
            let own = key.organization.as_ref().ok_or_else(no_organization)?;
            let site = site
                .filter(|site| site.organization == *own)
                .ok_or_else(unseen)?;
            let scope = permission.scope().ok_or_else(no_keys)?;
            if !key.holds_for(scope, &site.id) {
                return Err(missing_scope(key, scope));
            }
            if !key.role_allows(permission) {
                return Err(missing_permission(permission));
            }
        }
        Principal::Session(session) => {
            let role = site
                .and_then(|site| session.role_in(&site.organization))
                .ok_or_else(unseen)?;
            if !permission.held_by(role) {
                return Err(missing_permission(permission));
            }
        }
    }
    let site = site.ok_or_else(unseen)?;
    proven::note(permission, &site.organization);
    Ok(OrganizationAccess {
        organization: site.organization.clone(),
    })
}

/// May this caller do this with something that the organization `owner` has? For procedures; unknown and foreign ids are
/// 404. Keys need the scope for all of the organization.
pub fn owned(
    caller: &Principal,
    permission: Permission,
    (resource, id): (&'static str, &str),
    owner: Option<&OrganizationId>,
) -> Result<OrganizationAccess, Fault> {
    let unseen = || Fault::not_found(resource, id);
    let owner = match (caller, owner) {
        (Principal::Anonymous, _) => return Err(Fault::unauthenticated()),
        (Principal::Key(key), _) if key.organization.is_none() => return Err(no_organization()),
        (_, owner) => owner.ok_or_else(unseen)?,
    };
    let foreign = match caller {
        Principal::Anonymous => true,
        Principal::Key(key) => key.organization.as_ref() != Some(owner),
        Principal::Session(session) => session.role_in(owner).is_none(),
    };
    if foreign {
        return Err(unseen());
    }
    organization(caller, permission, owner)
}

/// May this key store events for the website (or, without one, for its organization)?
///
/// A website of another organization answers like an unknown one (404).
pub fn ingest_with_key(
    key: &KeyGrant,
    tenant: Option<&Tenant>,
    website: Option<(&str, Option<&Site>)>,
) -> Result<IngestAccess, Fault> {
    let own = key.organization.as_ref().ok_or_else(no_organization)?;
    let missing =
        || Fault::forbidden("API key missing track:events scope").with_code("MISSING_SCOPE");
    if let Some((id, site)) = website {
        let site = site
            .filter(|site| site.organization == *own)
            .ok_or_else(|| website_not_found(id))?;
        if !key.holds_for(Scope::TrackEvents, &site.id) {
            return Err(missing());
        }
        return Ok(IngestAccess {
            organization: site.organization_key,
            website: site.key,
        });
    }
    let tenant = tenant
        .filter(|tenant| tenant.id == *own)
        .ok_or_else(no_organization)?;
    if !key.holds(Scope::TrackEvents) {
        return Err(missing());
    }
    Ok(IngestAccess {
        organization: tenant.key,
        website: WebsiteKey::NONE,
    })
}

/// Anyone who knows a website's client id may store events for it.
pub fn ingest_with_client_id(id: &str, site: Option<&Site>) -> Result<IngestAccess, Fault> {
    let site = site.ok_or_else(|| website_not_found(id))?;
    Ok(IngestAccess {
        organization: site.organization_key,
        website: site.key,
    })
}

/// The ingestion table's 404.
pub fn website_not_found(id: &str) -> Fault {
    let mut fault = Fault::not_found("website", id).with_code("WEBSITE_NOT_FOUND");
    fault.message = "Website not found".into();
    fault
}

/// A body without a key names another website than the one it is sent for.
pub fn website_mismatch() -> Fault {
    Fault::forbidden("Website scope mismatch").with_code("WEBSITE_SCOPE_MISMATCH")
}

/// The ingestion table's second 400.
pub fn website_without_organization() -> Fault {
    Fault::invalid("Website missing organization").with_code("WEBSITE_MISSING_ORGANIZATION")
}

/// The key or app may act in its organization, but not like this.
pub fn missing_scope(key: &KeyGrant, scope: Scope) -> Fault {
    let scope = scope.as_str();
    Fault::forbidden(if key.is_app() {
        format!("The app wasn't given {scope}: connect it again and allow it")
    } else {
        format!("API key missing {scope} scope")
    })
}

/// The person's role does not include this.
pub fn missing_permission(permission: Permission) -> Fault {
    let (resource, action) = permission.words();
    Fault::forbidden(format!("Missing required {resource} permissions: {action}"))
}

/// What people do and keys never may.
pub fn no_keys() -> Fault {
    Fault::forbidden("An API key cannot do this: sign in")
}

/// A key without an organization can do nothing.
pub fn no_organization() -> Fault {
    Fault::forbidden("API key must be scoped to an organization")
}
