//! `ref:<table>.<name>` in a declaration is replaced by the id of another declared thing.

use serde_json::Value;

use super::kinds::Body;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    /// The dotted place of the text.
    pub(super) place: String,
    /// What it says after `ref:`.
    pub(super) key: String,
}

/// All references of a declaration.
pub(super) fn collect(body: &Body) -> Vec<Reference> {
    let mut found = Vec::new();
    for (field, value) in body {
        add(field, value, &mut found);
    }
    found
}

fn add(place: &str, value: &Value, found: &mut Vec<Reference>) {
    match value {
        Value::String(text) => found.extend(text.strip_prefix("ref:").map(|key| Reference {
            place: place.to_owned(),
            key: key.to_owned(),
        })),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                add(&format!("{place}.{at}"), item, found);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                add(&format!("{place}.{name}"), value, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Replaces references by ids; a reference to something without an id stays.
pub(super) fn resolve(body: &Body, id: &dyn Fn(&str) -> Option<String>) -> Body {
    let fields = body.iter();
    fields
        .map(|(name, value)| (name.clone(), resolve_value(value, id)))
        .collect()
}

fn resolve_value(value: &Value, id: &dyn Fn(&str) -> Option<String>) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix("ref:").and_then(id) {
            Some(id) => Value::String(id),
            None => value.clone(),
        },
        Value::Array(items) => items.iter().map(|item| resolve_value(item, id)).collect(),
        Value::Object(fields) => Value::Object(resolve(fields, id)),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::platform::provision::kinds::fields;

    #[test]
    fn references_are_found_and_replaced_wherever_they_are() {
        let body = fields(json!({
            "websiteId": "ref:websites.a.b",
            "dependsOn": ["x", "ref:monitors.db"],
            "inner": { "deep": [{ "id": "ref:monitors.new" }] },
            "text": "a ref:monitors.db inside a text is none"
        }));
        let found: Vec<_> = collect(&body)
            .into_iter()
            .map(|one| (one.place, one.key))
            .collect();
        let expected = [
            ("websiteId", "websites.a.b"),
            ("dependsOn.1", "monitors.db"),
            ("inner.deep.0.id", "monitors.new"),
        ];
        let expected = expected.map(|(place, key)| (place.to_owned(), key.to_owned()));
        assert_eq!(found, expected);
        let ids = |key: &str| (key != "monitors.new").then(|| format!("id of {key}"));
        let resolved = Value::Object(resolve(&body, &ids));
        assert_eq!(resolved["websiteId"], "id of websites.a.b");
        assert_eq!(resolved["dependsOn"], json!(["x", "id of monitors.db"]));
        assert_eq!(resolved["inner"]["deep"][0]["id"], "ref:monitors.new");
        assert_eq!(resolved["text"], body["text"]);
    }
}
