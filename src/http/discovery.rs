//! What programs read before they talk to us: `/.well-known/*` and `/llms.txt`, generated from the tables that serve.
//!
//! Credentials are API keys, made by people, and tokens of apps that people connect ([`super::oauth`]).

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{CACHE_CONTROL, LINK},
    },
    web,
};
use serde_json::{Value, json};

use super::{Host, Shared, Urls, mcp, routes::Route};
use crate::access::Scope;

const KEPT: (actix_web::http::header::HeaderName, &str) =
    (CACHE_CONTROL, "public, max-age=3600, must-revalidate");
const DESCRIPTION: &str =
    "Web analytics, event ingestion, short links, feature flags and monitors of an organization.";
const KEYS: &str = "API keys are made by people in the console, or by POST /apikeys/create with a session; send one in the \
    header x-api-key or as a bearer token. Apps get tokens by OAuth: /.well-known/oauth-authorization-server says where.";

/// A document whose shape belongs to another specification.
pub(super) fn get(path: &'static str, service: fn(actix_web::Route) -> actix_web::Route) -> Route {
    Route::new(Method::GET, Host::Base, path, service).answers(open())
}

fn open() -> Value {
    json!({ "type": "object", "additionalProperties": {} })
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        get("/.well-known/api-catalog", |route| route.to(catalog))
            .says(
                "API catalog",
                "Where the interfaces and their descriptions are (RFC 9727).",
            )
            .media("application/linkset+json")
            .answers(json!({
                "type": "object", "required": ["linkset"],
                "properties": { "linkset": { "type": "array", "items": open() } },
            })),
        get("/.well-known/mcp", |route| route.to(card))
            .also("/.well-known/mcp/server-card.json")
            .says(
                "MCP server card",
                "The MCP endpoint with its tools, prompts and resources.",
            ),
        mcp::at("/.well-known/mcp").says(
            "MCP endpoint at its card",
            "The same as `/v1/mcp`, for clients that send messages to where they read the card.",
        ),
        get("/.well-known/mcp.json", |route| route.to(manifest))
            .says("MCP manifest", "The same for registries of servers."),
        get("/.well-known/agent.json", |route| route.to(agent))
            .also("/.well-known/agent-card.json")
            .says("Agent card", "What agents can do here, and how."),
        get("/llms.txt", |route| route.to(llms))
            .says(
                "Overview for language models",
                "The interfaces in a page of Markdown.",
            )
            .media("text/markdown"),
    ]
}

pub(super) fn endpoint(urls: &Urls) -> String {
    format!("{}{}", urls.base, mcp::PATH)
}

fn metadata(urls: &Urls) -> String {
    format!("{}/.well-known/oauth-protected-resource", urls.base)
}

fn scopes() -> Vec<&'static str> {
    Scope::ALL.map(Scope::as_str).to_vec()
}

/// Answers with a document that is built once.
fn document(
    request: &HttpRequest,
    shared: &Shared,
    document: (&'static str, &'static str),
    build: impl FnOnce(&Urls) -> String,
) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.insert_header(KEPT);
    let documents = &shared.documents;
    documents.answer(request, response, document, || build(&shared.urls))
}

/// [`document`] in JSON.
pub(super) fn json_document(
    request: &HttpRequest,
    shared: &Shared,
    path: &'static str,
    build: impl FnOnce(&Urls) -> Value,
) -> HttpResponse {
    let path = (path, "application/json");
    document(request, shared, path, |urls| build(urls).to_string())
}

async fn catalog(request: HttpRequest, shared: web::Data<Shared>) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.insert_header(KEPT);
    if request.method() == Method::HEAD {
        let base = &shared.urls.base;
        let link = format!("<{base}/.well-known/api-catalog>; rel=\"api-catalog\"");
        response.insert_header((LINK, link));
    }
    let path = ("/.well-known/api-catalog", "application/linkset+json");
    shared.documents.answer(&request, response, path, || {
        catalog_document(&shared.urls).to_string()
    })
}

fn catalog_document(urls: &Urls) -> Value {
    let description =
        json!([{ "href": format!("{}/openapi.json", urls.base), "type": "application/json" }]);
    let documentation = json!([{ "href": format!("{}/docs", urls.docs), "type": "text/html" }]);
    let described = |anchor: &str| {
        json!({
            "anchor": anchor, "service-desc": description, "service-doc": documentation,
            "status": [{ "href": format!("{}/health", urls.base), "type": "application/json" }],
        })
    };
    let anchors = [
        urls.base.clone(),
        urls.track.clone(),
        urls.links.clone(),
        endpoint(urls),
    ];
    let linkset: Vec<Value> = anchors.iter().map(|anchor| described(anchor)).collect();
    json!({ "linkset": linkset })
}

/// Every tool in a few words.
fn tools() -> Vec<Value> {
    let brief = |tool: &mcp::Tool| {
        json!({
            "name": tool.name, "title": tool.shown["title"], "description": tool.shown["description"],
            "annotations": tool.shown["annotations"], "scope": tool.shown["_meta"]["pharos/scope"],
        })
    };
    mcp::tools().iter().map(brief).collect()
}

