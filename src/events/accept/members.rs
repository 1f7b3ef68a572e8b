//! Values of fields that other products' clients send: of any type, and read leniently.

use serde::{Deserialize, Deserializer};

use super::{protocols::json, wire::Field};
use crate::events::tree::{self, Object, Text};

/// Any value; `None` where there is no such field.
#[derive(Debug, Default)]
pub(super) struct Tree<'a>(pub(super) Option<tree::Value<'a>>);

impl<'a> Tree<'a> {
    /// The value, unless it is null.
    pub(super) fn filled(self) -> Option<tree::Value<'a>> {
        self.0.filter(|value| !value.is_null())
    }

    /// The other one where this one is not there or null.
    pub(super) fn or(self, other: Self) -> Self {
        match self.0 {
            None | Some(tree::Value::Null) => other,
            filled => Self(filled),
        }
    }

    /// [`json::into_text`] of the value.
    pub(super) fn text(self) -> Option<Text<'a>> {
        json::into_text(self.filled()?)
    }

    /// The members of an object; none of anything else.
    pub(super) fn object(self) -> Object<'a> {
        match self.0 {
            Some(tree::Value::Object(object)) => object,
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
        tree::Value::deserialize(deserializer).map(|value| Self(Some(value)))
    }
}
