//! Public evaluation of flags: `/public/v1/flags/*` and the Open Feature Remote Evaluation Protocol.
//!
//! Answers are made of the published view and the request, and of nothing else: no database, no mailbox. A client that knows the
//! public id of a website or organization may ask; none learns rules, lists of people or other environments.

mod etag;
mod manage;
mod native;
mod ofrep;
pub(super) mod protocols;
mod request;
mod stream;

pub(super) use manage::beside;

use actix_web::http::Method;
use serde_json::{Value, json};

use super::{
    Host,
    routes::{Access, ErrorFormat, Route},
    schema::schema,
};
use crate::{access::Scope, actors::flags::FlagFields};

const TAG: &str = "Flags";

/// Every route of flags that is no procedure.
pub(super) fn routes() -> Vec<Route> {
    let mut routes = vec![health(), evaluate(), bulk(), bulk_of_body(), definitions()];
    routes.extend(changing());
    routes.extend(ofrep::routes());
    routes.extend(protocols::routes(Host::Base));
    routes
}

fn public(
    method: Method,
    path: &'static str,
    service: fn(actix_web::Route) -> actix_web::Route,
) -> Route {
    Route::new(method, Host::Base, path, service).tagged(TAG)
}

fn health() -> Route {
    public(Method::GET, "/public/v1/flags/health", |route| {
        route.to(native::health)
    })
    .says("Health of feature flags", "Always the same.")
    .answers(json!({
        "type": "object", "required": ["service", "status", "version"],
        "properties": {
            "service": { "const": "flags" }, "status": { "const": "ok" }, "version": { "type": "string" },
        },
    }))
}

/// Adds what says who asks.
fn asking(route: Route) -> Route {
    route
        .wants("clientId", "Id of a website or of an organization.")
        .takes("userId", "The caller's id of the person.")
        .takes("email", "The person's address.")
        .takes("organizationId", "The person's organization.")
        .takes("teamId", "The person's team.")
        .takes("properties", "Everything else, as a JSON object.")
        .takes(
            "environment",
            "Only flags of this environment; by default those of none.",
        )
}

fn evaluate() -> Route {
    let route = public(Method::GET, "/public/v1/flags/evaluate", |route| {
        route.to(native::evaluate)
    })
    .says(
        "Evaluate a flag",
        "A flag's value for a user. A flag that doesn't exist, or isn't active, is off with `FLAG_NOT_FOUND`.",
    )
    .wants("key", "The flag's key.");
    asking(route)
        .answers(refer("FlagResult"))
        .error_format(ErrorFormat::As("FlagResult"))
}

fn bulk() -> Route {
    let route = public(Method::GET, "/public/v1/flags/bulk", |route| {
        route.to(native::bulk)
    })
    .says(
        "Evaluate flags",
        "The values of all active flags for a user, or of the flags in `keys`.",
    )
    .takes("keys", "Keys, divided by commas; at most 100.");
    asking(route)
        .answers(refer("FlagResults"))
        .error_format(ErrorFormat::As("FlagResults"))
}

fn bulk_of_body() -> Route {
    public(Method::POST, "/public/v1/flags/bulk", |route| {
        route.to(native::bulk_of_body)
    })
    .says("Evaluate flags", "The same, asked by a JSON body.")
    .body(schema::<native::BulkBody>())
    .answers(refer("FlagResults"))
    .error_format(ErrorFormat::As("FlagResults"))
}

fn definitions() -> Route {
    public(Method::GET, manage::DEFINITIONS, |route| {
        route.to(manage::definitions)
    })
    .says(
        "List flag definitions",
        "Active flags with their rules, for servers that evaluate them by themselves.",
    )
    .needs(Access::Scoped(Scope::ManageFlags))
    .wants("clientId", "Id of a website or of an organization.")
    .takes(
        "environment",
        "Only flags of this environment; by default those of none.",
    )
    .error_format(ErrorFormat::As("FlagDefinitionsError"))
    .answers(json!({
        "type": "object", "required": ["flags", "count"],
        "properties": {
            "flags": { "type": "array", "items": refer("FlagDefinition") },
            "count": { "type": "integer" },
        },
    }))
}

fn changing() -> Vec<Route> {
    let shown = || {
        json!({
            "type": "object", "required": ["flag"],
            "properties": { "flag": refer("FlagBrief") },
        })
    };
    let scoped = || Access::Scoped(Scope::ManageFlags);
    let one = "/public/v1/flags/{id}";
    vec![
        public(Method::POST, "/public/v1/flags", |route| {
            route.to(manage::create)
        })
        .also("/public/v1/flags/")
        .says("Create a flag", "Fields as in `/flags/create`.")
        .needs(scoped())
        .body(fields(&["clientId", "key"]))
        .answers(shown()),
        public(Method::PATCH, one, |route| route.to(manage::update))
            .says(
                "Change a flag",
                "`description`, `defaultValue`, `variants` and `status`.",
            )
            .needs(scoped())
            .body(fields(&["clientId"]))
            .answers(shown()),
        public(Method::DELETE, one, |route| route.to(manage::delete))
            .says(
                "Delete a flag",
                "Its key can be used again, which brings it back.",
            )
            .needs(scoped())
            .wants("clientId", "Id of a website or of an organization.")
            .answers(json!({
                "type": "object", "required": ["success"], "properties": { "success": { "const": true } },
            })),
    ]
}

/// What is said of a flag, and of whose.
fn fields(required: &[&str]) -> Value {
    let mut schema = schema::<FlagFields>();
    schema["required"] = json!(required);
    schema["properties"]["clientId"] =
        json!({ "type": "string", "description": "Id of a website or of an organization." });
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("default");
    }
    schema
}

fn refer(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}
