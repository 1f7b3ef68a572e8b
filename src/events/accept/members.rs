//! Values of fields that other products' clients send: of any type, and read leniently.

use serde::{Deserialize, Deserializer};

use crate::events::tree::{Object, Text, Value};

/// What a field may hold.
pub(super) trait Field {
    fn is_absent(&self) -> bool;
}

/// Any value; `None` where there is no such field.
#[derive(Debug, Default)]
pub(super) struct Tree<'a>(pub(super) Option<Value<'a>>);

impl<'a> Tree<'a> {
    /// The value, unless it is null.
    pub(super) fn filled(self) -> Option<Value<'a>> {
        self.0.filter(|value| !value.is_null())
    }

    /// The other one where this one is not there or null.
    pub(super) fn or(self, other: Self) -> Self {
        match self.0 {
            None | Some(Value::Null) => other,
            filled => Self(filled),
        }
    }

    /// [`to_text`] of the value.
    pub(super) fn text(self) -> Option<Text<'a>> {
        into_text(self.filled()?)
    }

    /// The members of an object; none of anything else.
    pub(super) fn object(self) -> Object<'a> {
        match self.0 {
            Some(Value::Object(object)) => object,
            _ => Object::new(),
        }
    }
}

impl Field for Tree<'_> {
    fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}

impl<'de> Deserialize<'de> for Tree<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(|value| Self(Some(value)))
    }
}

/// The text of a value: numbers are written out, what is empty is nothing.
pub(in crate::events) fn to_text<'a>(value: &Value<'a>) -> Option<Text<'a>> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string().into()),
        _ => None,
    }
}

/// [`to_text`] of a value that is needed no more.
pub(in crate::events) fn into_text(value: Value<'_>) -> Option<Text<'_>> {
    match value {
        Value::String(text) => (!text.trim().is_empty()).then_some(text),
        other => to_text(&other),
    }
}
