//! The OpenAPI document, assembled from the procedures, the query types and the declared routes.
//!
//! Nothing is described twice: schemas of procedures come from their types, query types from the catalogue, routes
//! from the same values that serve them.

mod operations;
mod schemas;

use schemars::{SchemaGenerator, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::{Map, Value, json};

use super::{Host, Urls, layers::Styles, procedures, tables};
use crate::analytics;

/// The groups of the reference, by the spec's exact names.
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
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    let settings = settings.with_transform(RecursiveTransform(absent_by_default));
    let mut generator = settings.into_generator();
    let paths = paths(urls, &mut generator);
    let mut components = schemas::fixed();
    for (name, schema) in generator.take_definitions(true) {
        components.insert(name, schema);
    }
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
        "components": { "securitySchemes": schemas::security(urls), "schemas": components },
        "x-query-types": query_types(),
    })
}

/// What may be left out is absent by default, rather than a null that its type does not have.
pub(in crate::http) fn absent_by_default(schema: &mut schemars::Schema) {
    let nullable = match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "null"),
        Some(kind) => kind == "null",
    };
    if !nullable && schema.get("default") == Some(&Value::Null) {
        schema.remove("default");
    }
}

fn paths(urls: &Urls, generator: &mut SchemaGenerator) -> Map<String, Value> {
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
    let [base, track, links] = [Host::Base, Host::Track, Host::Links].map(Styles::of);
    for route in tables() {
        let (styles, server) = match route.host {
            Host::Base => (&base, None),
            Host::Track => (&track, Some(urls.track.as_str())),
            Host::Links => (&links, Some(urls.links.as_str())),
        };
        let method = route.method.as_str().to_ascii_lowercase();
        let operation = operations::route(&route, styles.wire(route.path));
        put(plain(route.path), &method, operation, server);
    }
    for procedure in procedures::all() {
        let (input, output) = (
            (procedure.input)(generator).into(),
            (procedure.output)(generator).into(),
        );
        let rpc = operations::procedure(&procedure, "rpc.", &input, &output);
        let path = format!("/rpc/{}/{}", procedure.router, procedure.name);
        if procedure.reads {
            let get = operations::asked(rpc.clone(), &procedure, &input);
            put(path.clone(), "get", get, None);
        }
        put(path, "post", rpc, None);
        let path = format!("/{}/{}", procedure.group, procedure.name);
        put(
            path,
            "post",
            operations::procedure(&procedure, "", &input, &output),
            None,
        );
    }
    paths
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
