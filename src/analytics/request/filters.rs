//! Filters: seven operators over registered fields.

use serde_json::Value;

use super::{MAX_FILTERS, MAX_VALUES, nearest::shorten, reader::Reader};
use crate::analytics::catalogue::{Field, TRAIT};

/// How a filter compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// Is the value.
    Eq,
    /// Is not the value.
    Ne,
    /// Has the value in it, taken literally.
    Contains,
    /// Does not have the value in it.
    NotContains,
    /// Begins with the value, taken literally.
    StartsWith,
    /// Ends with the value, taken literally. Goals, funnels and saved segments have it, bodies of queries don't.
    EndsWith,
    /// Is one of the values.
    In,
    /// Is none of the values.
    NotIn,
}

impl Op {
    /// Every operator of queries under its name.
    pub const ALL: [(&'static str, Self); 7] = [
        ("eq", Self::Eq),
        ("ne", Self::Ne),
        ("contains", Self::Contains),
        ("not_contains", Self::NotContains),
        ("starts_with", Self::StartsWith),
        ("in", Self::In),
        ("not_in", Self::NotIn),
    ];

    /// Reads an operator of a body.
    pub fn parse(text: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(name, _)| *name == text);
        found.map(|(_, op)| *op)
    }

    /// Reads an operator of a saved segment.
    fn parse_saved(text: &str) -> Option<Self> {
        Self::parse(text).or_else(|| (text == Self::EndsWith.name()).then_some(Self::EndsWith))
    }

    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, op)| *op == self);
        found.map_or("ends_with", |(name, _)| *name)
    }

    pub const fn takes_list(self) -> bool {
        matches!(self, Self::In | Self::NotIn)
    }

    /// Whether rows without a value pass.
    pub const fn is_negative(self) -> bool {
        matches!(self, Self::Ne | Self::NotContains | Self::NotIn)
    }
}

/// A validated filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// What is compared.
    pub field: &'static Field,
    pub op: Op,
    /// With what: at least one value, exactly one unless the operator takes a list. Of a trait, after it was looked up:
    /// the ids of the profiles that have it.
    pub values: Vec<String>,
    /// Which trait, of a filter on one.
    pub key: Option<String>,
}

impl Filter {
    /// What is compared, as requests write it.
    pub fn name(&self) -> String {
        match &self.key {
            Some(key) => format!("{TRAIT_PREFIX}{key}"),
            None => self.field.name.to_owned(),
        }
    }
}

const TRAIT_PREFIX: &str = "trait:";
/// Characters of a trait's key.
const LONGEST_KEY: usize = 128;

/// The field with this name, and the key of a trait.
fn field(name: &str) -> Option<(&'static Field, Option<String>)> {
    let key = name
        .strip_prefix(TRAIT_PREFIX)
        .or_else(|| name.strip_prefix("trait."));
    match key {
        Some(key) if (1..=LONGEST_KEY).contains(&key.chars().count()) => {
            Some((&TRAIT, Some(key.to_owned())))
        }
        Some(_) => None,
        None => Field::find(name).map(|field| (field, None)),
    }
}

/// Reads `filters`, and the filters of saved segments in `segments`.
pub(super) fn read(reader: &mut Reader<'_>) -> Vec<Filter> {
    let own = match reader.get("filters") {
        None => &[][..],
        Some(Value::Array(list)) => list.as_slice(),
        Some(_) => {
            reader.wrong("invalid_type", "filters", "filters must be an array");
            return Vec::new();
        }
    };
    let saved = reader.get("segments").and_then(Value::as_array);
    let saved = saved.map_or(&[][..], Vec::as_slice);
    if own.len() + saved.len() > MAX_FILTERS {
        let message = format!("filters may have at most {MAX_FILTERS} entries");
        reader.wrong("too_many", "filters", message);
        return Vec::new();
    }
    let own = own.iter().enumerate();
    let mut filters: Vec<Filter> = own
        .filter_map(|(index, value)| filter(reader, &format!("filters[{index}]"), value, Op::parse))
        .collect();
    // Ids that were not looked up say nothing.
    let saved = saved.iter().filter(|value| value.is_object());
    filters.extend(saved.filter_map(|value| filter(reader, "segments", value, Op::parse_saved)));
    filters
}

fn filter(
    reader: &mut Reader<'_>,
    place: &str,
    value: &Value,
    parse: fn(&str) -> Option<Op>,
) -> Option<Filter> {
    let at = |part: &str| format!("{place}{part}");
    let part = |name: &str| value.get(name).and_then(Value::as_str);
    let (Some(name), Some(op)) = (part("field"), part("op").or_else(|| part("operator"))) else {
        let message = "a filter is an object {field, op, value}";
        reader.wrong("invalid_type", at(""), message);
        return None;
    };
    let found = field(name);
    if found.is_none() {
        let known = Field::all().map(|field| field.name).chain(["trait:<key>"]);
        let message = format!("Unknown filter field: {}", shorten(name));
        reader.unknown(at(".field"), message, name, known);
    }
    let parsed = parse(op);
    if parsed.is_none() {
        let known = Op::ALL.map(|(name, _)| name).join(", ");
        let message = format!("Unknown filter operator: {} (one of {known})", shorten(op));
        reader.unknown(at(".op"), message, op, Op::ALL.map(|(name, _)| name));
    }
    let ((field, key), op) = (found?, parsed?);
    match values(op, value.get("value")) {
        Ok(values) => Some(Filter {
            field,
            op,
            values,
            key,
        }),
        Err(message) => {
            reader.wrong("invalid_value", at(".value"), message);
            None
        }
    }
}

fn values(op: Op, value: Option<&Value>) -> Result<Vec<String>, String> {
    let list = match value {
        Some(Value::Array(list)) if op.takes_list() => list.as_slice(),
        Some(value) if !op.takes_list() => std::slice::from_ref(value),
        _ if op.takes_list() => return Err("in and not_in take an array of values".to_owned()),
        _ => return Err("a filter needs a value".to_owned()),
    };
    if list.is_empty() || list.len() > MAX_VALUES {
        return Err(format!("in and not_in take 1 to {MAX_VALUES} values"));
    }
    let scalar = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    list.iter()
        .map(scalar)
        .collect::<Option<_>>()
        .ok_or_else(|| "a value must be a string, a number or a boolean".to_owned())
}
