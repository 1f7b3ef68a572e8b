//! The low-level body of `/v1/query/compile`, rewritten as an ordinary one.

use serde_json::{Map, Value, json};

/// Whether a body has the low-level shape.
pub fn is_low_level(body: &Value) -> bool {
    body.get("parameters").is_none() && body.get("type").is_some()
}

/// The ordinary body that asks the same.
pub(super) fn translate(body: &Value) -> Value {
    let mut ordinary = Map::new();
    let kind = body.get("type").cloned().unwrap_or_default();
    ordinary.insert("parameters".into(), json!([kind]));
    let same = [
        ("startDate", "from"),
        ("endDate", "to"),
        ("granularity", "timeUnit"),
        ("filters", "filters"),
        ("groupBy", "groupBy"),
        ("limit", "limit"),
        ("offset", "offset"),
        ("timeZone", "timezone"),
    ];
    for (to, from) in same {
        if let Some(value) = body.get(from) {
            ordinary.insert(to.into(), value.clone());
        }
    }
    if let Some(order) = body.get("orderBy").and_then(Value::as_str) {
        // What follows the column has to be a direction, as a whole.
        let (column, direction) = match order.trim().split_once(char::is_whitespace) {
            Some((column, direction)) => (column, Some(direction.trim())),
            None => (order.trim(), None),
        };
        ordinary.insert("sortBy".into(), json!(column));
        ordinary.insert("sortOrder".into(), json!(direction));
    }
    Value::Object(ordinary)
}
