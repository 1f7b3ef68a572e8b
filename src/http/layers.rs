//! What every request of a host passes, in the order of the checks.
//!
//! One middleware, whose stages are plain functions that call the next one: a middleware of its own for each costs every
//! event a service, a box and a poll.

use std::{sync::Arc, time::Duration};

use actix_web::{
    Error, HttpMessage, Route, Scope,
    body::BoxBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    middleware::{Next, from_fn},
    web,
};

use super::{
    Host, Shared, admission,
    auth::{self, Caller, Stopped},
    body_memory::{self, Share},
    chunked_bodies, console_paths, custom_hosts,
    edge::{Answer, Cors, Edge},
    fallback, file_bodies, flags, mcp, pages, probes, procedures, scim, size, slow_clients, track,
    wire::{FailureHooks, Wire},
};
use crate::{fault::Fault, store::limits::Permit};

/// Wraps the routes of a host: edge, error style, body size, authentication, admission; and answers unknown paths.
pub fn layers(
    scope: Scope,
    shared: &Arc<Shared>,
    host: Host,
) -> Scope<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<BoxBody>,
        Error = Error,
        InitError = (),
    > + use<>,
> {
    let limit = shared.options.body_limit();
    let front = Front::new(shared, host);
    let gate = Arc::new(Gate {
        cors: shared.cors(host),
        shared: Arc::clone(shared),
        host,
        limit,
    });
    scope
        .app_data(web::Data::from(Arc::clone(shared)))
        .app_data(web::PayloadConfig::new(limit))
        .app_data(
            web::JsonConfig::default()
                .limit(limit)
                .content_type_required(false)
                .content_type(|_| true),
        )
        .default_service(fallback::service(host))
        .wrap(from_fn(move |request, next: Next<BoxBody>| {
            let (front, gate) = (Arc::clone(&front), Arc::clone(&gate));
            async move {
                let rest = async |request| gate.pass(request, next).await;
                front.pass(request, rest).await
            }
        }))
}

/// What answers request targets that are no paths, such as the `*` of `OPTIONS *`: no scope takes them.
pub fn elsewhere(shared: &Arc<Shared>, host: Host) -> Route {
    let front = Front::new(shared, host);
    fallback::service(host).wrap(from_fn(move |request, next: Next<BoxBody>| {
        let front = Arc::clone(&front);
        async move {
            let rest = async |request| next.call(request).await;
            front.pass(request, rest).await
        }
    }))
}

/// How refused requests are answered beside the style of their family.
const FAILURE_HOOKS: FailureHooks = FailureHooks {
    page: pages::error_response,
    beside: flags::beside,
    count: track::ledger::refused,
};

/// The stages that finish every answer.
struct Front {
    host: Host,
    edge: Edge,
    style: Styles,
    shared: Arc<Shared>,
    /// How long a client may take too little of an answer.
    write_patience: Duration,
}

impl Front {
    fn new(shared: &Arc<Shared>, host: Host) -> Arc<Self> {
        Arc::new(Self {
            host,
            edge: shared.edge(host),
            style: Styles::for_host(host),
            shared: Arc::clone(shared),
            write_patience: shared.options.write_patience,
        })
    }

    async fn pass(
        &self,
        request: ServiceRequest,
        next: impl AsyncFnOnce(ServiceRequest) -> Answer,
    ) -> Answer {
        let (request, refused) = match self.host {
            Host::Base => custom_hosts::enter(&self.shared, request).await,
            Host::Track | Host::Links => (request, None),
        };
        let next = async |request: ServiceRequest| match refused {
            Some(fault) => Ok(request.error_response(fault)),
            None => next(request).await,
        };
        let wire = self.style.wire(request.match_info().as_str());
        let styled = async |request| wire.speak(&FAILURE_HOOKS, request, next).await;
        let challenged = async |request: ServiceRequest| {
            let path = request.match_info().as_str().to_owned();
            let answer = styled(request).await?;
            Ok::<_, Error>(mcp::challenge(&path, &self.shared.urls.base, answer))
        };
        let shielded = async |request| track::shield(self.host, request, challenged).await;
        let cut = async |request| {
            let answer = chunked_bodies::cut(request, shielded).await?;
            Ok::<_, Error>(
                answer.map_body(|_, body| slow_clients::limit(body, self.write_patience)),
            )
        };
        self.edge.observe(request, cut).await
    }
}

