//! The OpenAPI document, assembled from the procedures, the query types and the declared routes.
//!
//! Nothing is described twice: schemas of procedures come from their types, query types from the catalogue, routes
//! from the same values that serve them.

mod errors;
mod flags;
mod operations;
mod parts;
mod queries;
mod schemas;

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use self::operations::Shapes;
use super::{Host, Urls, layers::Styles, procedures, schema::schema_settings, tables};
use crate::analytics;

/// The groups of the reference, by the exact names that clients generate from.
pub const TAGS: [&str; 15] = [
    "Alarms",
    "Annotations",
    "API Keys",
    "Autocomplete",
    "Feedback",
    "Flags",
    "Funnels",
    "Goals",
    "Links",
    "Organizations",
    "Preferences",
    "StatusPage",
    "Target Groups",
    "Uptime",
    "Websites",
];

const DESCRIPTION: &str = "Web analytics, event ingestion, short links, monitors, status pages, flags and alarms. \
    Authenticate with an API key in `x-api-key` (or `Authorization: Bearer`) or with a browser session.";

/// The document that the server publishes and `pharos openapi` prints.
pub fn document(urls: &Urls) -> Value {
    let mut settings = schema_settings();
    settings.definitions_path = "/components/schemas".into();
    let mut generator = settings.into_generator();
    let mut responses = Map::new();
    let paths = paths(urls, &mut generator, &mut responses);
    let mut components = schemas::fixed();
    for (name, schema) in generator.take_definitions(true) {
        components.insert(name, schema);
    }
    flags::put_parts(&mut components);
    components.insert("QueryTypeName".into(), query_type_names());
    json!({
        "openapi": "3.1.1",
        "info": {
            "title": "pharos", "version": "1.0.0", "description": DESCRIPTION,
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": urls.base }],
        "tags": TAGS.map(|name| json!({ "name": name })),
        "security": operations::any_caller(),
        "paths": paths,
        "components": {
            "securitySchemes": schemas::security(urls), "schemas": components, "responses": responses,
        },
        "x-query-types": query_types(),
    })
}

fn paths(
    urls: &Urls,
    generator: &mut SchemaGenerator,
    responses: &mut Map<String, Value>,
) -> Map<String, Value> {
    let mut paths = Map::new();
    let mut put = |path: String, method: &str, mut operation: Value, server: Option<&str>| {
        let shared = paths.contains_key(&path);
        let item = paths.entry(path).or_insert_with(|| json!({}));
        if let Some(url) = server {
            // A path that more than one host has says it per operation.
            let place = if shared { &mut operation } else { &mut *item };
            place["servers"] = json!([{ "url": url }]);
        }
        item[method] = operation;
    };
    let [base, track, links] = [Host::Base, Host::Track, Host::Links].map(Styles::for_host);
    for route in tables() {
        let (styles, server) = match route.host {
            Host::Base => (&base, None),
            Host::Track => (&track, Some(urls.track.as_str())),
            Host::Links => (&links, Some(urls.links.as_str())),
        };
        let method = route.method.as_str().to_ascii_lowercase();
        let operation = operations::route(&route, styles.wire(route.path), responses);
        put(plain(route.path), &method, operation, server);
    }
    for procedure in procedures::all() {
        let input: Value = (procedure.input)(generator).into();
        let is_optional = is_optional(generator, &input);
        let output = (procedure.output)(generator).into();
        let shapes = Shapes::plain(input, is_optional, output);
        let path = format!("/{}/{}", procedure.group, procedure.name);
        let plain = operations::procedure(&procedure, "", &shapes, responses);
        let shapes = shapes.or_enveloped();
        let rpc = operations::procedure(&procedure, "rpc.", &shapes, responses);
        let rpc_path = format!("/rpc/{}/{}", procedure.router, procedure.name);
        if procedure.reads {
            let get = operations::as_get(rpc.clone(), &procedure, &shapes);
            put(rpc_path.clone(), "get", get, None);
        }
        put(rpc_path, "post", rpc, None);
        put(path, "post", plain, None);
    }
    paths
}

/// Whether an empty object, which means no input at all, is one.
fn is_optional(generator: &SchemaGenerator, input: &Value) -> bool {
    let name = input["$ref"]
        .as_str()
        .and_then(|path| path.rsplit('/').next());
    let named = name.and_then(|name| generator.definitions().get(name));
    let schema = named.unwrap_or(input);
    !["required", "minProperties", "anyOf", "oneOf", "allOf"]
        .iter()
        .any(|rule| schema.get(*rule).is_some())
}

/// A path without the patterns of its parameters (`{tail:.*}`).
fn plain(path: &str) -> String {
    let mut plain = String::new();
    let mut pattern = false;
    for character in path.chars() {
        match character {
            ':' => pattern = true,
            '}' => {
                pattern = false;
                plain.push('}');
            }
            _ if pattern => {}
            other => plain.push(other),
        }
    }
    plain
}

fn query_types() -> Value {
    analytics::types(true)
        .get_mut("configs")
        .map(Value::take)
        .unwrap_or_default()
}

fn query_type_names() -> Value {
    let names = analytics::types(false)
        .get_mut("types")
        .map(Value::take)
        .unwrap_or_default();
    json!({ "type": "string", "description": "Name of a query type.", "enum": names })
}

#[cfg(test)]
mod tests;
