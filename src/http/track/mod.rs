//! `{track_url}`: the ingestion routes.
//!
//! Order of checks: body size → key → limits → right to store → encoding → rules of the body. Of a body alone
//! that names its website, the encoding comes first, and a failure of it says that no website is named. Everything of one
//! request is stored by one append, all of it or nothing. Cookies mean nothing here. Beside them, the [`script`] that
//! pages load.

mod agents;
mod authorize;
mod body;
mod calls;
mod custom;
mod identify;
mod large_bodies;
pub(super) mod ledger;
mod named;
mod origin;
mod pages;
mod pixel;
pub(super) mod protocols;
mod quota;
mod refusal_context;
mod schema;
mod script;
mod spans;
mod store;

pub use body::unpack;
pub(super) use body::unpack_request;
pub(super) use pixel::shield;

use actix_web::{
    HttpRequest, HttpResponse,
    http::Method,
    web::{Data, Payload},
};
use serde_json::json;

pub(super) use script::also_at;

use self::authorize::Sender;
use super::{
    Host, Shared,
    auth::Caller,
    health,
    routes::{Access, Route},
};
use crate::{
    access::Scope,
    events::accept::{engagement, error, legacy, vital},
    fault::Fault,
};

/// The routes, without health.
pub(super) fn routes() -> Vec<Route> {
    let mut routes = ingestion();
    routes.extend(script::routes());
    routes
}

/// Whether something else than the tracker script is served at this path.
pub fn is_taken(path: &str) -> bool {
    let mut others = health::routes(Host::Track);
    others.extend(ingestion());
    others
        .iter()
        .any(|route| route.path == path || route.aliases.contains(&path))
}

fn ingestion() -> Vec<Route> {
    let mut routes = server_routes();
    routes.extend(page_routes());
    routes.push(identify_routes());
    routes.extend(protocols::routes());
    routes
}

fn post(path: &'static str, service: fn(actix_web::Route) -> actix_web::Route) -> Route {
    Route::new(Method::POST, Host::Track, path, service).needs(Access::Ingest)
}

/// Receives the body for a handler, which is given the website that the request names beside it as well.
fn receive(
    route: actix_web::Route,
    handle: impl AsyncFn(&Sender<'_>, Option<&str>) -> Result<HttpResponse, Fault> + Copy + 'static,
) -> actix_web::Route {
    route.to(
        move |request: HttpRequest, caller: Caller, shared: Data<Shared>, payload: Payload| async move {
            let sender = Sender::new(&shared, &request, &caller);
            let named = sender.receive(payload).await?;
            handle(&sender, named.as_deref()).await
        },
    )
}

/// What servers call, with a key; `/track` is called by pages too.
fn server_routes() -> Vec<Route> {
    vec![
        named(post("/track", |route| receive(route, custom::track)))
            .says(
                "Track custom events",
                "Stores one custom event or an array of them, all or none. Success means that they are durable.",
            )
            .body(schema::track())
            .answers(schema::counted("custom_event")),
        named(post("/mcp", |route| receive(route, calls::calls)))
            .needs(Access::Keyed(Scope::TrackEvents))
            .says(
                "Report tool calls",
                "Stores an array of tool calls that your own MCP server has answered, all or none. Texts that are too \
                 long are cut; ids may have 256 characters. A `timestamp` lies between the year 2000 and an hour from \
                 now; without one, the time of receipt counts.",
            )
            .body(schema::calls())
            .answers(schema::accepted())
            .accepted(),
        named(post("/ai-traffic", |route| receive(route, agents::accept_report)))
            .says(
                "Report a request of an AI agent",
                "Stores one page that a crawler or agent of artificial intelligence fetched from your server, by its \
                 user agent. 202 without a body when it is stored, 204 when the user agent names no agent that the \
                 website keeps. Send every request: only agents that name themselves are kept, no addresses are.",
            )
            .body(schema::agent())
            .empty()
            .accepted()
            .or(204),
    ]
}

/// What the tracker script calls, with the public client id.
fn page_routes() -> Vec<Route> {
    vec![
        named(post("/", |route| receive(route, pages::accept_one)))
            .says("Track a page event", "Stores one page event or outbound link, as the tracker script sends it.")
            .body(schema::page())
            .answers(schema::stored()),
        named(post("/batch", |route| receive(route, pages::batch)))
            .says(
                "Track page events",
                "Stores an array of page events and outbound links. Each is accepted or refused separately: `results` says which \
                 were refused and why.",
            )
            .body(schema::array(&schema::page()))
            .answers(schema::batch()),
        named(post("/vitals", |route| receive(route, async |sender, named| {
            spans::take(sender, named, vital::accept, "web_vitals").await
        })))
            .says("Track web vitals", "Stores an array of web vitals, all or none.")
            .body(schema::array(&schema::vital()))
            .answers(schema::counted("web_vitals")),
        named(post("/errors", |route| receive(route, async |sender, named| {
            spans::take(sender, named, error::accept, "error").await
        })))
            .says("Track JavaScript errors", "Stores an array of errors, all or none.")
            .body(schema::array(&schema::error()))
            .answers(schema::counted("error")),
        named(post("/engagement", |route| receive(route, async |sender, named| {
            spans::take(sender, named, engagement::accept, "engagement").await
        })))
            .says("Track engagement", "Stores an array of engagement spans, one per page view that ended, all or none.")
            .body(schema::array(&schema::engagement()))
            .answers(schema::counted("engagement")),
        named(post("/events", |route| receive(route, async |sender, named| {
            spans::take(sender, named, legacy::accept, "custom_event").await
        })))
            .says("Track custom events (older form)", "Stores an array of custom events of one website, all or none.")
            .body(schema::array(&schema::legacy()))
            .answers(schema::counted("custom_event")),
        named(Route::new(Method::GET, Host::Track, pixel::PATH, |route| route.to(pixel::pixel)))
            .needs(Access::Ingest)
            .says(
                "Track by image",
                "Stores the event in the query string. The answer is always the same transparent image, whatever \
                 became of the event.",
            )
            .takes_as(
                "type",
                "Kind of the event",
                json!({ "enum": ["track", "outgoing_link", "web_vitals", "error"], "default": "track" }),
            )
            .takes_as(
                "fields",
                "Fields of the event, each by its own name",
                json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            )
            .media("image/gif")
            .always(),
    ]
}

/// Routes that identify people.
fn identify_routes() -> Route {
    named(post("/identify", |route| receive(route, identify::identify)))
        .says(
            "Identify a visitor",
            "Makes or changes a profile, and attaches the earlier anonymous events of the visitor to it: those that \
             carry the same stored id, which are the day's for salted ids and all of them for raw ones. Calls with a \
             key for several websites name one. At most 60 calls a minute per client id and address, 600 per key.",
        )
        .body(schema::identify())
        .answers(schema::identified())
}

fn named(route: Route) -> Route {
    route
        .takes(
            "website_id",
            "Public client id of the website, where the body names none",
        )
        .takes(
            "client_id",
            "The same as `website_id`; the header `databuddy-client-id` says it as well",
        )
}
