//! Who may store for which website: a key for its organization's, anybody who knows it for one client id.

use std::{
    cell::{Cell, OnceCell, RefCell},
    sync::Arc,
};

use actix_web::{HttpMessage as _, HttpRequest, web::Payload};

use super::{body::Body, large_bodies::SenderId, named, origin, refusal_context::RejectionContext};
use crate::{
    access::{
        IngestAccess, KeyGrant, Principal,
        authorize::{self, Site},
    },
    actors::websites::{Website, WebsiteStatus},
    events::{
        accept::{self, Target, protocols::Unwrap},
        enrich::bot::Rules,
        event::Trust,
    },
    fault::{Fault, Issue},
    http::{Host, Shared, admission, auth::Caller, edge::ClientAddress},
    ids::OrganizationId,
    store::limits::Endpoint,
};

/// The caller of an ingestion route.
pub(super) struct Sender<'a> {
    pub(super) shared: &'a Shared,
    pub(super) request: &'a HttpRequest,
    pub(super) principal: &'a Principal,
    /// What was sent.
    pub(super) body: OnceCell<Body>,
    /// For the ledger.
    pub(super) noted: RefCell<RejectionContext>,
    /// Whether every event of the request is stored or counted.
    pub(super) is_settled: Cell<bool>,
    /// Whose plan pays, where plans count events.
    pub(super) payer: RefCell<Option<OrganizationId>>,
}

/// What was granted for one website, or for the organization alone.
#[derive(Debug, Clone)]
pub(super) struct Grant {
    access: IngestAccess,
    website: Option<Arc<Website>>,
}

impl Grant {
    /// Proof that something may be stored.
    pub(super) fn access(&self) -> IngestAccess {
        self.access
    }

    /// Whether it is for a website.
    pub(super) fn names_website(&self) -> bool {
        self.website.is_some()
    }

    /// The website, unless it is for an organization alone.
    pub(super) fn website(&self) -> Option<&Website> {
        self.website.as_deref()
    }

    pub(super) fn target(&self) -> Target<'_> {
        Target {
            access: self.access,
            domain: self
                .website
                .as_ref()
                .map_or("", |website| website.domain.as_str()),
            bots: self
                .website
                .as_ref()
                .map_or(Rules::USUAL, |website| website.settings.bots()),
        }
    }
}

/// What was granted for the website ids of a body.
///
/// A body names one website as a rule and a hundred at most: looking them through beats hashing every event's.
pub(super) struct Grants(Vec<(Option<Box<str>>, Grant)>);

impl Grants {
    /// The target of an event that names this website.
    pub(super) fn target(&self, id: Option<&str>) -> Result<Target<'_>, Fault> {
        let mut grants = self.0.iter();
        let found = grants.find(|(named, _)| named.as_deref() == id);
        found
            .map(|(_, grant)| grant.target())
            .ok_or_else(no_credentials)
    }
}

/// Spec: 401 `API key or website_id required`.
pub(super) fn no_credentials() -> Fault {
    let mut fault = Fault::unauthenticated().with_code("AUTH_REQUIRED");
    fault.message = "API key or website_id required".into();
    fault
}

impl<'a> Sender<'a> {
    pub(super) fn new(shared: &'a Shared, request: &'a HttpRequest, caller: &'a Caller) -> Self {
        Self {
            shared,
            request,
            principal: &caller.principal,
            body: OnceCell::new(),
            noted: RefCell::default(),
            is_settled: Cell::new(false),
            payer: RefCell::default(),
        }
    }

    /// Receives the body, and says which website the request names beside it.
    pub(super) async fn receive(&self, payload: Payload) -> Result<Option<String>, Fault> {
        let body = Body::receive(payload, self.shared.options.body_limit()).await?;
        self.body.get_or_init(|| body);
        Ok(named::website_id(self.request))
    }

    /// The body that was received, unpacked. The permit is taken later ([`Self::await_permit`]).
    pub(super) fn unpack(&self) -> Result<&[u8], Fault> {
        match self.body.get() {
            Some(body) => body.unpack(self.request),
            None => Ok(&[]),
        }
    }

