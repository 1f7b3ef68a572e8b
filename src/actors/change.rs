//! A field that a request may leave alone, take away, or set.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

/// What becomes of a value that may be absent. On the wire: nothing said, null, or a value; such a field needs
/// `#[serde(default)]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// It stays as it is.
    #[default]
    Keep,
    Clear,
    Set(T),
}

impl<T> Change<T> {
    /// What there is afterwards.
    pub fn apply(self, before: Option<&T>) -> Option<T>
    where
        T: Clone,
    {
        match self {
            Self::Keep => before.cloned(),
            Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }

    pub fn set(&self) -> Option<&T> {
        match self {
            Self::Keep | Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }

    /// The same change of another kind of value.
    pub fn map<U>(self, to: impl FnOnce(T) -> U) -> Change<U> {
        match self {
            Self::Keep => Change::Keep,
            Self::Clear => Change::Clear,
            Self::Set(value) => Change::Set(to(value)),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(body: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(body)?.map_or(Self::Clear, Self::Set))
    }
}

impl<T: JsonSchema> JsonSchema for Change<T> {
    fn schema_name() -> Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Body {
        #[serde(default)]
        field: Change<u8>,
    }

    #[test]
    fn null_takes_away_and_nothing_leaves_alone() {
        for (text, after) in [
            ("{}", Some(1)),
            (r#"{"field":null}"#, None),
            (r#"{"field":2}"#, Some(2)),
        ] {
            let body: Body = serde_json::from_str(text).unwrap();
            assert_eq!(body.field.apply(Some(&1)), after, "{text}");
        }
    }
}