/// The stages that may refuse a request before its handler sees it.
struct Gate {
    shared: Arc<Shared>,
    host: Host,
    cors: Cors,
    limit: usize,
}

impl Gate {
    async fn pass(&self, mut request: ServiceRequest, next: Next<BoxBody>) -> Answer {
        match self.admit(&mut request).await {
            Ok(permit) => {
                let share = Share::from_request(request.request());
                let mut answer = next.call(request).await?;
                if share.is_some_and(|share| share.is_refused()) {
                    // However the handler called a body that ended early.
                    let (request, _) = answer.into_parts();
                    answer = ServiceResponse::from_err(body_memory::no_memory(), request);
                }
                Ok(admission::hold(answer, permit))
            }
            // With the request: its refusal is counted for the tenant that it concerns.
            Err(fault) => Ok(request.error_response(fault)),
        }
    }

    async fn admit(&self, request: &mut ServiceRequest) -> Result<Permit, Fault> {
        let is_upload = self.host == Host::Base
            && file_bodies::carries_file(request.method(), request.match_info().as_str());
        if is_upload {
            size::bound_file(&self.shared, request)?;
        } else {
            size::bound(&self.shared, self.limit, request).await?;
        }
        if auth::is_shown(&self.shared, &self.cors, request) {
            admission::freshen(&self.shared, self.host).await?;
        }
        let caller = match self.authenticate(request).await {
            Ok(caller) => caller,
            Err(Stopped::Refused(refusal)) => return Err(refusal),
            Err(Stopped::Guess(refusal)) => {
                let address = request.extensions().get().copied();
                admission::admit_guess(&self.shared, address).await?;
                return Err(refusal);
            }
        };
        request.extensions_mut().insert(caller);
        let permit = admission::admit(&self.shared, self.host, request).await?;
        // Ingestion unpacks a body when it knows who may store it.
        if self.host != Host::Track && !is_upload {
            track::unpack_request(request, self.limit).await?;
        }
        Ok(permit)
    }
}

impl Gate {
    async fn authenticate(&self, request: &ServiceRequest) -> Result<Caller, Stopped> {
        let path = request.match_info().as_str();
        if self.host == Host::Base && scim::owns(path) {
            return Box::pin(scim::authenticate(&self.shared, request)).await;
        }
        if self.host == Host::Base && probes::owns(path) {
            return probes::authenticate(&self.shared, request);
        }
        match auth::access_token(self.host, request) {
            Some(token) => Box::pin(auth::authenticate_app(&self.shared, &token, path)).await,
            None => auth::authenticate(&self.shared, &self.cors, request),
        }
    }
}

/// Which style a path of a host speaks.
#[derive(Debug, Clone)]
pub(super) enum Styles {
    One(Wire),
    /// Pages where they are, style A below these first segments, else style B.
    ByGroup(Arc<[&'static str]>),
}

impl Styles {
    pub(super) fn for_host(host: Host) -> Self {
        match host {
            Host::Track => Self::One(Wire::Track),
            Host::Links => Self::One(Wire::Rest),
            Host::Base => {
                let groups = procedures::all()
                    .into_iter()
                    .map(|procedure| procedure.group);
                Self::ByGroup(["rpc"].into_iter().chain(groups).collect())
            }
        }
    }

    pub(super) fn wire(&self, path: &str) -> Wire {
        match self {
            Self::One(wire) => *wire,
            Self::ByGroup(groups) => {
                let first = path
                    .trim_start_matches('/')
                    .split('/')
                    .next()
                    .unwrap_or_default();
                if console_paths::owns(path) || console_paths::leads_to_provider(path) {
                    Wire::Page
                } else if scim::owns(path) {
                    Wire::Scim
                } else if groups.contains(&first) {
                    Wire::Rpc
                } else {
                    Wire::Rest
                }
            }
        }
    }
}