fn authentication(urls: &Urls) -> Value {
    json!({
        "type": "api_key", "in": "header", "name": "x-api-key", "header": "x-api-key",
        "documentationUrl": format!("{}/docs", urls.docs),
        "protectedResourceMetadataUrl": metadata(urls),
        "scopes": scopes(),
    })
}

fn card_document(urls: &Urls) -> Value {
    json!({
        "name": "pharos", "description": DESCRIPTION, "version": env!("CARGO_PKG_VERSION"),
        "serverUrl": endpoint(urls),
        "transports": [{ "type": "streamable-http", "url": endpoint(urls) }],
        "authentication": authentication(urls),
        "tools": tools(), "resources": mcp::resources(), "prompts": mcp::prompts(),
    })
}

async fn card(request: HttpRequest, shared: web::Data<Shared>) -> HttpResponse {
    json_document(&request, &shared, "/.well-known/mcp", card_document)
}

fn manifest_document(urls: &Urls) -> Value {
    let url = endpoint(urls);
    json!({
        "schema_version": "1.0", "name": "pharos", "display_name": "pharos", "description": DESCRIPTION,
        "homepage_url": urls.base, "documentation_url": format!("{}/docs", urls.docs),
        "manifest_url": format!("{}/.well-known/mcp.json", urls.base),
        "openapi_url": format!("{}/openapi.json", urls.base),
        "api_reference_url": format!("{}/docs", urls.docs),
        "provider": { "name": "pharos", "url": urls.base },
        "server": { "url": url, "protocol": "mcp", "transport": "streamable-http" },
        "transports": [{ "type": "streamable-http", "url": url }],
        "authentication": authentication(urls),
        "capabilities": { "tools": true, "resources": true, "prompts": true },
        "tools": tools(), "resources": mcp::resources(), "prompts": mcp::prompts(),
        "client_config": { "mcpServers": { "pharos": {
            "type": "http", "url": url, "headers": { "x-api-key": "<API_KEY>" },
        } } },
        "related_urls": {
            "llms": format!("{}/llms.txt", urls.base),
            "api_catalog": format!("{}/.well-known/api-catalog", urls.base),
        },
    })
}

async fn manifest(request: HttpRequest, shared: web::Data<Shared>) -> HttpResponse {
    json_document(
        &request,
        &shared,
        "/.well-known/mcp.json",
        manifest_document,
    )
}

fn agent_document(urls: &Urls) -> Value {
    let skill = |prompt: &Value| json!({ "id": prompt["name"], "name": prompt["title"], "description": prompt["description"], "tags": ["analytics"] });
    let skills: Vec<Value> = mcp::prompts().iter().map(skill).collect();
    json!({
        "name": "pharos", "description": DESCRIPTION, "version": env!("CARGO_PKG_VERSION"),
        "url": endpoint(urls), "preferredTransport": "MCP",
        "provider": { "organization": "pharos", "url": urls.base },
        "documentationUrl": format!("{}/docs", urls.docs),
        "defaultInputModes": ["application/json"], "defaultOutputModes": ["application/json"],
        "capabilities": { "streaming": false, "pushNotifications": false },
        "securitySchemes": { "apiKey": { "type": "apiKey", "in": "header", "name": "x-api-key" } },
        "security": [{ "apiKey": [] }],
        "skills": skills,
    })
}

async fn agent(request: HttpRequest, shared: web::Data<Shared>) -> HttpResponse {
    json_document(&request, &shared, "/.well-known/agent.json", agent_document)
}

fn overview(urls: &Urls) -> String {
    let (base, docs) = (&urls.base, &urls.docs);
    let mut page = format!(
        "# pharos\n\n> {DESCRIPTION}\n\n{KEYS}\n\n## Interfaces\n\n\
         - [MCP]({}): tools for agents, streamable HTTP without sessions\n\
         - [OpenAPI]({base}/openapi.json): every call as a document\n\
         - [Reference]({docs}/docs): the same as a page, with guides\n\
         - [Query types]({base}/v1/query/types?include_meta=true): what can be asked of analytics\n\
         - [API catalog]({base}/.well-known/api-catalog), [server card]({base}/.well-known/mcp/server-card.json), \
         [credentials]({})\n\
         - Events go to {}, short links are at {}\n\n## Tools of the MCP endpoint\n\n",
        endpoint(urls),
        metadata(urls),
        urls.track,
        urls.links,
    );
    for tool in mcp::tools() {
        let description = tool.shown["description"].as_str().unwrap_or_default();
        page.extend(["- `", &tool.name, "`: ", description, "\n"]);
    }
    page
}

async fn llms(request: HttpRequest, shared: web::Data<Shared>) -> HttpResponse {
    let path = ("/llms.txt", "text/markdown; charset=utf-8");
    document(&request, &shared, path, overview)
}
