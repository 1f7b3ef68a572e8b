//! The parts of a health answer: every object with a `status` or a latency, by its path. They are stored with the check and
//! never part of the verdict.

use serde_json::{Map, Value, json};

/// Names under which answers give latencies, in milliseconds.
const LATENCIES: [&str; 7] = [
    "latency",
    "latency_ms",
    "duration_ms",
    "duration",
    "response_time",
    "responseTime",
    "time_ms",
];
const MAX_PARTS: usize = 50;
const MAX_DEPTH: usize = 12;
const MAX_PATH: usize = 120;
const MAX_STATUS: usize = 40;

/// The parts of a health answer, if it has any.
pub(super) fn parts(body: &[u8]) -> Option<Value> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let mut found = Map::new();
    match &value {
        Value::Array(items) => list(items, "_items", 0, &mut found),
        value => walk(value, "", 0, &mut found),
    }
    (!found.is_empty()).then_some(Value::Object(found))
}

/// Whether these may be the [`parts`] of an answer.
pub(super) fn is_parts(value: &Value) -> bool {
    let is_plain = |value: &Value| !value.is_object() && !value.is_array();
    let is_part = |part: &Value| {
        let fields = part.as_object();
        fields.is_some_and(|fields| fields.len() <= 2 && fields.values().all(is_plain))
    };
    let found = value.as_object();
    found.is_some_and(|found| found.len() <= MAX_PARTS && found.values().all(is_part))
}

fn walk(value: &Value, path: &str, depth: usize, found: &mut Map<String, Value>) {
    if depth > MAX_DEPTH || found.len() >= MAX_PARTS || path.len() > MAX_PATH {
        return;
    }
    match value {
        Value::Object(fields) => {
            if let Some(part) = part(fields) {
                let key = if path.is_empty() { "_root" } else { path };
                found.insert(key.to_owned(), part);
            }
            for (name, inner) in fields {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                walk(inner, &path, depth + 1, found);
            }
        }
        Value::Array(items) => list(items, path, depth, found),
        _ => {}
    }
}

fn list(items: &[Value], path: &str, depth: usize, found: &mut Map<String, Value>) {
    for (at, item) in items.iter().take(MAX_PARTS).enumerate() {
        walk(item, &format!("{path}[{at}]"), depth + 1, found);
    }
}

fn part(fields: &Map<String, Value>) -> Option<Value> {
    let status = match fields.get("status") {
        Some(Value::String(text)) => Some(json!(text.chars().take(MAX_STATUS).collect::<String>())),
        Some(Value::Bool(truth)) => Some(json!(truth)),
        Some(Value::Number(number)) => Some(json!(number)),
        _ => None,
    };
    let latency = LATENCIES.iter().find_map(|name| match fields.get(*name)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().trim_end_matches("ms").trim().parse().ok(),
        _ => None,
    });
    let latency = latency.filter(|latency: &f64| latency.is_finite() && *latency >= 0.0);
    if status.is_none() && latency.is_none() {
        return None;
    }
    let mut part = Map::new();
    part.extend(status.map(|status| ("status".to_owned(), status)));
    part.extend(latency.map(|latency| ("latency".to_owned(), json!(latency))));
    Some(Value::Object(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_wherever_they_are() {
        let body = json!({
            "status": "ok",
            "version": "1.2.3",
            "services": { "db": { "status": "up", "latency_ms": 12 }, "name": { "x": 1 } },
            "checks": [{ "responseTime": "3.5ms" }, { "status": true, "secret": "s" }],
        });
        assert_eq!(
            parts(body.to_string().as_bytes()).unwrap(),
            json!({
                "_root": { "status": "ok" },
                "services.db": { "status": "up", "latency": 12.0 },
                "checks[0]": { "latency": 3.5 },
                "checks[1]": { "status": true },
            })
        );
    }

    #[test]
    fn a_list_at_the_top_has_a_name_of_its_own() {
        assert_eq!(
            parts(br#"[{"status":"a"}]"#).unwrap(),
            json!({ "_items[0]": { "status": "a" } })
        );
    }

    #[test]
    fn parts_are_flat() {
        assert!(is_parts(
            &json!({ "db": { "status": "up", "latency": 12.0 } })
        ));
        for other in [
            json!([]),
            json!({ "db": "up" }),
            json!({ "db": { "status": [0, 0] } }),
            json!({ "db": { "a": 1, "b": 2, "c": 3 } }),
        ] {
            assert!(!is_parts(&other), "{other}");
        }
    }

    #[test]
    fn what_has_no_parts_is_nothing_and_what_has_too_many_is_cut() {
        for body in ["", "{", "1", "[]", r#"{"a":{"b":1}}"#, r#"{"status":null}"#] {
            assert_eq!(parts(body.as_bytes()), None, "{body}");
        }
        let many: Vec<Value> = (0..500)
            .map(|_| json!({ "status": "x".repeat(500) }))
            .collect();
        let found = parts(json!(many).to_string().as_bytes()).unwrap();
        assert_eq!(found.as_object().unwrap().len(), MAX_PARTS);
        assert!(is_parts(&found));
        assert!(found.to_string().len() < 10_000);
        let deep = "[".repeat(100) + r#"{"status":1}"# + &"]".repeat(100);
        assert_eq!(parts(deep.as_bytes()), None);
    }
}
