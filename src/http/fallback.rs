//! What is answered where nothing is routed. Nothing is ever looked up in the filesystem (threat T39).

use actix_web::{HttpRequest, HttpResponse, Route, http::header::ACCEPT, web};

use super::{Host, redirect};
use crate::fault::{Fault, Kind};

pub(super) fn service(host: Host) -> Route {
    match host {
        Host::Base => web::to(unknown_path),
        Host::Track => web::to(not_found),
        Host::Links => web::to(unknown_link),
    }
}

/// Roots of interfaces, which only say how to sign in.
const ROOTS: [&str; 4] = ["/v1", "/v2", "/api", "/api/v1"];

async fn unknown_path(request: HttpRequest) -> Result<HttpResponse, Fault> {
    let path = request.path();
    if ROOTS.contains(&path.strip_suffix('/').unwrap_or(path)) {
        return Err(Fault::unauthenticated());
    }
    not_found().await
}

async fn not_found() -> Result<HttpResponse, Fault> {
    Err(Fault::new(
        Kind::NotFound {
            resource: "route",
            id: None,
        },
        "Not found",
    ))
}

/// A small page for people, the usual failure for programs.
async fn unknown_link(request: HttpRequest) -> Result<HttpResponse, Fault> {
    let accepts = request
        .headers()
        .get(ACCEPT)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if accepts.contains("application/json") {
        let kind = Kind::NotFound {
            resource: "link",
            id: None,
        };
        return Err(Fault::new(kind, "Link not found"));
    }
    Ok(redirect::unknown(&request))
}
