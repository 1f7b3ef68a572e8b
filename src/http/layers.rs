//! The layers that every request of a host passes, in the contract's order of checks.

use std::sync::Arc;

use actix_web::{
    Error, Route, Scope,
    body::BoxBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    middleware::from_fn,
    web,
};

use super::{
    Host, Shared, admission, auth, endless, fallback, procedures, size, track, wire::Wire,
};

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
    let edge = shared.edge(host);
    let cors = Arc::new(shared.cors(host));
    let (for_auth, for_admission) = (Arc::clone(shared), Arc::clone(shared));
    let style = Styles::of(host);
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
        .wrap(from_fn(move |request, next| {
            admission::admit(Arc::clone(&for_admission), host, request, next)
        }))
        .wrap(from_fn(move |request, next| {
            auth::authenticate(Arc::clone(&for_auth), Arc::clone(&cors), request, next)
        }))
        .wrap(from_fn(move |request, next| {
            size::bound(limit, request, next)
        }))
        .wrap(from_fn(move |request: ServiceRequest, next| {
            let wire = style.wire(request.match_info().as_str());
            wire.speak(request, next)
        }))
        .wrap(from_fn(move |request, next| {
            track::shield(host, request, next)
        }))
        .wrap(from_fn(endless::cut))
        .wrap(from_fn(move |request, next| {
            Arc::clone(&edge).observe(request, next)
        }))
}

/// What answers request targets that are no paths, such as the `*` of `OPTIONS *`: no scope takes them.
pub fn elsewhere(shared: &Arc<Shared>, host: Host) -> Route {
    let edge = shared.edge(host);
    let style = Styles::of(host);
    fallback::service(host)
        .wrap(from_fn(move |request: ServiceRequest, next| {
            let wire = style.wire(request.match_info().as_str());
            wire.speak(request, next)
        }))
        .wrap(from_fn(endless::cut))
        .wrap(from_fn(move |request, next| {
            Arc::clone(&edge).observe(request, next)
        }))
}

/// Which style a path of a host speaks.
#[derive(Debug, Clone)]
enum Styles {
    One(Wire),
    /// Style A below these first segments, else style B.
    ByGroup(Arc<[&'static str]>),
}

impl Styles {
    fn of(host: Host) -> Self {
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

    fn wire(&self, path: &str) -> Wire {
        match self {
            Self::One(wire) => *wire,
            Self::ByGroup(groups) => {
                let first = path
                    .trim_start_matches('/')
                    .split('/')
                    .next()
                    .unwrap_or_default();
                if groups.contains(&first) {
                    Wire::Rpc
                } else {
                    Wire::Rest
                }
            }
        }
    }
}
