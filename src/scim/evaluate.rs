//! Whether a resource fits a filter.

use std::cmp::Ordering;

use chrono::DateTime;
use serde_json::{Map, Value};

use super::{AttributePath, Filter, Operator};

/// Attributes whose case counts; that of all others does not.
const EXACT: [&str; 2] = ["id", "externalId"];

/// Whether a resource, or an element of a list, fits a filter.
pub fn matches(filter: &Filter, fields: &Map<String, Value>) -> bool {
    match filter {
        Filter::Present(path) => values(path, fields).iter().any(|value| is_there(value)),
        // What is not there differs from everything.
        Filter::Compare(path, Operator::Ne, wanted) => !matches(
            &Filter::Compare(path.clone(), Operator::Eq, wanted.clone()),
            fields,
        ),
        Filter::Compare(path, Operator::Eq, Value::Null) => values(path, fields).is_empty(),
        Filter::Compare(path, operator, wanted) => {
            let is_exact = EXACT
                .iter()
                .any(|name| name.eq_ignore_ascii_case(&path.name));
            let fits = |value: &&Value| compare(value, *operator, wanted, is_exact);
            values(path, fields).iter().any(fits)
        }
        Filter::Not(inner) => !matches(inner, fields),
        Filter::All(parts) => parts.iter().all(|part| matches(part, fields)),
        Filter::Any(parts) => parts.iter().any(|part| matches(part, fields)),
        Filter::Within(path, inner) => {
            let elements = get(fields, &path.name).into_iter().flat_map(elements);
            let mut objects = elements.filter_map(Value::as_object);
            objects.any(|element| matches(inner, element))
        }
    }
}

/// Every value that a path names: those of all elements of a list. An element that is an object stands for its `value`.
fn values<'a>(path: &AttributePath, fields: &'a Map<String, Value>) -> Vec<&'a Value> {
    let found = get(fields, &path.name).into_iter().flat_map(elements);
    let part = |value: &'a Value| match (value, &path.part) {
        (Value::Object(fields), Some(part)) => get(fields, part),
        (Value::Object(fields), None) => get(fields, "value").or(Some(value)),
        (_, Some(_)) => None,
        (value, None) => Some(value),
    };
    found
        .filter_map(part)
        .filter(|value| !value.is_null())
        .collect()
}

fn elements(value: &Value) -> &[Value] {
    match value {
        Value::Array(all) => all,
        one => std::slice::from_ref(one),
    }
}

pub(super) fn get<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let mut all = fields.iter();
    let found = all.find(|(own, _)| own.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value)
}

fn is_there(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    }
}

fn compare(value: &Value, operator: Operator, wanted: &Value, is_exact: bool) -> bool {
    match (value, wanted) {
        (Value::String(own), Value::String(wanted)) => {
            let fold = |text: &str| {
                if is_exact {
                    text.to_owned()
                } else {
                    text.to_lowercase()
                }
            };
            let (own, wanted) = (fold(own), fold(wanted));
            match operator {
                Operator::Co => own.contains(&wanted),
                Operator::Sw => own.starts_with(&wanted),
                Operator::Ew => own.ends_with(&wanted),
                operator => orders(operator, order(&own, &wanted)),
            }
        }
        (Value::Number(own), Value::Number(wanted)) => {
            let order = own.as_f64().partial_cmp(&wanted.as_f64());
            order.is_some_and(|order| orders(operator, order))
        }
        (Value::Bool(own), Value::Bool(wanted)) => operator == Operator::Eq && own == wanted,
        _ => false,
    }
}

/// Texts by their letters, moments by their time.
fn order(own: &str, wanted: &str) -> Ordering {
    let moment = |text: &str| DateTime::parse_from_rfc3339(text).ok();
    match (moment(own), moment(wanted)) {
        (Some(own), Some(wanted)) => own.cmp(&wanted),
        _ => own.cmp(wanted),
    }
}

fn orders(operator: Operator, order: Ordering) -> bool {
    match operator {
        Operator::Eq => order.is_eq(),
        Operator::Gt => order.is_gt(),
        Operator::Ge => order.is_ge(),
        Operator::Lt => order.is_lt(),
        Operator::Le => order.is_le(),
        Operator::Ne | Operator::Co | Operator::Sw | Operator::Ew => false,
    }
}
