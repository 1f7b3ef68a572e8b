//! `{track_url}`: the ingestion routes (spec, "Event ingestion"; wire.md part 1).
//!
//! Order of checks: body size → key → limits → body → who may store for whom → rules of the body. Everything of one
//! request is stored by one append, all of it or nothing. Cookies mean nothing here.

mod authorize;
mod body;
mod custom;
pub(super) mod ledger;
mod origin;
mod pages;
mod schema;
mod spans;
mod store;

use std::sync::Arc;

use actix_web::{
    http::Method,
    web::{self, ServiceConfig},
};

use super::{
    Host, Shared, health, layers,
    routes::{self, Access, Route},
};

/// Everything on `{track_url}`.
pub fn configure(config: &mut ServiceConfig, shared: &Arc<Shared>) {
    let scope = web::scope("").configure(|config| {
        let mut all = health::routes(Host::Track);
        all.extend(routes());
        routes::register(config, &all);
    });
    config.service(layers(scope, shared, Host::Track));
}

/// The routes, without health.
pub(super) fn routes() -> Vec<Route> {
    let post =
        |path, service| Route::new(Method::POST, Host::Track, path, service).needs(Access::Ingest);
    vec![
        post("/track", |route| route.to(custom::track))
            .says(
                "Track custom events",
                "Stores one custom event or an array of them, all or none. Success means that they are durable.",
            )
            .takes("website_id", "Public client id of the website, where the events name none")
            .body(schema::track())
            .answers(schema::counted("custom_event")),
        named(post("/", |route| route.to(pages::one)))
            .says("Track a page event", "Stores one page event or outgoing link, as the tracker script sends it.")
            .body(schema::page())
            .answers(schema::stored()),
        named(post("/batch", |route| route.to(pages::batch)))
            .says(
                "Track page events",
                "Stores an array of page events and outgoing links. Each stands for itself: `results` says which were \
                 refused and why.",
            )
            .body(schema::array(&schema::page()))
            .answers(schema::batch()),
        named(post("/vitals", |route| route.to(spans::vitals)))
            .says("Track web vitals", "Stores an array of web vitals, all or none.")
            .body(schema::array(&schema::vital()))
            .answers(schema::counted("web_vitals")),
        named(post("/errors", |route| route.to(spans::errors)))
            .says("Track JavaScript errors", "Stores an array of errors, all or none.")
            .body(schema::array(&schema::error()))
            .answers(schema::counted("error")),
    ]
}

fn named(route: Route) -> Route {
    route.takes(
        "client_id",
        "Public client id of the website; the header `databuddy-client-id` says it as well",
    )
}
