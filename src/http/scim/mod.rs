//! SCIM 2.0 for identity providers (RFC 7643, RFC 7644), under `/scim/v2`.
//!
//! | module | |
//! |---|---|
//! | [`caller`] | who shows a token; nothing else opens these paths, and a token opens nothing else |
//! | [`discovery`] | what is supported, and what resources look like |
//! | [`resource`](mod@resource) | one resource: create, read, replace, change, delete |
//! | [`users`], [`groups`] | their routes, and what is particular to each |
//! | [`search`] | many resources: filters, pages |
//! | [`resources`] | resources as they are answered |
//! | [`answer`] | the media type, versions, and failures in the protocol's words |
//! | [`unsupported`] | what is answered 501 |
//!
//! What the requests do is in [`crate::actors::organizations`]; filters and patches are in [`crate::scim`].

mod answer;
mod body;
mod caller;
mod discovery;
mod groups;
mod resource;
mod resources;
mod search;
mod unsupported;
mod users;

pub(super) use answer::error_schema;
pub(super) use caller::{authenticate, owns};

use serde_json::{Value, json};

use super::{
    Host, Shared,
    routes::{Access, Route},
};
use crate::scim::schemas::MEDIA;

/// The root of the protocol on `{base_url}`.
pub(super) const ROOT: &str = "/scim/v2";

/// The address of the protocol, for identity providers.
pub(super) fn address(shared: &Shared) -> String {
    format!("{}{ROOT}", shared.urls.base)
}

pub(super) fn routes() -> Vec<Route> {
    [
        discovery::routes(),
        // `.search` is no ID.
        search::routes(),
        users::routes(),
        groups::routes(),
        unsupported::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A route for identity providers.
fn route(
    method: actix_web::http::Method,
    path: &'static str,
    service: impl Fn(actix_web::Route) -> actix_web::Route + 'static,
) -> Route {
    Route::new(method, Host::Base, path, service)
        .needs(Access::Scim)
        .media(MEDIA)
        .answers(object())
        .tagged("Organizations")
}

/// The same for one resource, of which the client may want some attributes.
fn resource(
    method: actix_web::http::Method,
    path: &'static str,
    service: impl Fn(actix_web::Route) -> actix_web::Route + 'static,
) -> Route {
    projected(route(method, path, service))
}

fn projected(route: Route) -> Route {
    route
        .takes("attributes", "The attributes to answer, comma-separated")
        .takes(
            "excludedAttributes",
            "Attributes to leave out, comma-separated",
        )
}

/// The schema of what a client sends.
fn sent() -> Value {
    json!({ "type": "object", "additionalProperties": {} })
}

/// The schema of a resource or message, which `/Schemas` describes.
fn object() -> Value {
    json!({ "type": "object", "required": ["schemas"], "additionalProperties": {} })
}
