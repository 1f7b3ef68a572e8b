//! What a handler knew when it refused.

use std::sync::Arc;

use actix_web::{HttpMessage as _, HttpRequest, web::Bytes};

use crate::{
    access::Principal,
    actors::websites::Website,
    http::{Shared, auth::Caller, track::named::website_id},
};

/// Numbers of the organization and the website that a request concerns; 0 = none, or unknown.
pub(super) type Tenant = (i64, i64);

/// What a handler knew when it refused.
#[derive(Debug, Default)]
pub(super) struct RejectionContext {
    /// The tenant that it is about.
    pub(super) tenant: Option<Tenant>,
    /// What was sent; left by a request that ended.
    pub(super) body: Bytes,
    /// Websites that leave something out.
    pub(super) choosy: Vec<Arc<Website>>,
}

impl RejectionContext {
    /// The request concerns this website; one that concerns several is their organization's.
    pub(super) fn concern(&mut self, tenant: Tenant) {
        self.tenant = match self.tenant {
            Some(known) if known != tenant && known.0 == tenant.0 => Some((tenant.0, 0)),
            Some(known) if known != tenant => Some((0, 0)),
            _ => Some(tenant),
        };
    }
}

/// The tenant of a request that no handler has seen: its key's organization, the website that its address names.
pub(super) fn tenant(shared: &Shared, request: &HttpRequest) -> Option<Tenant> {
    let websites = shared.websites.view();
    let website = website_id(request).and_then(|id| websites.by_client_id(&id).cloned());
    let website = website.map(|website| (website.organization_key.0, website.key.0));
    let caller = request.extensions().get::<Caller>().cloned();
    match caller.map(|caller| caller.principal) {
        Some(Principal::Key(key)) => {
            let organizations = shared.organizations.view();
            let own = organizations.tenant(key.organization.as_ref()?.as_str())?;
            let website = website.filter(|(owner, _)| *owner == own.key.0);
            Some(website.unwrap_or((own.key.0, 0)))
        }
        _ => website,
    }
}
