//! What the ingestion routes take and answer, for the OpenAPI document.

use serde_json::{Value, json};

pub(super) fn array(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

pub(super) fn track() -> Value {
    let event = event(
        &["name"],
        &json!({
            "name": { "type": "string", "minLength": 1, "maxLength": 256 },
            "properties": {
                "type": ["object", "null"], "maxProperties": 50, "additionalProperties": {},
                "description": "At most 50 keys and 32 KB as compact JSON",
            },
            "eventId": text(512),
            "path": text(2048),
            "anonymousId": text(256),
            "profileId": text(256),
            "anonymizeVisitorIds": anonymize(),
            "sessionId": text(256),
            "timestamp": {
                "type": ["number", "string", "null"],
                "description": "Unix milliseconds (as a number or its digits), an ISO 8601 time or a date; from 2000-01-01 to an hour from now; default: time of receipt",
            },
            "namespace": text(64),
            "source": text(64),
            "websiteId": text(256),
        }),
    );
    json!({ "anyOf": [event, { "type": "array", "items": event }] })
}

/// A page event or an outgoing link.
pub(super) fn page() -> Value {
    json!({ "anyOf": [view(), link()] })
}

fn view() -> Value {
    let size = json!({ "type": ["string", "null"], "description": "`WxH`, both 240 to 10000" });
    let mut view = event(
        &["eventId", "name", "path"],
        &json!({
            "type": { "enum": ["track", null] },
            "name": { "type": "string", "minLength": 1, "maxLength": 128 },
            "path": { "type": "string", "maxLength": 2048, "description": "The page's full http(s) URL" },
            "referrer": text(2048),
            "title": text(512),
            "screen_resolution": size,
            "viewport_size": size,
            "language": text(64),
            "timezone": text(64),
            "time_on_page": number(86_400),
            "scroll_depth": number(100),
            "interaction_count": number(10_000),
            "page_count": number(1_000),
            "utm_source": text(128),
            "utm_medium": text(128),
            "utm_campaign": text(128),
            "utm_term": text(128),
            "utm_content": text(128),
            "load_time": number(60_000),
            "dom_ready_time": number(60_000),
            "ttfb": number(60_000),
            "render_time": number(60_000),
        }),
    );
    for name in [
        "gclid",
        "msclkid",
        "fbclid",
        "ttclid",
        "twclid",
        "li_fat_id",
    ] {
        view["properties"][name] = json!({ "description": "Id of a click on an advertisement" });
    }
    page_event(view)
}

fn link() -> Value {
    page_event(event(
        &["type", "eventId", "href"],
        &json!({
            "type": { "const": "outgoing_link" },
            "href": { "type": "string", "minLength": 1, "maxLength": 2048 },
            "text": text(2048),
            "path": { "description": "The page it was on; ignored when it is no URL" },
        }),
    ))
}

/// Adds what all events of pages have.
fn page_event(mut event: Value) -> Value {
    for (name, schema) in [
        ("eventId", json!({ "type": "string", "maxLength": 512 })),
        ("anonymousId", text(256)),
        ("sessionId", text(256)),
        ("profileId", text(256)),
        ("anonymizeVisitorIds", anonymize()),
        (
            "timestamp",
            json!({ "type": ["number", "null"], "description": "Unix milliseconds" }),
        ),
        (
            "properties",
            json!({ "type": ["object", "null"], "maxProperties": 50, "additionalProperties": {} }),
        ),
    ] {
        event["properties"][name] = schema;
    }
    event
}

pub(super) fn agent() -> Value {
    event(
        &["path", "userAgent"],
        &json!({
            "websiteId": text(256),
            "path": { "type": "string", "maxLength": 2048, "description": "Path or URL of the page" },
            "userAgent": { "type": "string", "minLength": 1, "maxLength": 512 },
            "host": text(253),
            "referrer": text(2048),
            "timestamp": { "type": ["number", "string", "null"], "description": "Default: time of receipt" },
            "eventId": text(512),
            "ip": { "description": "Not looked at" },
        }),
    )
}

pub(super) fn vital() -> Value {
    event(
        &["timestamp", "path", "metricName", "metricValue"],
        &json!({
            "timestamp": { "type": "number", "description": "Unix milliseconds" },
            "path": { "type": "string", "maxLength": 2048 },
            "metricName": { "enum": ["FCP", "LCP", "CLS", "INP", "TTFB", "FPS"] },
            "metricValue": { "type": "number" },
            "eventId": text(512),
            "anonymousId": text(256),
            "anonymizeVisitorIds": anonymize(),
            "sessionId": text(256),
        }),
    )
}

pub(super) fn error() -> Value {
    event(
        &["timestamp", "path", "message"],
        &json!({
            "timestamp": { "type": "number", "description": "Unix milliseconds" },
            "path": { "type": "string", "maxLength": 2048 },
            "message": { "type": "string", "description": "Cut to 2048 characters" },
            "filename": { "type": ["string", "null"], "description": "Cut to 512 characters" },
            "lineno": { "description": "A number from 0 to 4294967295; anything else is left out" },
            "colno": { "description": "A number from 0 to 4294967295; anything else is left out" },
            "stack": { "type": ["string", "null"], "description": "Cut to 4096 characters" },
            "errorType": { "description": "A string, cut to 128 characters; `Error` for anything else" },
            "eventId": text(512),
            "anonymousId": text(256),
            "anonymizeVisitorIds": anonymize(),
            "sessionId": text(256),
        }),
    )
}

pub(super) fn engagement() -> Value {
    let mut properties = json!({
        "timestamp": { "type": "number", "description": "Unix milliseconds" },
        "path": { "type": "string", "maxLength": 2048 },
        "exitType": { "enum": ["navigation", "spa", "hidden", "unload"] },
        "timeOnPage": { "type": "number", "minimum": 0, "maximum": 604_800, "description": "Seconds" },
        "activeTime": { "type": "number", "minimum": 0, "maximum": 604_800, "description": "Seconds" },
        "maxScrollDepth": { "type": "number", "minimum": 0, "maximum": 100, "description": "Percent" },
        "timeToFirstInteraction": number(86_400_000),
        "rageClickTarget": text(64),
        "deadClickTarget": text(64),
        "lastFormField": text(64),
        "eventId": text(512),
        "anonymousId": text(256),
        "anonymizeVisitorIds": anonymize(),
        "sessionId": text(256),
    });
    let counts = [
        "pageIndex",
        "scrollCount",
        "clickCount",
        "keyCount",
        "interactionCount",
        "copyCount",
        "rageClickCount",
        "deadClickCount",
        "formFieldCount",
        "formSubmitCount",
        "errorCount",
    ];
    for count in counts {
        properties[count] = json!({ "type": "number", "minimum": 0, "maximum": 65_535 });
    }
    let mut required = vec![
        "timestamp",
        "path",
        "exitType",
        "timeOnPage",
        "activeTime",
        "maxScrollDepth",
    ];
    required.extend(counts);
    event(&required, &properties)
}

pub(super) fn legacy() -> Value {
    event(
        &["timestamp", "path", "eventName"],
        &json!({
            "timestamp": { "type": "number", "description": "Unix milliseconds" },
            "path": { "type": "string", "maxLength": 2048 },
            "eventName": { "type": "string", "minLength": 1, "maxLength": 256 },
            "properties": {
                "type": ["object", "null"], "maxProperties": 50, "additionalProperties": {},
                "description": "At most 50 keys and 32 KB as compact JSON",
            },
            "eventId": text(512),
            "anonymousId": text(256),
            "anonymizeVisitorIds": anonymize(),
            "sessionId": text(256),
        }),
    )
}

pub(super) fn calls() -> Value {
    let cut = |most: u32| json!({ "type": ["string", "null"], "description": format!("Cut to {most} characters") });
    let call = event(
        &["tool", "durationMs"],
        &json!({
            "tool": { "type": "string", "minLength": 1, "description": "Cut to 256 characters" },
            "durationMs": { "type": "number", "minimum": 0, "maximum": u32::MAX },
            "outputChars": number(u32::MAX),
            "error": {
                "type": ["string", "null"],
                "description": "What went wrong; a call that has it has failed. Codes and JSON around the sentence are taken off, and it is cut to 512 characters",
            },
            "errorCode": cut(64),
            "sessionId": text(256),
            "clientName": cut(128),
            "clientVersion": cut(64),
            "serverName": cut(128),
            "serverVersion": cut(64),
            "userAgent": cut(512),
            "environment": cut(32),
            "timestamp": {
                "type": ["number", "null"],
                "description": "Unix milliseconds, from 2000-01-01 to an hour from now; default: time of receipt",
            },
            "websiteId": text(256),
            "eventId": text(512),
        }),
    );
    json!({ "type": "array", "minItems": 1, "items": call })
}

pub(super) fn accepted() -> Value {
    object(
        &["status", "count"],
        &json!({ "status": { "const": "success" }, "count": { "type": "number" } }),
    )
}

pub(super) fn identify() -> Value {
    event(
        &["profileId"],
        &json!({
            "profileId": { "type": "string", "minLength": 1, "maxLength": 256, "description": "Your own id of the person" },
            "anonymousId": { "type": ["string", "null"], "maxLength": 256, "description": "The tracker's id of the browser" },
            "anonymizeVisitorIds": {
                "enum": [true, false, "auto", null],
                "description": "How the browser's events were sent. `true` keeps the id's unsalted hash from being stored",
            },
            "traits": {
                "type": ["object", "null"], "maxProperties": 50,
                "additionalProperties": { "type": ["string", "number", "boolean", "null"] },
                "description": "At most 50 keys and 2048 characters as compact JSON; null deletes a trait. `email` is kept \
                    encrypted; `username`, else `name`, is how the person is shown",
            },
            "websiteId": { "type": ["string", "null"], "maxLength": 256, "description": "Required with a key" },
        }),
    )
}

pub(super) fn identified() -> Value {
    or_ignored(&object(
        &["status", "type"],
        &json!({ "status": { "const": "success" }, "type": { "const": "identify" } }),
    ))
}

pub(super) fn counted(kind: &str) -> Value {
    or_ignored(&object(
        &["status", "type", "count"],
        &json!({ "status": { "const": "success" }, "type": { "const": kind }, "count": { "type": "number" } }),
    ))
}

pub(super) fn stored() -> Value {
    or_ignored(&object(
        &["status", "type"],
        &json!({ "status": { "const": "success" }, "type": { "enum": ["track", "outgoing_link"] } }),
    ))
}

pub(super) fn batch() -> Value {
    let result = object(
        &["status"],
        &json!({
            "status": { "enum": ["success", "error"] },
            "type": { "type": "string" },
            "message": { "type": "string" },
            "eventType": { "type": "string" },
            "error": { "type": "string" },
            "errors": array(&object(
                &["code", "field", "message"],
                &json!({ "code": { "type": "string" }, "field": { "type": "string" }, "message": { "type": "string" } }),
            )),
            "eventId": { "type": "string" },
        }),
    );
    or_ignored(&object(
        &["status", "batch", "processed", "batched", "results"],
        &json!({
            "status": { "const": "success" },
            "batch": { "const": true },
            "processed": { "type": "number" },
            "batched": object(
                &["track", "outgoing_link"],
                &json!({ "track": { "type": "number" }, "outgoing_link": { "type": "number" } }),
            ),
            "results": array(&result),
        }),
    ))
}

/// What a self-declared bot is answered.
fn or_ignored(answer: &Value) -> Value {
    let ignored = object(&["status"], &json!({ "status": { "const": "ignored" } }));
    json!({ "anyOf": [answer, ignored] })
}

/// What is sent; further members are ignored.
fn event(required: &[&str], properties: &Value) -> Value {
    let mut event = object(required, properties);
    event["additionalProperties"] = json!({});
    event
}

fn object(required: &[&str], properties: &Value) -> Value {
    json!({ "type": "object", "required": required, "properties": properties })
}

fn text(most: u32) -> Value {
    json!({ "type": ["string", "null"], "maxLength": most })
}

fn number(most: u32) -> Value {
    json!({ "type": ["number", "null"], "minimum": 0, "maximum": most })
}

fn anonymize() -> Value {
    json!({ "enum": [true, false, "auto", null], "description": "`auto`: everywhere but in the United States" })
}
