//! Schemas of flags as public clients ask for them: ours, and those of `OpenFeature`'s remote evaluation protocol.

use serde_json::{Map, Value, json};

use super::errors::{ingestion_error, rest_error};

/// What evaluation and servers do not need of a flag.
const UNSAID: [&str; 5] = [
    "userId",
    "createdBy",
    "websiteId",
    "organizationId",
    "deletedAt",
];
/// What changing a flag answers.
const BRIEF: [&str; 9] = [
    "id",
    "key",
    "description",
    "type",
    "status",
    "defaultValue",
    "variants",
    "createdAt",
    "updatedAt",
];

pub(super) fn put(schemas: &mut Map<String, Value>) {
    for (name, schema) in [
        ("FlagResults", results()),
        ("FlagDefinitionsError", no_definitions()),
        ("OfrepError", ofrep_error()),
        ("OfrepFlag", ofrep_flag()),
        ("OfrepFlags", ofrep_flags()),
    ] {
        schemas.insert(name.to_owned(), schema);
    }
}

/// Adds parts of `Flag`, which is made from its type.
pub(super) fn put_parts(schemas: &mut Map<String, Value>) {
    let Some(flag) = schemas.get("Flag").cloned() else {
        return;
    };
    schemas.insert(
        "FlagDefinition".to_owned(),
        keep(flag.clone(), |name| !UNSAID.contains(&name)),
    );
    schemas.insert(
        "FlagBrief".to_owned(),
        keep(flag, |name| BRIEF.contains(&name)),
    );
}

/// The schema with some of its members.
fn keep(mut schema: Value, is_kept: impl Fn(&str) -> bool) -> Value {
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.retain(|name, _| is_kept(name));
    }
    if let Some(required) = schema["required"].as_array_mut() {
        required.retain(|name| name.as_str().is_some_and(&is_kept));
    }
    schema
}

fn results() -> Value {
    json!({
        "type": "object", "required": ["flags", "count"],
        "properties": {
            "flags": {
                "type": "object", "additionalProperties": { "$ref": "#/components/schemas/FlagResult" },
            },
            "count": { "type": "integer" },
            "reason": { "type": "string", "description": "Why there are none, when the request was refused" },
        },
    })
}

/// A refusal in the style of either host, beside which clients look for the list of flags.
fn no_definitions() -> Value {
    let either = [rest_error(), ingestion_error()].map(|mut schema| {
        if let Some(required) = schema["required"].as_array_mut() {
            required.push(json!("flags"));
        }
        schema["properties"]["flags"] = json!({ "type": "array", "maxItems": 0 });
        schema
    });
    json!({ "anyOf": either })
}

fn ofrep_error() -> Value {
    json!({
        "type": "object", "required": ["errorCode"],
        "properties": {
            "key": { "type": "string" }, "errorCode": { "type": "string" }, "errorDetails": { "type": "string" },
        },
    })
}

fn ofrep_flag() -> Value {
    json!({
        "type": "object", "required": ["key", "value", "reason", "variant", "metadata"],
        "properties": {
            "key": { "type": "string" }, "value": {}, "reason": { "type": "string" },
            "variant": { "type": "string" },
            "metadata": {
                "type": "object", "required": ["reason"],
                "properties": { "reason": { "type": "string", "description": "Our own reason" } },
                "additionalProperties": { "type": ["string", "number", "boolean"] },
            },
        },
    })
}

fn ofrep_flags() -> Value {
    let stream = json!({
        "type": "object", "required": ["type", "endpoint", "inactivityDelaySec"],
        "properties": {
            "type": { "const": "sse" },
            "endpoint": {
                "type": "object", "required": ["requestUri"],
                "properties": { "requestUri": { "type": "string" } },
            },
            "inactivityDelaySec": { "type": "integer" },
        },
    });
    json!({
        "type": "object", "required": ["flags", "eventStreams"],
        "properties": {
            "flags": { "type": "array", "items": { "anyOf": [
                { "$ref": "#/components/schemas/OfrepFlag" }, { "$ref": "#/components/schemas/OfrepError" },
            ] } },
            "eventStreams": { "type": "array", "items": stream },
        },
    })
}
