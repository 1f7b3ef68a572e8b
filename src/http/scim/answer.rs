//! Answers in the protocol's media type.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{CONTENT_TYPE, ETAG, HeaderMap, IF_MATCH, LOCATION},
    },
};
use serde_json::{Map, Value, json};

use crate::{
    actors::organizations::OrganizationError,
    fault::{self, Classify as _, Fault},
    http::document,
    scim::{
        Kind, Projection,
        schemas::{self, MEDIA},
    },
};

/// A message of the protocol.
pub(super) fn message(status: StatusCode, body: &Value) -> HttpResponse {
    let mut response = HttpResponse::build(status);
    response.insert_header((CONTENT_TYPE, MEDIA)).json(body)
}

/// A failure that is none of ours.
pub(super) fn failure(status: StatusCode, detail: &str) -> HttpResponse {
    message(status, &schemas::error(status.as_u16(), None, detail))
}

/// A resource with its version, unless the caller has it.
pub(super) fn resource(
    request: &HttpRequest,
    status: StatusCode,
    (kind, mut fields): (Kind, Map<String, Value>),
    projection: &Projection,
) -> HttpResponse {
    let tag = version(&fields).to_owned();
    let plain = tag.strip_prefix("W/").unwrap_or(&tag);
    if status == StatusCode::OK && document::is_known(request.headers(), plain) {
        return HttpResponse::NotModified()
            .insert_header((ETAG, tag))
            .finish();
    }
    let mut response = HttpResponse::build(status);
    response
        .insert_header((CONTENT_TYPE, MEDIA))
        .insert_header((ETAG, tag));
    if status == StatusCode::CREATED {
        response.insert_header((LOCATION, meta(&fields, "location")));
    }
    projection.apply(kind, &mut fields);
    response.json(fields)
}

pub(super) fn version(fields: &Map<String, Value>) -> &str {
    meta(fields, "version")
}

fn meta<'a>(fields: &'a Map<String, Value>, name: &str) -> &'a str {
    let value = fields.get("meta").and_then(|meta| meta.get(name));
    value.and_then(Value::as_str).unwrap_or_default()
}

/// Whether the caller wants to change another version than this one.
pub(super) fn is_outdated(headers: &HeaderMap, version: &str) -> bool {
    let given = headers
        .get_all(IF_MATCH)
        .filter_map(|value| value.to_str().ok());
    let mut tags = given
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .peekable();
    tags.peek().is_some() && !tags.any(|tag| tag == "*" || tag == version)
}

pub(super) fn outdated() -> HttpResponse {
    let detail = "The resource has another version. Read it again and repeat the change.";
    failure(StatusCode::PRECONDITION_FAILED, detail)
}

/// What a refused change means here.
pub(super) fn refused(error: OrganizationError) -> Fault {
    match error {
        OrganizationError::LastOwner => {
            let kind = fault::Kind::Conflict {
                resource: "member",
                id: None,
            };
            Fault::new(kind, error.to_string())
        }
        error => error.classify(),
    }
}

/// The schema of a failure.
pub(in crate::http) fn error_schema() -> Value {
    json!({
        "type": "object", "required": ["schemas", "status"],
        "properties": {
            "schemas": { "type": "array", "items": { "const": schemas::ERROR } },
            "status": { "type": "string", "description": "The HTTP status" },
            "scimType": { "type": "string", "description": "A keyword of RFC 7644, such as `uniqueness`" },
            "detail": { "type": "string", "description": "What is wrong, and what to do" },
        },
    })
}
