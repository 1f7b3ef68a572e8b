//! Prints of values: whether something is as it was can be told from them, and what it was cannot.

use serde_json::Value;

use super::kinds::{self, Body, Kind};
use crate::{actors::provisioned::Prints, store::InstanceSecret};

/// What prints are made with.
pub(super) struct Printer([u8; 32]);

impl Printer {
    pub(super) fn new(secret: &InstanceSecret) -> Self {
        Self(secret.key_for("pharos 2026-11 prints of provisioned resources"))
    }

    /// Of a value; the order of an object's fields does not matter.
    pub(super) fn of(&self, value: &Value) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        feed(value, &mut hasher);
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// Of every field.
    pub(super) fn all(&self, body: &Body) -> Prints {
        let fields = body.iter();
        fields
            .map(|(name, value)| (name.clone(), self.of(value)))
            .collect()
    }

    /// Of these fields of a thing, as the API shows it.
    pub(super) fn shown<'f>(
        &self,
        kind: &Kind,
        shown: &Body,
        fields: impl IntoIterator<Item = &'f String>,
    ) -> Prints {
        let print = |name: &String| (name.clone(), self.of(&project(kind, shown, name)));
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

/// Every value is told apart from every other: kinds have marks, texts and lists have lengths.
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
        let printer = Printer::new(&InstanceSecret::from_bytes([1; 32]));
        let same = [
            json!({ "a": 1, "b": [1, "x"] }),
            json!({ "b": [1, "x"], "a": 1 }),
        ];
        assert_eq!(printer.of(&same[0]), printer.of(&same[1]));
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
        let prints: std::collections::BTreeSet<_> =
            others.iter().map(|value| printer.of(value)).collect();
        assert_eq!(prints.len(), others.len());
        let other = Printer::new(&InstanceSecret::from_bytes([2; 32]));
        assert_ne!(printer.of(&same[0]), other.of(&same[0]));
    }

    #[test]
    fn what_changes_by_itself_is_no_change() {
        let printer = Printer::new(&InstanceSecret::from_bytes([1; 32]));
        let page = |id: &str, group: &str| {
            let one = json!({ "id": id, "uptimeScheduleId": "m", "group": group });
            kinds::fields(json!({ "monitors": [one] }))
        };
        let of = |body: &Body| printer.shown(kinds::PAGES, body, [&"monitors".to_owned()]);
        assert_eq!(of(&page("1", "Web")), of(&page("2", "Web")));
        assert_ne!(of(&page("1", "Web")), of(&page("1", "API")));
    }
}
