//! Prints of values: equal values have equal prints, and a print does not reveal its value.

use serde_json::Value;

use super::kinds::{self, Body, Kind};
use crate::{actors::provisioned::Prints, store::InstanceSecret};

pub(super) struct Fingerprinter([u8; 32]);

impl Fingerprinter {
    pub(super) fn new(secret: &InstanceSecret) -> Self {
        Self(secret.key_for("pharos 2026-11 prints of provisioned resources"))
    }

    /// The print of a value; the order of an object's fields does not matter.
    pub(super) fn value(&self, value: &Value) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        feed(value, &mut hasher);
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// The prints of every field.
    pub(super) fn body(&self, body: &Body) -> Prints {
        let fields = body.iter();
        fields
            .map(|(name, value)| (name.clone(), self.value(value)))
            .collect()
    }

    /// The prints of these fields of a thing, as the API shows it.
    pub(super) fn fields<'f>(
        &self,
        kind: &Kind,
        shown: &Body,
        fields: impl IntoIterator<Item = &'f String>,
    ) -> Prints {
        let print = |name: &String| (name.clone(), self.value(&project(kind, shown, name)));
        fields.into_iter().map(print).collect()
    }
}

/// A field of a thing, without what changes by itself.
fn project(kind: &Kind, shown: &Body, field: &str) -> Value {
    let value = shown.get(field).cloned().unwrap_or_default();
    let own: &[&str] = match (kind.table, field) {
        (table, "monitors") if table == kinds::PAGES.table => {
            &["id", "statusPageId", "uptimeSchedule"]
        }
        (table, "destinations") if table == kinds::ALARMS.table => {
            &["id", "alarmId", "disabled", "createdAt", "updatedAt"]
        }
        _ => return value,
    };
    let Value::Array(items) = value else {
        return value;
    };
    let without = |item: Value| {
        let mut fields = kinds::fields(item);
        fields.retain(|name, _| !own.contains(&name.as_str()));
        Value::Object(fields)
    };
    items.into_iter().map(without).collect()
}

/// Different values feed different bytes: kinds have marks, texts and lists have lengths.
fn feed(value: &Value, hasher: &mut blake3::Hasher) {
    let mut text = |mark: &[u8], text: &str| {
        hasher.update(mark);
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    match value {
        Value::Null => text(b"0", ""),
        Value::Bool(said) => text(b"b", if *said { "y" } else { "n" }),
        Value::Number(number) => text(b"n", &number.to_string()),
        Value::String(said) => text(b"s", said),
        Value::Array(items) => {
            text(b"a", &items.len().to_string());
            for item in items {
                feed(item, hasher);
            }
        }
        Value::Object(fields) => {
            text(b"o", &fields.len().to_string());
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            for (name, value) in fields {
                feed(&Value::String(name.clone()), hasher);
                feed(value, hasher);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn prints_differ_where_values_do_and_nowhere_else() {
        let fingerprinter = Fingerprinter::new(&InstanceSecret::from_bytes([1; 32]));
        let same = [
            json!({ "a": 1, "b": [1, "x"] }),
            json!({ "b": [1, "x"], "a": 1 }),
        ];
        assert_eq!(fingerprinter.value(&same[0]), fingerprinter.value(&same[1]));
        let others = [
            json!(null),
            json!(""),
            json!([]),
            json!({}),
            json!(false),
            json!("n"),
            json!(0),
            json!("0"),
            json!([1, [2]]),
            json!([[1], 2]),
            json!(["ab", "c"]),
            json!(["a", "bc"]),
            json!({ "a": null }),
        ];
        let prints: std::collections::BTreeSet<_> = others
            .iter()
            .map(|value| fingerprinter.value(value))
            .collect();
        assert_eq!(prints.len(), others.len());
        let other = Fingerprinter::new(&InstanceSecret::from_bytes([2; 32]));
        assert_ne!(fingerprinter.value(&same[0]), other.value(&same[0]));
    }

    #[test]
    fn what_changes_by_itself_is_no_change() {
        let fingerprinter = Fingerprinter::new(&InstanceSecret::from_bytes([1; 32]));
        let page = |id: &str, group: &str| {
            let one = json!({ "id": id, "uptimeScheduleId": "m", "group": group });
            kinds::fields(json!({ "monitors": [one] }))
        };
        let prints =
            |body: &Body| fingerprinter.fields(kinds::PAGES, body, [&"monitors".to_owned()]);
        assert_eq!(prints(&page("1", "Web")), prints(&page("2", "Web")));
        assert_ne!(prints(&page("1", "Web")), prints(&page("1", "API")));
    }
}
