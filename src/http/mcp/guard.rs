//! Who may speak to the endpoint at all (threat T42).
//!
//! Browsers say where a page comes from: pages of other origins get 403, what is no browser says nothing and passes. The name in
//! `Host` must be ours or an address: a foreign name that points at this machine is how pages get around the first
//! rule. Without credentials the answer is 401 and says where to read how to get some.

use std::net::IpAddr;

use actix_web::{
    HttpRequest,
    body::BoxBody,
    dev::ServiceResponse,
    http::{
        StatusCode,
        header::{ACCEPT, AUTHORIZATION, HOST, HeaderMap, HeaderValue, ORIGIN, WWW_AUTHENTICATE},
    },
};
use url::Url;

use super::message::RpcError;
use crate::{
    fault::Fault,
    http::{Host, Shared, audience, auth::has_type},
};

/// Refuses foreign origins and foreign names.
pub(super) fn check_origin(request: &HttpRequest, shared: &Shared) -> Result<(), Fault> {
    let headers = request.headers();
    let origins: Vec<&HeaderValue> = headers.get_all(ORIGIN).collect();
    let cors = shared.cors(Host::Base);
    let own = |origin: &&HeaderValue| origin.to_str().is_ok_and(|origin| cors.is_own(origin));
    if !origins.iter().all(own) {
        return Err(Fault::forbidden(
            "This Origin may not use the MCP endpoint: add it to `server.allowed_origins`, or send no Origin",
        ));
    }
    let host = headers.get(HOST).map(|host| host.to_str().unwrap_or("?"));
    if host.is_some_and(|host| !is_ours(host, shared)) {
        return Err(Fault::forbidden(
            "This Host is not ours: use the address of `server.base_url`, or add this one to `server.allowed_origins`",
        ));
    }
    Ok(())
}

/// Whether a `Host` is an address, this machine, or a name that the operator has given us.
fn is_ours(host: &str, shared: &Shared) -> bool {
    let Ok(url) = Url::parse(&format!("http://{host}/")) else {
        return false;
    };
    let Some(name) = url.host_str() else {
        return false;
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    if name == "localhost" || address.parse::<IpAddr>().is_ok() {
        return true;
    }
    let allowed = shared.options.allowed_origins.iter().map(String::as_str);
    std::iter::once(shared.urls.base.as_str())
        .chain(allowed)
        .filter_map(|url| Url::parse(url).ok())
        .any(|url| url.host_str() == Some(name))
}

/// Refuses bodies that are not said to be JSON, and callers who would not understand the answer.
pub(super) fn media(headers: &HeaderMap) -> Result<(), RpcError> {
    if !has_type(headers, "application/json") {
        let why = "send `Content-Type: application/json`";
        return Err(RpcError::media(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
    }
    let mut accepted = headers
        .get_all(ACCEPT)
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|range| range.split(';').next().unwrap_or_default().trim())
        .peekable();
    let is_last = headers
        .get("mcp-protocol-version")
        .is_some_and(|version| version == "2026-07-28");
    // Tools at hand on a command line say `*/*`, or nothing.
    if accepted.peek().is_none() && !is_last {
        return Ok(());
    }
    let all: Vec<&str> = accepted.collect();
    let has = |kind: &str| all.iter().any(|range| range.eq_ignore_ascii_case(kind));
    let understands = if is_last {
        has("application/json") && has("text/event-stream")
    } else {
        has("application/json") || has("application/*") || has("*/*")
    };
    if understands {
        return Ok(());
    }
    let why = "send `Accept: application/json, text/event-stream`";
    Err(RpcError::media(StatusCode::NOT_ACCEPTABLE, why))
}

/// Says on a 401 of the endpoint where to read how to get credentials (RFC 9728).
pub(in crate::http) fn challenge(
    path: &str,
    base: &str,
    mut response: ServiceResponse<BoxBody>,
) -> ServiceResponse<BoxBody> {
    if response.status() == StatusCode::UNAUTHORIZED && audience::is_mcp(path) {
        // A client compares the resource with the address that it was given.
        let resource = if path == "/mcp" { path } else { super::PATH };
        let scopes = audience::scopes().join(" ");
        let mut says = format!(
            "Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource{resource}\", scope=\"{scopes}\""
        );
        if response.request().headers().contains_key(AUTHORIZATION) {
            says.push_str(", error=\"invalid_token\"");
        }
        if let Ok(says) = HeaderValue::from_str(&says) {
            response.headers_mut().insert(WWW_AUTHENTICATE, says);
        }
    }
    response
}
