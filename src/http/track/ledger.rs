//! What is not stored is counted: every refusal of an ingestion route passes [`refused`] on its way out, wherever it was raised
//! What is answered with success and left out is counted where that is decided.
//!
//! Refusals of the request (limits, credentials, origin, size) count as one, whatever the body holds; verdicts about
//! events (invalid, bot, opted out, excluded) count events.

use actix_web::{HttpMessage as _, HttpRequest, http::Method, web::Data};

use super::{
    authorize::Sender,
    body::Body,
    origin,
    refusal_context::{RejectionContext, tenant},
};
use crate::{
    actors::websites::ingest_rules::{EventFacts, Exclusion},
    events::{
        accept::{self, protocols::Protocol},
        event::Trust,
        ledger::{Outcome, Reason},
        store::Accepted,
    },
    fault::{Fault, Kind},
    http::Shared,
};

/// Counts a refused request of an ingestion route.
pub(in crate::http) fn refused(request: &HttpRequest, fault: &Fault) {
    let (Some(reason), Some(shared)) = (reason(request, fault), request.app_data::<Data<Shared>>())
    else {
        return;
    };
    let noted = request
        .extensions_mut()
        .remove::<RejectionContext>()
        .unwrap_or_default();
    let (organization, website) = noted
        .tenant
        .or_else(|| tenant(shared, request))
        .unwrap_or_default();
    let blocked = matches!(
        reason,
        Reason::OriginNotAuthorized | Reason::AddressNotAuthorized
    );
    let count = match reason {
        Reason::InvalidBody => accept::count(&noted.body).max(1),
        _ => 1,
    };
    shared.events.count(&Outcome {
        organization,
        website,
        reason,
        at: shared.clock.now_ms(),
        origin: blocked.then(|| origin::read_origin(request)).flatten(),
        count,
    });
}

/// Why a request was refused; `None` for what is no ingestion at all.
fn reason(request: &HttpRequest, fault: &Fault) -> Option<Reason> {
    let brings_events = match request.path() {
        "/px.jpg" => true,
        "/identify" => false,
        path => request.method() == Method::POST || Protocol::owns(path),
    };
    if !brings_events {
        return None;
    }
    Some(match (&fault.kind, fault.code) {
        (_, Some("ORIGIN_NOT_AUTHORIZED")) => match origin::read_origin(request) {
            Some(_) => Reason::OriginNotAuthorized,
            None => Reason::OriginMissing,
        },
        (_, Some("IP_NOT_AUTHORIZED")) => Reason::AddressNotAuthorized,
        (_, Some("WEBSITE_MISSING_ORGANIZATION")) => Reason::NoOrganization,
        (Kind::NotFound { resource, .. }, _) if *resource == "route" => return None,
        (Kind::MethodNotAllowed, _) => return None,
        (Kind::Invalid { .. } | Kind::Conflict { .. }, _)
        | (Kind::Forbidden, Some("WEBSITE_SCOPE_MISMATCH")) => Reason::InvalidBody,
        (Kind::Unauthenticated, Some(_)) => Reason::NoCredentials,
        (Kind::Unauthenticated, None) => Reason::InvalidKey,
        (Kind::Forbidden, _) => Reason::MissingScope,
        (Kind::NotFound { .. }, _) => Reason::UnknownWebsite,
        (Kind::TooLarge, _) => Reason::TooLarge,
        (Kind::UnsupportedEncoding, _) => Reason::UnsupportedEncoding,
        (Kind::RateLimited(_), _) => Reason::RateLimited,
        (Kind::PlanLimitExceeded { .. } | Kind::FeatureUnavailable { .. }, _) => {
            Reason::QuotaExceeded
        }
        (Kind::Unavailable { .. }, _) => Reason::Unavailable,
        (Kind::Internal, _) => Reason::InternalError,
    })
}

impl Sender<'_> {
    fn bytes(&self) -> &[u8] {
        let body = self.body.get();
        body.and_then(Body::unpacked).unwrap_or_default()
    }

    /// Counts events that are answered with success, or one by one, and not stored.
    pub(super) fn count(&self, reason: Reason, count: usize) {
        let (organization, website) = self.noted.borrow().tenant.unwrap_or_default();
        self.shared.events.count(&Outcome {
            organization,
            website,
            reason,
            at: self.shared.clock.now_ms(),
            origin: None,
            count: count as u64,
        });
    }

    /// Counts every event of the body as left out.
    pub(super) fn count_all(&self, reason: Reason) {
        let count = accept::count(self.bytes());
        self.count(reason, count as usize);
    }

    /// Takes out what the events' websites leave out, and counts it.
    pub(super) fn leave_out(&self, events: &mut Vec<Accepted>) {
        let noted = self.noted.borrow();
        if noted.choosy.is_empty() {
            return;
        }
        let address = self.address().map(|address| address.0);
        events.retain(|accepted| {
            let event = &accepted.event;
            let website = noted
                .choosy
                .iter()
                .find(|website| website.key.0 == event.website);
            let sight = EventFacts {
                // A server's address and country are not a visitor's.
                address: address.filter(|_| event.trust == Trust::Client),
                country: event.country.as_deref(),
                host: event.host.as_deref(),
                path: &event.path,
            };
            let Some(excluded) =
                website.and_then(|website| website.ingest_rules.leaves_out(&sight))
            else {
                return true;
            };
            self.shared.events.count(&Outcome {
                organization: event.organization,
                website: event.website,
                reason: match excluded {
                    Exclusion::Address => Reason::ExcludedAddress,
                    Exclusion::Country => Reason::ExcludedCountry,
                    Exclusion::Path => Reason::ExcludedPath,
                    Exclusion::Host => Reason::ExcludedHost,
                },
                at: event.received,
                origin: None,
                count: 1,
            });
            false
        });
    }
}

/// A request that ends without success leaves what is known of it for [`refused`].
impl Drop for Sender<'_> {
    fn drop(&mut self) {
        if !self.is_settled.get() {
            let body = self.body.take().and_then(Body::into_unpacked);
            let noted = RejectionContext {
                body: body.unwrap_or_default(),
                ..self.noted.take()
            };
            self.request.extensions_mut().insert(noted);
        }
    }
}
