//! Schemas without a Rust type: the ways to authenticate and the styles of errors.

use serde_json::{Map, Value, json};

use super::{
    errors::{ingestion_error, rest_error},
    flags,
    parts::text,
    queries,
};
use crate::http::{Urls, auth::session_cookie, health, oauth, scim, track};

pub(super) fn security(urls: &Urls) -> Value {
    json!({
        "apiKey": { "type": "apiKey", "in": "header", "name": "x-api-key" },
        "bearer": { "type": "http", "scheme": "bearer" },
        "session": { "type": "apiKey", "in": "cookie", "name": session_cookie(urls.is_https()) },
    })
}

/// The schemas that are the same in every build.
pub(super) fn fixed() -> Map<String, Value> {
    let mut schemas = Map::new();
    let mut put = |name: &str, schema: Value| schemas.insert(name.to_owned(), schema);
    put("RpcError", rpc_error());
    put("EnvelopeMeta", envelope_meta());
    put("RestError", rest_error());
    put("IngestionError", ingestion_error());
    put("JsonRpcError", json_rpc_error());
    put("OAuthError", oauth::error_schema());
    put("ScimError", scim::error_schema());
    put("Readiness", health::readiness());
    put("ServicesStatus", health::services_status());
    put("CompatibilityError", track::protocols::error_schema());
    queries::put(&mut schemas);
    flags::put(&mut schemas);
    schemas
}

fn rpc_error() -> Value {
    let issue = json!({
        "type": "object", "required": ["code", "path", "message"],
        "properties": {
            "code": text(), "path": { "type": "array", "items": { "type": ["string", "integer"] } }, "message": text(),
        },
    });
    json!({
        "type": "object", "required": ["defined", "code", "status", "message"],
        "properties": {
            "defined": { "type": "boolean" }, "code": text(), "status": { "type": "integer" },
            "message": text(),
            "data": {
                "type": "object", "description": "More about it, by code.",
                "properties": {
                    "issues": { "type": "array", "items": issue, "description": "What is wrong with the input, place by place" },
                    "limit": { "type": "integer" }, "current": { "type": "integer" }, "nextPlan": text(),
                    "feature": text(), "requiredPlan": text(), "resourceType": text(), "resourceId": text(),
                    "retryAfter": { "type": "integer", "minimum": 1, "description": "Seconds" },
                },
            },
        },
    })
}

/// What an envelope says about its values, which JSON has no types for.
fn envelope_meta() -> Value {
    json!({
        "type": "array",
        "description": "Values that stand for something else: `[type, …path]`. 0: a whole number as text; 1: a date; 2: not a \
            number; 3: undefined; 4: a URL; 5: a pattern; 6: a set; 7: a map as a list of pairs. Answers name their dates.",
        "items": { "type": "array", "minItems": 1, "items": { "type": ["string", "integer"] } },
    })
}

/// A failure of JSON-RPC 2.0.
fn json_rpc_error() -> Value {
    json!({
        "type": "object", "required": ["jsonrpc", "id", "error"],
        "properties": {
            "jsonrpc": { "const": "2.0" }, "id": { "type": ["string", "integer", "null"] },
            "error": {
                "type": "object", "required": ["code", "message"],
                "properties": { "code": { "type": "integer" }, "message": { "type": "string" }, "data": {} },
            },
        },
    })
}
