//! Saved segments in queries: a body that names some by id is asked with their filters beside its own. They have an
//! operator more than bodies.

use serde_json::{Map, Value, json};

use crate::{
    actors::definitions::{FilterSpec, Kind, Operator, Saved, SegmentFields, Values},
    analytics::Target,
    fault::{Fault, Issue},
    http::Shared,
};

/// Segments of one body.
const MAX: usize = 10;

/// The body, or each of a batch, with the filters of the segments that it names in the place of their ids.
///
/// # Errors
/// A segment is none of the website that is asked about.
pub(super) async fn apply(
    shared: &Shared,
    target: &Target,
    mut body: Value,
) -> Result<Value, Fault> {
    match &mut body {
        Value::Array(bodies) => {
            for body in bodies.iter_mut().filter_map(Value::as_object_mut) {
                apply_segments(shared, target, body).await?;
            }
        }
        Value::Object(body) => apply_segments(shared, target, body).await?,
        _ => {}
    }
    Ok(body)
}

async fn apply_segments(
    shared: &Shared,
    target: &Target,
    body: &mut Map<String, Value>,
) -> Result<(), Fault> {
    let ids = match body.get("segments") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Array(ids)) if ids.len() <= MAX && ids.iter().all(Value::is_string) => {
            ids.iter().filter_map(Value::as_str)
        }
        Some(_) => {
            let message = format!("segments takes at most {MAX} ids of saved segments");
            return Err(wrong(message));
        }
    };
    let mut filters = Vec::new();
    for id in ids {
        let found = find(shared, target, id).await?;
        filters.extend(found.filters.iter().map(filter));
    }
    body.insert("segments".to_owned(), Value::Array(filters));
    Ok(())
}

fn wrong(message: String) -> Fault {
    let issue = Issue::new("invalid_value", "segments", message.clone());
    Fault::issues(message, vec![issue]).with_code("VALIDATION_ERROR")
}

async fn find(shared: &Shared, target: &Target, id: &str) -> Result<SegmentFields, Fault> {
    let found = shared.definitions.get(Kind::Segment, id).await?;
    let websites = shared.websites.view();
    let own = found.filter(|study| {
        let website = websites.by_id(study.website.as_str());
        let key = target
            .access
            .website()
            .filter(|_| !target.access.public_only());
        key.is_some() && website.map(|one| one.key) == key
    });
    match own.map(|study| study.saved) {
        Some(Saved::Segment(fields)) => Ok(fields),
        _ => Err(wrong(format!("The website has no saved segment {id}"))),
    }
}

/// A filter in the words of queries.
fn filter(spec: &FilterSpec) -> Value {
    let op = match spec.operator {
        Operator::Equals => "eq",
        Operator::NotEquals => "ne",
        Operator::Contains => "contains",
        Operator::NotContains => "not_contains",
        Operator::StartsWith => "starts_with",
        Operator::EndsWith => "ends_with",
        Operator::In => "in",
        Operator::NotIn => "not_in",
    };
    let value = match &spec.value {
        Values::One(value) => json!(value),
        Values::Several(values) => json!(values),
    };
    json!({ "field": spec.field, "op": op, "value": value })
}
