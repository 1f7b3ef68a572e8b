//! A row of a CSV file or an object of a JSON list: fields by name.

use csv::StringRecord;
use serde_json::{Map, Value};

/// Fields by name. `Short link`, `short_link` and `shortLink` are the same name.
#[derive(Debug)]
pub(super) struct Record {
    /// Its place in the file.
    pub(super) at: String,
    fields: Map<String, Value>,
}

/// A name without what spellings differ in.
fn key(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

impl Record {
    pub(super) fn new(at: String, item: &Value) -> Self {
        let fields = item.as_object().into_iter().flatten();
        let fields = fields.map(|(name, value)| (key(name), value.clone()));
        Self {
            at,
            fields: fields.collect(),
        }
    }

    pub(super) fn from_row(at: String, head: &StringRecord, row: &StringRecord) -> Self {
        let cells = head.iter().zip(row);
        let fields = cells.map(|(name, cell)| (key(name), Value::from(cell)));
        Self {
            at,
            fields: fields.collect(),
        }
    }

    /// The first of these fields that is neither empty nor null.
    pub(super) fn value(&self, names: &[&str]) -> Option<&Value> {
        let fields = names.iter().filter_map(|name| self.fields.get(&key(name)));
        fields.into_iter().find(|value| match value {
            Value::Null => false,
            Value::String(text) => !text.trim().is_empty(),
            _ => true,
        })
    }

    /// The same as text; a number or a truth value as it is written.
    pub(super) fn text(&self, names: &[&str]) -> Option<String> {
        match self.value(names)? {
            Value::String(text) => Some(text.trim().to_owned()),
            value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// The same as a whole number; `1,234` is one.
    pub(super) fn number(&self, names: &[&str]) -> Option<u64> {
        match self.value(names)? {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => text.trim().replace([',', ' '], "").parse().ok(),
            _ => None,
        }
    }

    /// Whether one of these fields says yes.
    pub(super) fn is_on(&self, names: &[&str]) -> bool {
        let text = self.text(names).unwrap_or_default();
        ["true", "1", "yes", "t"].contains(&text.to_lowercase().as_str())
    }

    /// The items of a list: texts, or what texts separate by `separators`.
    pub(super) fn list(&self, names: &[&str], separators: &[char]) -> Vec<String> {
        match self.value(names) {
            Some(Value::Array(items)) => {
                // Dub's tags are objects.
                let text = |item: &Value| {
                    let text = item.as_str().or_else(|| item["name"].as_str());
                    text.map(str::to_owned)
                };
                items.iter().filter_map(text).collect()
            }
            Some(Value::String(text)) => {
                let items = text.split(separators).map(str::trim);
                let items = items.filter(|item| !item.is_empty());
                items.map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }
}
