//! Who calls: a probe with its token. Keys, apps and sessions open nothing here, and a token opens nothing else.

use std::{
    future::{Ready, ready},
    sync::Arc,
};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest,
    dev::{Payload, ServiceRequest},
    http::header::HeaderMap,
};

use crate::{
    access::{KeyGrant, Principal},
    actors::monitors::{Probe, Program},
    fault::Fault,
    http::{
        Shared,
        auth::{self, Caller, Stopped},
    },
};

const ROOT: &str = "/v1/probe/";
/// Requests of a probe, and seconds.
const QUOTA: (u32, u32) = (3_000, 60);
/// The headers in which a probe says which program runs where.
const VERSION: &str = "x-probe-version";
const NAME: &str = "x-probe-host";

/// Whether a path is for probes.
pub(in crate::http) fn owns(path: &str) -> bool {
    path.starts_with(ROOT)
}

/// Finds the probe of a request, or refuses. Without a token there is none.
pub(in crate::http) fn authenticate(
    shared: &Shared,
    request: &ServiceRequest,
) -> Result<Caller, Stopped> {
    let Some(token) = auth::key(request.headers())? else {
        return Ok(Caller::ANONYMOUS);
    };
    let view = shared.monitors.view();
    let Some(probe) = view.probes().by_token(&token).cloned() else {
        return Err(Stopped::Guess(refused()));
    };
    let is_live = shared.organizations.view().is_live(&probe.organization);
    if probe.revoked_ms.is_some() || !is_live {
        return Err(Stopped::Refused(refused()));
    }
    // It has no scopes: for these routes, only the probe counts.
    let grant = KeyGrant {
        id: probe.id.as_str().into(),
        global: Vec::new(),
        organization: Some(probe.organization.clone()),
        websites: Vec::new(),
        person: None,
    };
    let known = KnownProbe {
        probe,
        token: token.into(),
        program: program(request.headers()),
    };
    request.extensions_mut().insert(known);
    Ok(Caller {
        principal: Principal::Key(Arc::new(grant)),
        quota: Some(QUOTA),
    })
}

fn program(headers: &HeaderMap) -> Program {
    let text = |name: &str| {
        let text = headers.get(name).and_then(|value| value.to_str().ok());
        text.map(str::to_owned)
    };
    Program {
        version: text(VERSION),
        host: text(NAME),
    }
}

fn refused() -> Fault {
    let mut fault = Fault::unauthenticated();
    fault.message = "The probe token is unknown or revoked".into();
    fault
}

/// The probe that calls.
#[derive(Clone)]
pub(super) struct KnownProbe {
    pub(super) probe: Arc<Probe>,
    pub(super) token: Arc<str>,
    pub(super) program: Program,
}

impl FromRequest for KnownProbe {
    type Error = Fault;
    type Future = Ready<Result<Self, Fault>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let found = request.extensions().get::<Self>().cloned();
        ready(found.ok_or_else(Fault::unauthenticated))
    }
}