    /// Waits for the permit to work on the body, if it is large.
    pub(super) async fn await_permit(&self) {
        if let Some(body) = self.body.get() {
            body.await_permit(|| self.id()).await;
        }
    }

    /// The body that was received, unpacked, once it has its permit.
    pub(super) async fn read(&self) -> Result<&[u8], Fault> {
        let bytes = self.unpack()?;
        self.await_permit().await;
        Ok(bytes)
    }

    /// [`Self::read`] of a body that may be wrapped in another one.
    pub(super) async fn read_wrapped(&self, unwrap: Unwrap) -> Result<&[u8], Fault> {
        let Some(body) = self.body.get() else {
            return Ok(&[]);
        };
        let bytes = body.unwrap(self.request, unwrap)?;
        self.await_permit().await;
        Ok(bytes)
    }

    pub(super) fn trust(&self) -> Trust {
        match self.principal {
            Principal::Key(_) => Trust::Key,
            Principal::Anonymous | Principal::Session(_) => Trust::Client,
        }
    }

    /// Who takes turns at large bodies: a key's organization or a key, else an address.
    pub(super) fn id(&self) -> SenderId {
        match (self.principal, self.address()) {
            (Principal::Key(key), _) => match &key.organization {
                Some(organization) => SenderId::from_name("organization", organization.as_str()),
                None => SenderId::from_name("key", key.id.as_str()),
            },
            (_, Some(address)) => address.identity(&self.shared.secret, "body"),
            (_, None) => SenderId::from_name("body", ""),
        }
    }

    pub(super) fn address(&self) -> Option<ClientAddress> {
        self.request.extensions().get().copied()
    }

    /// Whether something of an organization may be stored from here.
    fn serves(&self, organization: &OrganizationId) -> bool {
        self.shared.serves_here(self.request.head(), organization)
    }

