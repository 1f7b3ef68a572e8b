//! Trees of a text.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess},
};

use super::{Object, Text, Value};

impl<'a> Object<'a> {
    /// The object in a text.
    ///
    /// # Errors
    /// The text is no JSON object.
    pub fn parse(text: Text<'a>) -> serde_json::Result<Self> {
        match text {
            Cow::Borrowed(text) => serde_json::from_str(text),
            Cow::Owned(text) => serde_json::from_str::<Object<'_>>(&text).map(Object::into_owned),
        }
    }

    fn read<A: MapAccess<'a>>(mut access: A) -> Result<Self, A::Error> {
        let mut members = Vec::new();
        while let Some((Name(name), value)) = access.next_entry()? {
            members.push((name, value));
        }
        Ok(Self::from_members(members))
    }
}

impl<'a> Value<'a> {
    /// The value in a text.
    ///
    /// # Errors
    /// The text is no JSON.
    pub fn parse(text: Text<'a>) -> serde_json::Result<Self> {
        match text {
            Cow::Borrowed(text) => serde_json::from_str(text),
            Cow::Owned(text) => serde_json::from_str::<Value<'_>>(&text).map(Value::into_owned),
        }
    }
}

/// The name of a member.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Text<'a>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> de::Visitor<'de> for ObjectVisitor {
    type Value = Object<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Object<'de>, A::Error> {
        Object::read(members)
    }
}

impl<'de> Deserialize<'de> for Value<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> de::Visitor<'de> for ValueVisitor {
    type Value = Value<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value<'de>, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value<'de>, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value<'de>, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value<'de>, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value<'de>, E> {
        Ok(value.into())
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Value<'de>, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value<'de>, E> {
        Ok(value.to_owned().into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value<'de>, E> {
        Ok(value.into())
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<Value<'de>, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, members: A) -> Result<Value<'de>, A::Error> {
        Object::read(members).map(Value::Object)
    }
}
