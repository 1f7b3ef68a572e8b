//! Pieces that inputs of many procedures are made of.

use std::{borrow::Cow, marker::PhantomData, ops::RangeInclusive};

use chrono::{DateTime, NaiveDate};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value};

use super::Input;
use crate::fault::{Fault, Issue};

/// A text of so many characters, white space around it not counted.
pub(super) fn text(
    issues: &mut Vec<Issue>,
    field: &'static str,
    text: &str,
    length: RangeInclusive<usize>,
) {
    let count = text.trim().chars().count();
    let (code, bound) = if count < *length.start() {
        ("too_small", length.start())
    } else if count > *length.end() {
        ("too_big", length.end())
    } else {
        return;
    };
    let message = match (code, bound) {
        ("too_small", 1) => "must not be empty".to_owned(),
        ("too_small", _) => format!("must have at least {bound} characters"),
        _ => format!("must have at most {bound} characters"),
    };
    issues.push(Issue::new(code, field, message));
}

/// Refuses a change that changes nothing; `wanted` is what it could name.
pub(super) fn require_change(issues: &mut Vec<Issue>, changes: bool, wanted: &str) {
    if !changes {
        let message = format!("name {wanted}: there is nothing to change");
        issues.push(Issue::new("missing", "", message));
    }
}

/// A number within a range that the message spells out.
pub(super) fn within<T: PartialOrd + Copy>(
    issues: &mut Vec<Issue>,
    field: &'static str,
    number: T,
    range: &RangeInclusive<T>,
    spelled: &str,
) {
    if !range.contains(&number) {
        let message = format!("`{field}` is {spelled}");
        issues.push(Issue::new("out_of_range", field, message));
    }
}

/// A point in time on the wire: ISO 8601 with an offset, or a date, which is its beginning in UTC. Unix milliseconds here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment(pub i64);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(body: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(body)?;
        moment(&text).map(Self).ok_or_else(|| {
            de::Error::custom("expected a time such as 2026-12-31T23:59:59Z, or a date")
        })
    }
}

fn moment(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Some(at.timestamp_millis());
    }
    let day: NaiveDate = text.parse().ok()?;
    Some(day.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis())
}

impl JsonSchema for Moment {
    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "anyOf": [{ "format": "date-time" }, { "format": "date" }] })
    }
}

/// The fields of a `T` as they came: a handler reads them once the caller may, and every mistake has its place.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Fields<T>(
    pub Map<String, Value>,
    #[serde(skip)] PhantomData<fn() -> T>,
);

impl<T> From<Map<String, Value>> for Fields<T> {
    fn from(fields: Map<String, Value>) -> Self {
        Self(fields, PhantomData)
    }
}

impl<T: Input> Fields<T> {
    /// The fields as a `T`.
    pub(super) fn read(self) -> Result<T, Fault> {
        super::read(&Value::Object(self.0))
    }
}

impl<T: JsonSchema> JsonSchema for Fields<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// A change of a `T`: any of its fields, as they came. What is not named stays.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Patch<T>(
    pub Map<String, Value>,
    #[serde(skip)] PhantomData<fn() -> T>,
);

impl<T> From<Map<String, Value>> for Patch<T> {
    fn from(fields: Map<String, Value>) -> Self {
        Self(fields, PhantomData)
    }
}

impl<T> FromIterator<(String, Value)> for Patch<T> {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(fields: I) -> Self {
        Map::from_iter(fields).into()
    }
}

impl<T: JsonSchema> JsonSchema for Patch<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}Patch", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        for rule in ["required", "default"] {
            schema.remove(rule);
        }
        let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (_, field) in fields.into_iter().flatten() {
            if let Some(field) = field.as_object_mut() {
                field.shift_remove("default");
            }
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_offset_and_dates_at_their_beginning() {
        let read = |text: &str| serde_json::from_value::<Moment>(text.into());
        assert_eq!(read("1970-01-01T00:00:01Z").unwrap(), Moment(1000));
        assert_eq!(read("1970-01-01T01:00:00.5+01:00").unwrap(), Moment(500));
        assert_eq!(read("1970-01-02").unwrap(), Moment(86_400_000));
        for wrong in ["", "tomorrow", "1970-01-01T00:00:01", "1970-13-01", "5"] {
            let error = read(wrong).unwrap_err().to_string();
            assert!(error.contains("expected a time"), "{wrong}: {error}");
        }
    }

    #[test]
    fn lengths_count_characters_without_the_space_around() {
        for (given, code) in [
            ("ab", None),
            (" é ", None),
            ("  ", Some("too_small")),
            ("éééé", Some("too_big")),
            ("ééé", None),
        ] {
            let mut issues = Vec::new();
            text(&mut issues, "name", given, 1..=3);
            let found = issues.first().map(|issue| issue.code.as_ref());
            assert_eq!(found, code, "{given:?}");
        }
    }
}
