//! Routes for operators and developers: metrics and the OpenAPI document.

use std::net::IpAddr;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{CACHE_CONTROL, HOST},
    },
    web,
};
use serde_json::json;

use super::{Host, Shared, auth::Caller, openapi, routes::Route};
use crate::{
    access::{Principal, Scope},
    fault::Fault,
};

/// Headers that show a proxy between us and the socket.
const FORWARDING: [&str; 4] = ["x-forwarded-for", "forwarded", "x-real-ip", "via"];
/// How long browsers keep what changes with the program only.
pub(super) const SHORT: (actix_web::http::header::HeaderName, &str) =
    (CACHE_CONTROL, "public, max-age=300");

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, Host::Base, "/metrics", |route| {
            route.to(metrics)
        })
        .says(
            "Figures",
            "Prometheus text; for a key with `manage:config`, or from the machine itself by a loopback name or address.",
        )
        .media("text/plain")
        .or(403),
        Route::new(Method::GET, Host::Base, "/openapi.json", |route| {
            route.to(openapi_json)
        })
        .says("OpenAPI document", "This document.")
        .answers(json!({ "type": "object", "required": ["openapi"], "additionalProperties": {} })),
    ]
}

async fn metrics(
    request: HttpRequest,
    caller: Caller,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    match &caller.principal {
        // What the whole installation counts is nothing that a person gives to an app.
        Principal::Key(key) if key.holds(Scope::ManageConfig) && !key.is_app() => {}
        Principal::Key(_) => return Err(Fault::forbidden("API key missing manage:config scope")),
        Principal::Anonymous | Principal::Session(_) if is_this_machine(&request, &shared) => {}
        Principal::Session(_) => {
            return Err(Fault::forbidden("An API key with manage:config is needed"));
        }
        Principal::Anonymous => return Err(Fault::unauthenticated()),
    }
    Ok(HttpResponse::Ok()
        .content_type("text/plain; version=0.0.4; charset=utf-8")
        .body(shared.metrics.render()))
}

fn is_this_machine(request: &HttpRequest, shared: &Shared) -> bool {
    let header = shared.options.proxies.client_ip_header.as_ref();
    let forwarded = FORWARDING
        .iter()
        .any(|name| request.headers().contains_key(*name))
        || header.is_some_and(|name| request.headers().contains_key(name));
    !forwarded
        && names_this_machine(request)
        && request
            .peer_addr()
            .is_some_and(|peer| peer.ip().to_canonical().is_loopback())
}

/// Whether the request names a loopback host. A page whose name was made to lead here names its own (DNS rebinding).
fn names_this_machine(request: &HttpRequest) -> bool {
    let host = request.headers().get(HOST);
    let host = host.map_or_else(
        || request.uri().host(),
        |host| {
            let host = host.to_str().ok()?;
            // The port, behind the brackets of an IPv6 address.
            let port = host.rfind(':').filter(|at| !host[*at..].contains(']'));
            Some(&host[..port.unwrap_or(host.len())])
        },
    );
    let host = host.unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.to_canonical().is_loopback())
}

async fn openapi_json(request: HttpRequest, shared: web::Data<Shared>) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.insert_header(SHORT);
    let document = ("/openapi.json", "application/json");
    shared.documents.answer(&request, response, document, || {
        openapi::document(&shared.urls).to_string()
    })
}
