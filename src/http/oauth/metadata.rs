//! What clients read first: whose tokens a resource takes (RFC 9728), and where the authorization server is (RFC 8414).

use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};

use crate::{
    fault::Fault,
    http::{
        Shared, Urls, audience,
        discovery::{endpoint, get, json_document},
        routes::Route,
    },
};

const SERVER: &str = "/.well-known/oauth-authorization-server";
const API: &str = "/.well-known/oauth-protected-resource";
const AGENTS: &str = "/.well-known/oauth-protected-resource/v1/mcp";
const AGENTS_ALIAS: &str = "/.well-known/oauth-protected-resource/mcp";

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(API, |route| route.to(api)).says(
            "Protected resource",
            "Who issues tokens for the API, and with which scopes (RFC 9728).",
        ),
        get(AGENTS, |route| route.to(agents)).says(
            "Protected resource of agents",
            "The same for the MCP endpoint.",
        ),
        get(AGENTS_ALIAS, |route| route.to(agents_alias)).says(
            "Protected resource of agents at `/mcp`",
            "The same for the other address of the MCP endpoint.",
        ),
        get(SERVER, |route| route.to(server))
            .says(
                "Authorization server",
                "Where apps register, ask a person and get tokens (RFC 8414). 404 while `auth.apps` is off.",
            )
            .or(404),
    ]
}

/// Whose tokens a resource takes.
fn resource(shared: &Shared, urls: &Urls, resource: &str, name: &str) -> Value {
    let is_on = shared.oauth.is_on();
    let servers = is_on.then_some(&urls.base);
    json!({
        "resource": resource,
        "resource_name": name,
        "resource_documentation": format!("{}/docs", urls.docs),
        "authorization_servers": servers.into_iter().collect::<Vec<_>>(),
        "scopes_supported": audience::scopes(),
        "bearer_methods_supported": ["header"],
    })
}

async fn api(request: HttpRequest, shared: web::Data<Shared>) -> HttpResponse {
    json_document(&request, &shared, API, |urls| {
        resource(&shared, urls, &urls.base, "pharos API")
    })
}

async fn agents(request: HttpRequest, shared: web::Data<Shared>) -> HttpResponse {
    json_document(&request, &shared, AGENTS, |urls| {
        resource(&shared, urls, &endpoint(urls), "pharos")
    })
}

async fn agents_alias(request: HttpRequest, shared: web::Data<Shared>) -> HttpResponse {
    json_document(&request, &shared, AGENTS_ALIAS, |urls| {
        resource(&shared, urls, &format!("{}/mcp", urls.base), "pharos")
    })
}

async fn server(request: HttpRequest, shared: web::Data<Shared>) -> Result<HttpResponse, Fault> {
    if !shared.oauth.is_on() {
        return Err(Fault::not_found("authorization server", SERVER));
    }
    Ok(json_document(&request, &shared, SERVER, |urls| {
        let at = |path: &str| format!("{}{path}", urls.base);
        json!({
            "issuer": urls.base,
            "authorization_endpoint": at(super::AUTHORIZE),
            "token_endpoint": at(super::TOKEN),
            "registration_endpoint": at(super::REGISTER),
            "revocation_endpoint": at(super::REVOKE),
            "scopes_supported": audience::scopes(),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "client_id_metadata_document_supported": true,
            "authorization_response_iss_parameter_supported": true,
            "service_documentation": format!("{}/docs/agents", urls.docs),
        })
    }))
}
