//! Schemas of the analytics family.

use serde_json::{Map, Value, json};

use crate::analytics::request::{
    MAX_FILTERS, MAX_GROUPS, MAX_LIMIT, MAX_PARAMETERS, MAX_VALUES, Op,
};

pub(super) fn put(schemas: &mut Map<String, Value>) {
    for (name, schema) in [
        ("QueryBody", body()),
        ("LowLevelQuery", low_level()),
        ("QueryFilter", filter()),
        ("QueryParameter", parameter()),
        ("QueryResult", result()),
        (
            "BatchResult",
            batch(&[refer("QueryAnswer"), refer("FailedQuery")]),
        ),
        ("QueryAnswer", answer()),
        ("FailedQuery", failed()),
        ("QueryRows", rows()),
        ("QueryMeta", meta()),
        ("CompileResult", compile_result()),
        (
            "CompileBatchResult",
            batch(&[refer("CompiledQueries"), refer("FailedQuery")]),
        ),
        ("CompiledQueries", compiled_queries()),
        ("CompiledQuery", compiled_query()),
        ("QueryTypeConfig", type_config()),
    ] {
        schemas.insert(name.to_owned(), schema);
    }
}

fn refer(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn nullable(kind: &str) -> Value {
    json!({ "type": [kind, "null"] })
}

fn names() -> Value {
    json!({ "type": "array", "items": text() })
}

fn described(mut schema: Value, description: &str) -> Value {
    schema["description"] = json!(description);
    schema
}

fn granularity() -> Value {
    json!({ "enum": ["hourly", "daily", "hour", "day", null], "description": "Width of buckets; at most 30 days by the hour. Default: daily" })
}

/// What a query says beside what is asked; every member may be null, which is as if it were not there.
fn body() -> Value {
    json!({
        "type": "object", "required": ["parameters"],
        "anyOf": [{ "required": ["preset"] }, { "required": ["startDate", "endDate"] }],
        "properties": {
            "parameters": {
                "type": "array", "minItems": 1, "maxItems": MAX_PARAMETERS,
                "items": { "anyOf": [refer("QueryTypeName"), refer("QueryParameter")] },
            },
            "startDate": described(nullable("string"), "`YYYY-MM-DD`, perhaps with a time; required without `preset`"),
            "endDate": described(nullable("string"), "`YYYY-MM-DD`, perhaps with a time; required without `preset`"),
            "preset": { "enum": [
                "today", "yesterday", "last_7d", "last_14d", "last_30d", "last_90d", "this_week", "last_week",
                "this_month", "last_month", "this_year", null,
            ] },
            "id": described(nullable("string"), "Echoed as `queryId`"),
            "limit": { "type": ["integer", "null"], "minimum": 1, "maximum": MAX_LIMIT, "description": "Rows of each parameter. Default: the `defaultLimit` of its type, 100 for most" },
            "page": { "type": ["integer", "null"], "minimum": 1, "description": "Default: 1" },
            "offset": { "type": ["integer", "null"], "minimum": 0, "description": "Rows to skip, instead of `page`" },
            "filters": { "type": ["array", "null"], "maxItems": MAX_FILTERS, "items": refer("QueryFilter") },
            "segments": {
                "type": ["array", "null"], "maxItems": 10, "items": text(),
                "description": "Ids of saved segments of the website, whose filters hold as well",
            },
            "granularity": granularity(),
            "sortBy": described(nullable("string"), "A column of one of the types, or a field that is grouped by"),
            "sortOrder": { "type": ["string", "null"], "pattern": "^([aA][sS][cC]|[dD][eE][sS][cC])$", "description": "`asc` or `desc`" },
            "timeZone": described(nullable("string"), "Name of a time zone, unless the query string has one. Default: UTC"),
            "timezone": described(nullable("string"), "The same as `timeZone`"),
            "groupBy": { "anyOf": [
                nullable("string"), { "type": "array", "maxItems": MAX_GROUPS, "items": text() },
            ] },
        },
    })
}

/// The older shape of one statement, which is compiled only.
fn low_level() -> Value {
    let mut schema = json!({
        "type": "object", "required": ["type", "from", "to"], "description": "The low-level shape of one statement.",
        "properties": {
            "projectId": described(nullable("string"), "The website, where the query string names no target"),
            "type": refer("QueryTypeName"),
            "from": described(text(), "First day"), "to": described(text(), "Last day"),
            "timeUnit": {
                "enum": ["hourly", "daily", "hour", "day", "minute", "week", "month", null],
                "description": "Width of buckets. Default: daily",
            },
            "orderBy": described(nullable("string"), "A column, perhaps with `asc` or `desc` behind it"),
        },
    });
    let ordinary = body();
    for (name, of) in [
        ("filters", "filters"),
        ("segments", "segments"),
        ("groupBy", "groupBy"),
        ("limit", "limit"),
        ("offset", "offset"),
        ("timezone", "timezone"),
    ] {
        schema["properties"][name] = ordinary["properties"][of].clone();
    }
    schema
}

fn filter() -> Value {
    let operators = Op::ALL.map(|(name, _)| name);
    let value = json!({ "type": ["string", "number", "boolean"] });
    let op = json!({ "type": "string", "enum": operators });
    json!({
        "type": "object", "required": ["field", "value"],
        "anyOf": [{ "required": ["op"] }, { "required": ["operator"] }],
        "properties": {
            "field": described(text(), "A field of the type's `allowedFilters`, or `trait:` and the name of a trait"),
            "op": op, "operator": described(op, "The same as `op`"),
            "value": { "anyOf": [value, { "type": "array", "minItems": 1, "maxItems": MAX_VALUES, "items": value }] },
        },
    })
}

fn parameter() -> Value {
    let date = |name: &str| {
        described(
            nullable("string"),
            &format!("{name} of this parameter alone"),
        )
    };
    json!({
        "type": "object", "required": ["name"],
        "properties": {
            "name": refer("QueryTypeName"),
            "start_date": date("First day"), "end_date": date("Last day"),
            "startDate": date("First day"), "endDate": date("Last day"),
            "granularity": granularity(),
            "id": described(nullable("string"), "Answered as `parameter`"),
        },
    })
}

/// What became of one parameter.
fn rows() -> Value {
    json!({
        "type": "object", "required": ["parameter", "success", "data"],
        "properties": {
            "parameter": described(text(), "The parameter's `id`, else its type"),
            "success": { "type": "boolean" },
            "data": {
                "type": "array", "items": { "type": "object", "additionalProperties": {} },
                "description": "Rows, with the columns that the type's `outputFields` names",
            },
            "error": described(text(), "Why there are no rows"),
            "ignoredFilters": described(names(), "Filters that the type has no field for"),
            "ignoredGroupBy": described(names(), "Fields of `groupBy` that the type does not have"),
        },
    })
}

fn meta() -> Value {
    json!({
        "type": "object", "required": ["parameters", "total_parameters", "page", "limit", "filters_applied"],
        "properties": {
            "parameters": described(json!({ "type": "array", "items": {} }), "As they were sent"),
            "total_parameters": { "type": "integer" },
            "page": { "type": "integer" }, "limit": { "type": "integer" },
            "filters_applied": { "type": "integer" },
            "accuracy": { "const": "exact", "description": "Nothing is sampled" },
            "error_bound": { "const": 0 },
            "complete": described(json!({ "type": "boolean" }), "Whether no row is missing"),
            "damaged_segments": described(
                names(),
                "Event files that may hold further rows of this answer and are damaged; absent when there is none.",
            ),
        },
    })
}

fn answer() -> Value {
    json!({
        "type": "object", "required": ["queryId", "data", "meta"],
        "properties": {
            "queryId": text(),
            "data": { "type": "array", "items": refer("QueryRows") },
            "meta": refer("QueryMeta"),
        },
    })
}

/// The answer to a single body.
fn result() -> Value {
    let mut result = answer();
    result["required"] = json!(["success", "queryId", "data", "meta"]);
    result["properties"]["success"] = described(
        json!({ "const": true }),
        "The request was valid; each parameter says whether it succeeded",
    );
    result["properties"]["requestId"] = text();
    result
}

/// A member of a batch that was refused.
fn failed() -> Value {
    let detail = json!({
        "type": "object", "required": ["code", "field", "message"],
        "properties": { "code": text(), "field": text(), "message": text(), "suggestion": text() },
    });
    json!({
        "type": "object", "required": ["queryId", "success", "error", "code", "data", "meta"],
        "properties": {
            "queryId": text(), "success": { "const": false }, "error": text(), "code": text(),
            "details": { "type": "array", "items": detail, "description": "What is wrong with it, place by place" },
            "data": { "type": "array", "maxItems": 0 },
            "meta": refer("QueryMeta"),
        },
    })
}

fn batch(members: &[Value]) -> Value {
    json!({
        "type": "object", "required": ["success", "batch", "results"],
        "properties": {
            "success": { "const": true }, "batch": { "const": true }, "requestId": text(),
            "results": {
                "type": "array", "items": { "anyOf": members }, "description": "One for each body, in their order",
            },
        },
    })
}

/// The first statement at the top, and all of them.
fn compiled_queries() -> Value {
    let mut schema = compiled_query();
    schema["properties"]["queryId"] = text();
    schema["properties"]["statements"] = json!({
        "type": "array", "items": refer("CompiledQuery"), "description": "One for each parameter; the first is also at the top",
    });
    schema["required"] = json!(["queryId", "statements"]);
    schema
}

fn compile_result() -> Value {
    let mut schema = compiled_queries();
    schema["properties"]["success"] = json!({ "const": true });
    schema["properties"]["requestId"] = text();
    schema["required"] = json!(["success", "queryId", "statements"]);
    schema
}

fn compiled_query() -> Value {
    json!({
        "type": "object",
        "required": [
            "parameter", "type", "sql", "params", "columns", "filtersApplied", "filters", "ignoredFilters", "ignoredGroupBy",
            "range",
        ],
        "properties": {
            "parameter": text(), "type": refer("QueryTypeName"),
            "sql": described(text(), "The statement"),
            "params": {
                "type": "object", "additionalProperties": { "type": ["string", "number"] },
                "description": "Its values, `p1`, `p2`, … in the order of its `?`",
            },
            "columns": names(), "filtersApplied": { "type": "integer" },
            "ignoredFilters": names(), "ignoredGroupBy": names(),
            "filters": { "type": "array", "items": {
                "type": "object", "required": ["field", "op", "applied"],
                "properties": { "field": text(), "op": nullable("string"), "applied": { "type": "boolean" } },
            } },
            "range": {
                "type": "object", "required": ["from", "to", "timezone", "granularity"],
                "properties": {
                    "from": { "type": "string", "format": "date-time" }, "to": { "type": "string", "format": "date-time" },
                    "timezone": text(), "granularity": { "enum": ["hourly", "daily", "minute", "week", "month"] },
                },
            },
            "reads": reads(),
        },
    })
}

fn reads() -> Value {
    let segment = json!({
        "type": "object", "required": ["file", "rows", "damaged"],
        "properties": { "file": text(), "rows": { "type": "integer" }, "damaged": { "type": "boolean" } },
    });
    json!({
        "type": "object", "description": "At most what would be read; not for callers without credentials.",
        "required": ["segments", "skippedSegments", "segmentRows", "tailRows", "rows"],
        "properties": {
            "segments": { "type": "array", "items": segment },
            "skippedSegments": { "type": "integer" }, "segmentRows": { "type": "integer" },
            "tailRows": { "type": "integer" }, "rows": { "type": "integer" },
        },
    })
}

fn type_config() -> Value {
    let field = json!({
        "type": "object", "required": ["name", "type", "label"],
        "properties": { "name": text(), "type": text(), "label": text(), "unit": text() },
    });
    let strings = [
        "title",
        "description",
        "category",
        "default_visualization",
        "version",
    ];
    let mut meta = json!({
        "type": "object", "description": "With `include_meta=true`.",
        "required": [
            "title", "description", "category", "tags", "outputFields", "output_fields", "default_visualization",
            "supports_granularity", "version",
        ],
        "properties": {
            "tags": names(), "outputFields": names(), "output_fields": { "type": "array", "items": field },
            "supports_granularity": names(),
        },
    });
    for name in strings {
        meta["properties"][name] = text();
    }
    json!({
        "type": "object", "required": ["allowedFilters", "customizable", "defaultLimit", "publicAccess"],
        "properties": {
            "allowedFilters": names(), "customizable": { "type": "boolean" },
            "defaultLimit": { "type": "integer", "description": "Rows when the request names no limit" },
            "publicAccess": { "type": "boolean", "description": "Whether anyone can run it on public websites" },
            "meta": meta,
        },
    })
}
