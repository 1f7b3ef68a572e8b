//! Limits of a request: its key's quota, its endpoint's window and its in-flight slot, decided in one step.
//!
//! [`admit`] covers every route of a host. Endpoints whose identity is known only from the body (an
//! anonymous event: website and address) are admitted by their handler with [`admit_subject`].

use actix_web::{
    HttpMessage, HttpRequest,
    body::BoxBody,
    dev::{ServiceRequest, ServiceResponse},
    http::Method,
};

use super::{
    Host, Shared, auth::Caller, console_paths, edge::ClientAddress, response_bodies::GuardedBody,
};
use crate::{
    access::Principal,
    actors::fresh::Stale,
    events::accept::protocols::Protocol,
    fault::Fault,
    store::limits::{Demand, Endpoint, Identity, Permit},
};

/// Admits the request or refuses it.
pub(super) async fn admit(
    shared: &Shared,
    host: Host,
    request: &ServiceRequest,
) -> Result<Permit, Fault> {
    let demand = demand(shared, host, request);
    Ok(shared.admission.admit(demand).await?)
}

/// Sees to it that memory knows who may come in. What is taken in goes on without, where the operator says so.
pub(super) async fn freshen(shared: &Shared, host: Host) -> Result<(), Fault> {
    let Some(fresh) = &shared.fresh else {
        return Ok(());
    };
    match Box::pin(fresh.ensure()).await {
        Err(Stale::Redis(_)) if host == Host::Track && fresh.is_degradable() => Ok(()),
        outcome => Ok(outcome?),
    }
}

/// Holds the slot of a request until the body of its answer is gone.
pub(super) fn hold(response: ServiceResponse<BoxBody>, permit: Permit) -> ServiceResponse<BoxBody> {
    if !permit.holds_a_slot() {
        return response;
    }
    response.map_body(|_, body| GuardedBody::boxed(body, permit))
}

/// Admits an anonymous request for a subject (the id of a website or organization; empty for all unknown ids) from one
/// address.
pub async fn admit_subject(
    shared: &Shared,
    endpoint: Endpoint,
    subject: &str,
    request: &HttpRequest,
) -> Result<(), Fault> {
    let rate = shared.limits.load().endpoint(endpoint, true);
    let Some(address) = request.extensions().get::<ClientAddress>().copied() else {
        return Err(Fault::internal(anyhow::anyhow!(
            "a route is registered outside of the edge"
        )));
    };
    let identity = address.identity_with(&shared.secret, "subject", subject);
    // There is no slot to hold: the demand bounds no concurrency.
    let _ = shared
        .admission
        .admit(Demand::new(identity).rate(rate))
        .await?;
    Ok(())
}

/// Counts an unknown key against the address that sent it; refuses when that has sent too many (threat T14).
pub(super) async fn admit_guess(
    shared: &Shared,
    address: Option<ClientAddress>,
) -> Result<(), Fault> {
    let rate = shared.limits.load().key_failures();
    let demand = Demand::new(identity(shared, address, "guess")).rate(rate);
    let _ = shared.admission.admit(demand).await?;
    Ok(())
}

/// An anonymous caller: an address, or all callers without a known address together.
fn identity(shared: &Shared, address: Option<ClientAddress>, kind: &'static str) -> Identity {
    address.map_or_else(
        || Identity::from_name(kind, ""),
        |address| address.identity(&shared.secret, kind),
    )
}

fn demand(shared: &Shared, host: Host, request: &ServiceRequest) -> Demand {
    let limits = shared.limits.load();
    let caller = Caller::from_service_request(request);
    let endpoint = endpoint(host, request.method(), request.match_info().as_str());
    match &caller.principal {
        Principal::Key(key) => Demand::new(Identity::from_name("key", key.id.as_str()))
            .rate(limits.key(caller.quota))
            .rate(endpoint.and_then(|endpoint| limits.endpoint(endpoint, false)))
            .in_flight(limits.key_in_flight),
        Principal::Session(session) => {
            // A person may look at pages in several browsers.
            let identity = match endpoint {
                Some(Endpoint::Console) => Identity::from_name("session", session.id.as_str()),
                _ => Identity::from_name("user", session.user.as_str()),
            };
            Demand::new(identity)
                .rate(endpoint.and_then(|endpoint| limits.endpoint(endpoint, false)))
        }
        Principal::Anonymous => {
            let address = request.extensions().get::<ClientAddress>().copied();
            let identity = identity(shared, address, "address");
            // Anonymous events are counted by website and address, by their handler. Pages lead to the sign-in.
            let endpoint = endpoint.filter(|endpoint| {
                !matches!(
                    endpoint,
                    Endpoint::Track | Endpoint::Identify | Endpoint::Console
                )
            });
            Demand::new(identity)
                .rate(endpoint.and_then(|endpoint| limits.endpoint(endpoint, true)))
        }
    }
}

/// The window of a request; `path` is the one that the router sees: no other spelling escapes.
pub(super) fn endpoint(host: Host, method: &Method, path: &str) -> Option<Endpoint> {
    match (host, method, path) {
        (Host::Base, &Method::POST, "/v1/query") => Some(Endpoint::Query),
        (Host::Base, &Method::POST, "/v1/mcp" | "/v1/mcp/" | "/mcp" | "/.well-known/mcp") => {
            Some(Endpoint::Mcp)
        }
        (Host::Base, &Method::POST, "/agent-chats/send") => Some(Endpoint::Chats),
        (Host::Base, _, path)
            if path.starts_with("/insights/") || path.starts_with("/rpc/insights/") =>
        {
            Some(Endpoint::Insights)
        }
        // Who looks at a page asks what is on it.
        (Host::Base, &Method::GET, path) if path.starts_with("/share/") => Some(Endpoint::Share),
        (Host::Base, &Method::GET, path) if console_paths::is_counted(path) => {
            Some(Endpoint::Console)
        }
        (Host::Base, &Method::POST, "/v1/query/compile") => Some(Endpoint::Compile),
        (Host::Track, &Method::POST, "/mcp") => Some(Endpoint::Calls),
        (Host::Track, &Method::POST, "/identify") => Some(Endpoint::Identify),
        (Host::Track, &Method::POST, _) | (Host::Track, &Method::GET, "/px.jpg") => {
            Some(Endpoint::Track)
        }
        (Host::Track, &Method::GET, path) if Protocol::owns(path) => Some(Endpoint::Track),
        _ => None,
    }
}
