//! Who calls: an identity provider with a token of an organization. Keys, apps and sessions open nothing here.

use std::{future::Ready, sync::Arc};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest,
    dev::{Payload, ServiceRequest},
};

use super::ROOT;
use crate::{
    access::{KeyGrant, Principal},
    actors::organizations::Provisioner,
    fault::{Classify as _, Fault},
    http::{
        Shared,
        auth::{self, Caller, Stopped},
    },
};

/// Requests of a token, and seconds.
const QUOTA: (u32, u32) = (600, 60);

/// Whether a path is the protocol's.
pub(in crate::http) fn owns(path: &str) -> bool {
    path.strip_prefix(ROOT)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Finds the identity provider of a request, or refuses. Without a token there is nobody.
pub(in crate::http) async fn authenticate(
    shared: &Shared,
    request: &ServiceRequest,
) -> Result<Caller, Stopped> {
    let Some(text) = auth::key(request.headers())? else {
        return Ok(Caller::ANONYMOUS);
    };
    let found = shared.scim.authenticate(&text).await;
    let found = found.map_err(|error| Stopped::Refused(error.classify()))?;
    let provider = found.ok_or_else(|| {
        let mut fault = Fault::unauthenticated();
        fault.message =
            "The SCIM token is unknown or revoked, or the member who made it may no longer manage members"
                .into();
        Stopped::Guess(fault)
    })?;
    // It has no scopes: for the routes of this protocol, only the provider counts.
    let grant = KeyGrant {
        id: provider.token.as_str().into(),
        global: Vec::new(),
        organization: Some(provider.organization.clone()),
        websites: Vec::new(),
        person: None,
    };
    request.extensions_mut().insert(provider);
    Ok(Caller {
        principal: Principal::Key(Arc::new(grant)),
        quota: Some(QUOTA),
    })
}

/// The identity provider that calls.
pub(super) struct Provider(pub(super) Provisioner);

impl FromRequest for Provider {
    type Error = Fault;
    type Future = Ready<Result<Self, Fault>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let found = request.extensions().get::<Provisioner>().cloned();
        std::future::ready(found.map(Self).ok_or_else(Fault::unauthenticated))
    }
}