    /// A known website that may be stored for from here.
    fn served_here<'w>(&self, website: Option<&'w Arc<Website>>) -> Option<&'w Arc<Website>> {
        website.filter(|website| self.serves(&website.organization))
    }

    /// Asks for one website, or, with a key, for what the key is good for.
    pub(super) async fn ask(&self, id: Option<&str>) -> Result<Grant, Fault> {
        match self.principal {
            Principal::Key(key) => {
                let owner = key.organization.as_ref();
                if owner.is_some_and(|owner| !self.serves(owner)) {
                    return Err(Fault::unauthenticated());
                }
                self.with_key(key, id)
            }
            Principal::Anonymous | Principal::Session(_) => {
                self.with_client_id(id.ok_or_else(no_credentials)?).await
            }
        }
    }

    /// [`Self::ask`] for routes whose events always belong to a website.
    pub(super) async fn ask_website(&self, id: Option<&str>) -> Result<Grant, Fault> {
        let grant = self.ask(id).await?;
        if !grant.names_website() {
            return Err(no_credentials());
        }
        Ok(grant)
    }

    /// Asks for every id that a body names; `None` is for events that name none and gets `fallback`.
    pub(super) async fn ask_all(
        &self,
        ids: impl Iterator<Item = Option<&str>>,
        fallback: Option<&str>,
    ) -> Result<Grants, Fault> {
        let mut grants: Vec<(Option<Box<str>>, Grant)> = Vec::with_capacity(1);
        for id in ids {
            if grants.iter().any(|(known, _)| known.as_deref() == id) {
                continue;
            }
            let grant = self.ask(id.or(fallback)).await?;
            grants.push((id.map(Box::from), grant));
        }
        Ok(Grants(grants))
    }

    /// What was granted for the one website that a body without a key is about: the one that the request names, else the
    /// first event's. Every event has to be for it, and one that names none takes the request's.
    pub(super) async fn ask_one<'b, I: Iterator<Item = Option<&'b str>>>(
        &self,
        ids: impl Fn() -> I,
        named: Option<(&'b str, Grant)>,
    ) -> Result<Grants, Fault> {
        let is_named = named.is_some();
        let (own, grant) = if let Some(named) = named {
            named
        } else {
            let first = ids().next().flatten().ok_or_else(no_credentials)?;
            (first, self.ask(Some(first)).await?)
        };
        if ids().flatten().any(|id| id != own) {
            return Err(authorize::website_mismatch());
        }
        if !is_named && ids().any(|id| id.is_none()) {
            let message = "Every event needs a `websiteId`, or the query a `website_id`";
            let issue = Issue::new("required", "websiteId", message);
            return Err(accept::invalid(vec![issue]));
        }
        Ok(Grants(vec![
            (Some(own.into()), grant.clone()),
            (None, grant),
        ]))
    }

    fn with_key(&self, key: &KeyGrant, id: Option<&str>) -> Result<Grant, Fault> {
        let websites = self.shared.websites.view();
        let website = match (id, key.only_website()) {
            (Some(id), _) => live(self.served_here(websites.by_client_id(id))),
            (None, Some(own)) => live(websites.by_id(own.as_str())),
            (None, None) => None,
        };
        let site = website.as_ref().map(|website| website.site());
        let foreign = |site: &Site| key.organization.as_ref() != Some(&site.organization);
        let id = id.or_else(|| key.only_website().map(crate::ids::WebsiteId::as_str));
        let organization = key.organization.as_ref();
        let tenant =
            organization.and_then(|id| self.shared.organizations.view().tenant(id.as_str()));
        if let Some(tenant) = &tenant {
            let own = website
                .as_ref()
                .filter(|_| !site.as_ref().is_some_and(foreign));
            self.concern(tenant.key.0, own);
        }
        let named = id.map(|id| (id, site.as_ref()));
        let access = authorize::ingest_with_key(key, tenant.as_ref(), named)?;
        self.owned(website.as_deref())?;
        self.pays(organization);
        Ok(Grant { access, website })
    }

    /// A website loses its organization when that is deleted; its events would never be seen.
    fn owned(&self, website: Option<&Website>) -> Result<(), Fault> {
        let organizations = self.shared.organizations.view();
        match website {
            Some(website)
                if organizations
                    .tenant(website.organization.as_str())
                    .is_none() =>
            {
                Err(authorize::website_without_organization())
            }
            _ => Ok(()),
        }
    }

    async fn with_client_id(&self, id: &str) -> Result<Grant, Fault> {
        let websites = self.shared.websites.view();
        let known = self.served_here(websites.by_client_id(id)).cloned();
        if let Some(website) = &known {
            self.concern(website.organization_key.0, Some(website));
        }
        let website = live(known.as_ref());
        // Unknown ids share one window per address: guessing is limited and takes no memory.
        let subject = website
            .as_ref()
            .map_or("", |website| website.client_id.as_str());
        let route = self.request.match_info().as_str();
        let window = admission::endpoint(Host::Track, self.request.method(), route);
        let window = window.unwrap_or(Endpoint::Track);
        admission::admit_subject(self.shared, window, subject, self.request).await?;
        if known.is_none() && self.shared.websites.view().is_orphan(id) {
            return Err(authorize::website_without_organization());
        }
        let site: Option<Site> = website.as_ref().map(|website| website.site());
        let access = authorize::ingest_with_client_id(id, site.as_ref())?;
        self.owned(website.as_deref())?;
        if let Some(website) = &website {
            self.pays(Some(&website.organization));
            let address = self.address().map(|address| address.0);
            origin::check(website, self.request, address)?;
        }
        Ok(Grant { access, website })
    }

    /// Notes the tenant of the request for the ledger.
    fn concern(&self, organization: i64, website: Option<&Arc<Website>>) {
        let mut noted = self.noted.borrow_mut();
        noted.concern((organization, website.map_or(0, |website| website.key.0)));
        noted.choosy.extend(
            website
                .filter(|website| website.ingest_rules.has_exclusions())
                .cloned(),
        );
    }
}

/// A website that takes events: one that is not active is as good as unknown.
fn live(website: Option<&Arc<Website>>) -> Option<Arc<Website>> {
    website
        .filter(|website| website.status == WebsiteStatus::Active)
        .cloned()
}
