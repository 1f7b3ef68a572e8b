//! The bodies of the three styles.

use actix_web::http::StatusCode;
use serde_json::{Map, Value, json};

use super::{Wire, remedy};
use crate::{
    fault::{Fault, Issue, Kind, Window},
    http::edge::RequestId,
    scim::schemas,
};

impl Wire {
    pub(super) fn body(
        self,
        fault: &Fault,
        status: StatusCode,
        code: &'static str,
        id: &RequestId,
        enveloped: bool,
    ) -> Value {
        match self {
            Self::Rpc if enveloped => json!({ "json": typed(fault, status, code) }),
            Self::Rpc => typed(fault, status, code),
            // Pages are written elsewhere.
            Self::Rest | Self::Page => rest(fault, fault.code.unwrap_or(code), id),
            Self::Scim => scim(fault, status),
            Self::Track => track(fault, status, fault.code.unwrap_or(code), id),
        }
    }
}

/// A failure of RFC 7644, section 3.12.
fn scim(fault: &Fault, status: StatusCode) -> Value {
    let usual = match fault.kind {
        Kind::Invalid { .. } => Some("invalidValue"),
        _ => None,
    };
    let keyword = fault.code.or(usual);
    schemas::error(status.as_u16(), keyword, &fault.message)
}

/// Style A. `defined` says that code, message and data are those of its table.
fn typed(fault: &Fault, status: StatusCode, code: &'static str) -> Value {
    let mut message: &str = &fault.message;
    let mut defined = true;
    let mut data = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            data.insert(name.to_owned(), value);
        }
    };
    match &fault.kind {
        Kind::Invalid { issues } if !issues.is_empty() => {
            defined = false;
            message = "Input validation failed";
            put("issues", issues.iter().map(typed_issue).collect());
        }
        Kind::PlanLimitExceeded {
            limit,
            current,
            next_plan,
        } => {
            put("limit", json!(limit));
            put("current", json!(current));
            put("nextPlan", json!(next_plan));
        }
        Kind::FeatureUnavailable {
            feature,
            required_plan,
        } => {
            put("feature", json!(feature));
            put("requiredPlan", json!(required_plan));
        }
        Kind::NotFound { resource, id } | Kind::Conflict { resource, id } => {
            put("resourceType", json!(resource));
            put("resourceId", json!(id));
        }
        Kind::RateLimited(window) => put("retryAfter", json!(window.retry_after)),
        Kind::Unavailable { retry_after } => {
            defined = false;
            put("retryAfter", json!(retry_after.as_secs().max(1)));
        }
        Kind::MethodNotAllowed | Kind::TooLarge | Kind::UnsupportedEncoding => defined = false,
        Kind::Invalid { .. } | Kind::Unauthenticated | Kind::Forbidden | Kind::Internal => {}
    }
    let mut body =
        json!({ "defined": defined, "code": code, "status": status.as_u16(), "message": message });
    if !data.is_empty() {
        body["data"] = Value::Object(data);
    }
    body
}

fn typed_issue(issue: &Issue) -> Value {
    json!({ "code": issue.code, "path": path(&issue.field), "message": sentence(issue) })
}

/// A dotted path with its places in lists, such as `tags[0]`, as a list of names and numbers.
fn path(field: &str) -> Value {
    let steps = field.split(['.', '[', ']']).filter(|step| !step.is_empty());
    let step = |step: &str| {
        step.parse::<u32>()
            .map_or_else(|_| json!(step), |place| json!(place))
    };
    steps.map(step).collect()
}

/// Style B.
fn rest(fault: &Fault, code: &str, id: &RequestId) -> Value {
    let mut body =
        json!({ "success": false, "error": fault.message, "code": code, "requestId": id.as_str() });
    match &fault.kind {
        Kind::RateLimited(window) => put_window(&mut body, window),
        Kind::Invalid { issues } if fault.code.is_none() || !issues.is_empty() => {
            body["details"] = match issues.as_slice() {
                [] => json!([{ "field": "", "message": fault.message }]),
                issues => issues.iter().map(rest_issue).collect(),
            };
        }
        Kind::PlanLimitExceeded {
            limit,
            current,
            next_plan,
        } => {
            body["limit"] = json!(limit);
            body["current"] = json!(current);
            if next_plan.is_some() {
                body["nextPlan"] = json!(next_plan);
            }
        }
        Kind::FeatureUnavailable {
            feature,
            required_plan,
        } => {
            body["feature"] = json!(feature);
            if required_plan.is_some() {
                body["requiredPlan"] = json!(required_plan);
            }
        }
        _ => {}
    }
    body
}

fn rest_issue(issue: &Issue) -> Value {
    let mut detail = json!({ "field": issue.field, "message": issue.message });
    if let Some(suggestion) = &issue.suggestion {
        detail["suggestion"] = json!(suggestion);
    }
    detail
}

/// Ingestion errors. Their messages are the table's; what is wrong exactly is in `errors`.
fn track(fault: &Fault, status: StatusCode, code: &str, id: &RequestId) -> Value {
    let message = match (&fault.kind, fault.code) {
        (Kind::Invalid { .. }, None) => "Invalid request body",
        (Kind::Unauthenticated, None) => "API key or website_id required",
        (Kind::TooLarge, _) => "Payload too large",
        (Kind::PlanLimitExceeded { .. }, None) => "Event quota exceeded",
        _ => &fault.message,
    };
    let retryable = matches!(status.as_u16(), 408 | 425 | 429) || status.is_server_error();
    let mut body = json!({
        "success": false, "status": "error", "error": message, "message": message,
        "code": code, "retryable": retryable, "requestId": id.as_str(),
    });
    if let Some((why, fix)) = remedy::find_remedy(code) {
        body["why"] = why.into();
        body["fix"] = fix.into();
    }
    match &fault.kind {
        Kind::RateLimited(window) => put_window(&mut body, window),
        Kind::Invalid { issues } if !issues.is_empty() => {
            let error = |issue: &Issue| json!({ "code": issue.code, "field": issue.field, "message": sentence(issue) });
            body["errors"] = issues.iter().map(error).collect();
        }
        Kind::Invalid { .. } if fault.message != message => {
            body["errors"] = json!([{ "code": "invalid", "field": "", "message": fault.message }]);
        }
        _ => {}
    }
    body
}

fn put_window(body: &mut Value, window: &Window) {
    body["limit"] = json!(window.limit);
    body["remaining"] = json!(window.remaining);
    body["reset"] = json!(window.reset_ms);
    body["retryAfter"] = json!(window.retry_after);
}

fn sentence(issue: &Issue) -> String {
    match &issue.suggestion {
        Some(suggestion) => format!("{}. {suggestion}", issue.message.trim_end_matches('.')),
        None => issue.message.clone(),
    }
}
