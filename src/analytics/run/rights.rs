//! Which types a target lets its caller ask.

use serde_json::Value;

use crate::{
    analytics::{
        catalogue::{Category, QueryType, Subject, find},
        range::Range,
        request::Parameter,
        target::{ErrorTracking, Target},
    },
    fault::{Fault, Kind},
};

/// Refuses a body that names a type which may not be asked, before anything else of it is looked at.
///
/// # Errors
/// 401 or 403 for a private type of a public website, 402 for an `Errors` type without the plan.
pub(super) fn check(target: &Target, body: &Value) -> Result<(), Fault> {
    let list = body.get("parameters").and_then(Value::as_array);
    let listed = list.into_iter().flatten().filter_map(name);
    let low_level = body.get("type").and_then(Value::as_str);
    listed
        .chain(low_level)
        .filter_map(find)
        .try_for_each(|kind| check_type(target, kind))
}

fn name(entry: &Value) -> Option<&str> {
    entry.as_str().or_else(|| entry.get("name")?.as_str())
}

fn check_type(target: &Target, kind: &QueryType) -> Result<(), Fault> {
    if target.access.public_only() && !kind.public {
        return Err(if target.anonymous {
            Fault::unauthenticated()
        } else {
            Fault::forbidden("Access denied to this website")
        });
    }
    match &target.error_tracking {
        ErrorTracking::From(plan) if kind.category == Category::Errors => Err(Fault::new(
            Kind::FeatureUnavailable {
                feature: "errors".into(),
                required_plan: plan.clone(),
            },
            "Error tracking is not part of the current plan",
        )),
        ErrorTracking::From(_) | ErrorTracking::Included => Ok(()),
    }
}

/// The range of a parameter, if its type is about the target.
pub(super) fn permitted_range(target: &Target, parameter: &Parameter) -> Result<Range, String> {
    let range = parameter.range.clone()?;
    check_subject(target, parameter.kind).map(|()| range)
}

/// Whether the type is about the target. Organizations have everything.
fn check_subject(target: &Target, kind: &QueryType) -> Result<(), String> {
    if target.subject.is_none_or(|subject| subject == kind.subject) {
        return Ok(());
    }
    let (what, name) = match kind.subject {
        Subject::Website => ("websites", "website_id"),
        Subject::Link => ("links", "link_id"),
        Subject::Schedule => ("monitors", "schedule_id"),
    };
    Err(format!(
        "{} is about {what}: ask it with {name} or organization_id",
        kind.name
    ))
}

/// The code of a refusal inside a batch, where the wire style does not spell it.
pub(super) fn code(fault: &Fault) -> &'static str {
    fault.code.unwrap_or(match fault.kind {
        Kind::Unauthenticated => "AUTH_REQUIRED",
        Kind::Forbidden => "FORBIDDEN",
        Kind::FeatureUnavailable { .. } => "FEATURE_UNAVAILABLE",
        Kind::Unavailable { .. } => "SERVICE_UNAVAILABLE",
        _ => crate::analytics::request::VALIDATION_ERROR,
    })
}
