//! Whose flags a request asks for, and who asks.

use std::{net::IpAddr, sync::Arc};

use actix_web::{HttpMessage, HttpRequest, http::header::USER_AGENT};

use crate::{
    actors::flags::{
        ActiveFlags,
        engine::{Context, RequestFacts},
    },
    fault::Fault,
    http::{Shared, admission, edge::ClientAddress, procedures::flags::ContextBody},
    store::limits::Endpoint,
};

/// Active flags of a website or organization that is there.
pub(super) fn find_flags(shared: &Shared, client: &str) -> Option<Arc<ActiveFlags>> {
    let websites = shared.websites.view();
    let website = websites
        .by_id(client)
        .or_else(|| websites.by_client_id(client));
    let view = shared.flags.view();
    if let Some(website) = website {
        return view.active(website.id.as_str()).cloned();
    }
    let shown = view.active(client).filter(|shown| !shown.is_website)?;
    let owner = shown.organization.as_ref()?;
    let lives = shared.organizations.view().is_live(owner);
    lives.then(|| Arc::clone(shown))
}

/// Counts a request against what a client may ask from one address.
pub(super) async fn admit(
    shared: &Shared,
    client: &str,
    request: &HttpRequest,
) -> Result<(), Fault> {
    let subject = subject(shared, client);
    admission::admit_subject(shared, Endpoint::Flags, &subject, request).await
}

/// The website or organization that a request counts for. All unknown ids share one window per address: made-up
/// ids get around no limit and take no memory.
fn subject(shared: &Shared, client: &str) -> String {
    let websites = shared.websites.view();
    let website = websites
        .by_id(client)
        .or_else(|| websites.by_client_id(client));
    let organizations = shared.organizations.view();
    let organization = || organizations.organization(client).map(|_| client);
    let known = website.map(|website| website.id.as_str());
    known.or_else(organization).unwrap_or_default().to_owned()
}

impl ContextBody {
    /// Asks `then` with all that rules may look at.
    pub(super) fn ask<T>(
        self,
        (shared, shown): (&Shared, &ActiveFlags),
        request: &HttpRequest,
        then: impl FnOnce(&Context<'_>) -> T,
    ) -> T {
        let tell = || read_facts(shared, request);
        let context = Context {
            address: address(request),
            request: Some(&tell),
            ..self.at(shared.clock.now_ms())
        };
        if !shown.id.is_empty() {
            shared
                .flags
                .view()
                .recent_contexts()
                .record(&shown.id, &context);
        }
        then(&context)
    }
}

/// Where a request comes from.
pub(super) fn address(request: &HttpRequest) -> Option<IpAddr> {
    request.extensions().get::<ClientAddress>().map(|one| one.0)
}

/// What a request reveals about its sender.
pub(super) fn read_facts(shared: &Shared, request: &HttpRequest) -> RequestFacts {
    let country = address(request).and_then(|address| shared.enricher.country(address));
    let agent = request.headers().get(USER_AGENT);
    let agent = agent.and_then(|agent| agent.to_str().ok());
    RequestFacts {
        country: country.map(|country| country.as_str().to_owned()),
        device: agent.and_then(|agent| shared.enricher.device(agent)),
    }
}
