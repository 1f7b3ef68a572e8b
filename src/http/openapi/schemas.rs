//! Schemas that no Rust type stands for: the three error styles and the analytics bodies.

use serde_json::{Map, Value, json};

use crate::http::{Urls, auth::session_cookie};

/// Ways to authenticate.
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
    put("RestError", rest_error());
    put("IngestionError", ingestion_error());
    put("OfrepError", ofrep_error());
    put("JsonRpcError", json_rpc_error());
    put("QueryBody", query_body());
    put("QueryFilter", query_filter());
    put("QueryParameter", query_parameter());
    put("QueryResult", query_result());
    put("CompiledQuery", compiled_query());
    put("BatchResult", batch_result());
    schemas
}

fn rpc_error() -> Value {
    json!({
        "type": "object", "required": ["defined", "code", "status", "message"],
        "properties": {
            "defined": { "type": "boolean" }, "code": { "type": "string" }, "status": { "type": "integer" },
            "message": { "type": "string" }, "data": { "type": "object" },
        },
    })
}

fn rest_error() -> Value {
    json!({
        "type": "object", "required": ["success", "error", "code", "requestId"],
        "properties": {
            "success": { "const": false }, "error": { "type": "string" }, "code": { "type": "string" },
            "requestId": { "type": "string" },
            "details": { "type": "array", "items": {
                "type": "object", "required": ["field", "message"],
                "properties": {
                    "field": { "type": "string" }, "message": { "type": "string" }, "suggestion": { "type": "string" },
                },
            } },
            "limit": { "type": "integer" }, "remaining": { "type": "integer" },
            "reset": { "type": "integer", "description": "Unix milliseconds" },
            "retryAfter": { "type": "integer", "description": "Seconds" },
        },
    })
}

fn ingestion_error() -> Value {
    json!({
        "type": "object",
        "required": ["success", "status", "error", "message", "code", "retryable", "requestId"],
        "properties": {
            "success": { "const": false }, "status": { "const": "error" }, "error": { "type": "string" },
            "message": { "type": "string" }, "code": { "type": "string" }, "retryable": { "type": "boolean" },
            "requestId": { "type": "string" },
            "errors": { "type": "array", "items": {
                "type": "object",
                "properties": {
                    "code": { "type": "string" }, "field": { "type": "string" }, "message": { "type": "string" },
                },
            } },
        },
    })
}

/// `OpenFeature`'s remote evaluation protocol.
fn ofrep_error() -> Value {
    json!({
        "type": "object", "required": ["errorCode"],
        "properties": {
            "key": { "type": "string" }, "errorCode": { "type": "string" }, "errorDetails": { "type": "string" },
        },
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

fn query_body() -> Value {
    json!({
        "type": "object", "required": ["parameters"],
        "properties": {
            "parameters": {
                "type": "array", "minItems": 1, "maxItems": 100,
                "items": { "anyOf": [
                    { "$ref": "#/components/schemas/QueryTypeName" },
                    { "$ref": "#/components/schemas/QueryParameter" },
                ] },
            },
            "startDate": { "type": "string", "description": "`YYYY-MM-DD`; required without `preset`" },
            "endDate": { "type": "string", "description": "`YYYY-MM-DD`; required without `preset`" },
            "preset": { "type": "string", "enum": [
                "today", "yesterday", "last_7d", "last_14d", "last_30d", "last_90d", "this_week", "last_week",
                "this_month", "last_month", "this_year",
            ] },
            "id": { "type": "string", "description": "Echoed as `queryId`" },
            "limit": { "type": "integer", "minimum": 1, "maximum": 10_000, "default": 100 },
            "page": { "type": "integer", "minimum": 1, "default": 1 },
            "filters": { "type": "array", "items": { "$ref": "#/components/schemas/QueryFilter" } },
            "granularity": { "type": "string", "enum": ["hourly", "daily", "hour", "day"], "default": "daily" },
            "sortBy": { "type": "string" },
            "sortOrder": { "type": "string", "enum": ["asc", "desc"] },
            "timeZone": { "type": "string", "default": "UTC" },
            "groupBy": { "anyOf": [
                { "type": "string" }, { "type": "array", "maxItems": 3, "items": { "type": "string" } },
            ] },
        },
    })
}

fn query_filter() -> Value {
    let scalar = json!({ "type": ["string", "number", "boolean"] });
    json!({
        "type": "object", "required": ["field", "op", "value"],
        "properties": {
            "field": { "type": "string" },
            "op": { "type": "string", "enum": ["eq", "ne", "contains", "not_contains", "starts_with", "in", "not_in"] },
            "value": { "anyOf": [scalar, { "type": "array", "maxItems": 1_000, "items": scalar }] },
        },
    })
}

fn query_parameter() -> Value {
    json!({
        "type": "object", "required": ["name"],
        "properties": {
            "name": { "$ref": "#/components/schemas/QueryTypeName" },
            "start_date": { "type": "string" }, "end_date": { "type": "string" },
            "granularity": { "type": "string" }, "id": { "type": "string" },
        },
    })
}

fn query_result() -> Value {
    json!({
        "type": "object", "required": ["success", "queryId", "data", "meta"],
        "properties": {
            "success": { "type": "boolean" }, "queryId": { "type": "string" }, "requestId": { "type": "string" },
            "data": { "type": "array", "items": {
                "type": "object", "required": ["parameter", "success", "data"],
                "properties": {
                    "parameter": { "type": "string" }, "success": { "type": "boolean" },
                    "data": { "type": "array", "items": { "type": "object" } }, "error": { "type": "string" },
                },
            } },
            "meta": {
                "type": "object",
                "properties": {
                    "parameters": { "type": "array" }, "total_parameters": { "type": "integer" },
                    "page": { "type": "integer" }, "limit": { "type": "integer" },
                    "filters_applied": { "type": "integer" },
                    "damaged_segments": {
                        "type": "array", "items": { "type": "string" },
                        "description": "Event files that may hold further rows of this answer and are damaged; absent when there is none.",
                    },
                },
            },
        },
    })
}

fn compiled_query() -> Value {
    let names = json!({ "type": "array", "items": { "type": "string" } });
    json!({
        "type": "object", "required": ["parameter", "type", "sql", "params", "columns", "filters", "range"],
        "properties": {
            "parameter": { "type": "string" }, "type": { "$ref": "#/components/schemas/QueryTypeName" },
            "sql": { "type": "string" }, "params": { "type": "object" }, "columns": names,
            "filtersApplied": { "type": "integer" }, "ignoredFilters": names, "ignoredGroupBy": names,
            "filters": { "type": "array", "items": {
                "type": "object",
                "properties": {
                    "field": { "type": "string" }, "op": { "type": "string" }, "applied": { "type": "boolean" },
                },
            } },
            "range": { "type": "object" },
            "reads": {
                "type": "object", "description": "At most what would be read; not for callers without credentials.",
                "properties": {
                    "segments": { "type": "array", "items": {
                        "type": "object",
                        "properties": {
                            "file": { "type": "string" }, "rows": { "type": "integer" }, "damaged": { "type": "boolean" },
                        },
                    } },
                    "skippedSegments": { "type": "integer" }, "segmentRows": { "type": "integer" },
                    "tailRows": { "type": "integer" }, "rows": { "type": "integer" },
                },
            },
        },
    })
}

fn batch_result() -> Value {
    json!({
        "type": "object", "required": ["success", "batch", "results"],
        "properties": {
            "success": { "type": "boolean" }, "batch": { "const": true }, "requestId": { "type": "string" },
            "results": { "type": "array", "items": { "$ref": "#/components/schemas/QueryResult" } },
        },
    })
}
