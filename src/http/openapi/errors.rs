//! Bodies of failures.

use serde_json::{Value, json};

use super::parts::text;

/// Failures of most routes.
pub(super) fn rest_error() -> Value {
    let mut error = json!({
        "type": "object", "required": ["success", "error", "code", "requestId"],
        "properties": {
            "success": { "const": false }, "error": text(), "code": text(), "requestId": text(),
            "details": { "type": "array", "items": {
                "type": "object", "required": ["field", "message"],
                "properties": { "field": text(), "message": text(), "suggestion": text() },
            } },
            "current": { "type": "integer", "description": "What is used of `limit`" },
            "nextPlan": text(), "feature": text(), "requiredPlan": text(),
        },
    });
    put_window(&mut error);
    error
}

/// Failures of ingestion.
pub(super) fn ingestion_error() -> Value {
    let mut error = json!({
        "type": "object",
        "required": ["success", "status", "error", "message", "code", "retryable", "requestId"],
        "properties": {
            "success": { "const": false }, "status": { "const": "error" }, "error": text(),
            "message": text(), "code": text(), "retryable": { "type": "boolean" }, "requestId": text(),
            "why": { "type": "string", "description": "The cause, in a sentence" },
            "fix": { "type": "string", "description": "What to do, in a sentence" },
            "errors": { "type": "array", "items": {
                "type": "object", "required": ["code", "field", "message"],
                "properties": { "code": text(), "field": text(), "message": text() },
            } },
        },
    });
    put_window(&mut error);
    error
}

/// The members that a full window adds.
fn put_window(error: &mut Value) {
    let members = [
        ("limit", "Limit of the window, or of the plan"),
        ("remaining", "Requests left in the window"),
        (
            "reset",
            "Unix milliseconds at which one more request is admitted",
        ),
        ("retryAfter", "Seconds to wait"),
    ];
    for (name, description) in members {
        error["properties"][name] = json!({ "type": "integer", "description": description });
    }
}
