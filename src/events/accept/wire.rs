//! JSON objects with known fields, read leniently: wrong types are found when fields are checked, not here.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::invalid;
pub(super) use super::members::{Field, Tree};
use crate::fault::{Fault, Issue};

/// Objects without a required field that are kept for their error message; further ones are only counted, so
/// two megabytes of `{}` cost no more memory than any other body.
const MAX_HOLLOW: usize = 100;

/// A field's value as far as any rule cares.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Value<'a> {
    /// Missing or `null`.
    #[default]
    Absent,
    Bool(bool),
    Number(f64),
    Text(Cow<'a, str>),
    /// An array or an object.
    Compound,
}

/// A value kept as text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Raw<'a>(pub(super) Option<&'a str>);

pub(super) trait Fields<'de>: Default {
    /// Takes the value of `key`, whatever it is.
    fn set<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;
    /// Whether a required field is missing.
    fn is_hollow(&self) -> bool;
}

impl Field for Value<'_> {
    fn is_absent(&self) -> bool {
        *self == Self::Absent
    }
}

impl<T> Field for Nested<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

/// One entry of an array body.
#[derive(Debug)]
pub(super) enum Item<T> {
    Object(Box<T>),
    /// An object without a required field, one of too many.
    Hollow,
    /// No object at all.
    Other,
}

/// A body that is one object or an array of them.
#[derive(Debug)]
pub(super) enum Body<T> {
    One(Item<T>),
    Many(Vec<Item<T>>),
}

/// The same as the value of a field; nothing where the field is missing or `null`.
pub(super) type Nested<T> = Option<Body<T>>;

/// Declares an object: its fields, their keys, and which of them it cannot be without.
macro_rules! fields {
    (@type $life:lifetime $type:ident) => { $crate::events::accept::wire::$type<$life> };
    (@type $life:lifetime $type:ident $inner:ident) => { $crate::events::accept::wire::$type<$inner<$life>> };
    ($(#[$doc:meta])* $name:ident, required [$($required:ident),*] {
        $($field:ident: $type:ident $(<$inner:ident>)? = $key:literal),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub(super) struct $name<'a> {
            $(pub(super) $field: $crate::events::accept::wire::fields!(@type 'a $type $($inner)?),)*
        }

        impl<'de> $crate::events::accept::wire::Fields<'de> for $name<'de> {
            fn set<A: serde::de::MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
                match key {
                    $($key => self.$field = map.next_value()?,)*
                    _ => {
                        map.next_value::<serde::de::IgnoredAny>()?;
                    }
                }
                Ok(())
            }

            fn is_hollow(&self) -> bool {
                $($crate::events::accept::wire::Field::is_absent(&self.$required))||*
            }
        }
    };
}
pub(super) use fields;

/// Reads a body; the issue of a body that is no JSON says where.
pub(super) fn read<'de, T: Fields<'de>>(bytes: &'de [u8]) -> Result<Body<T>, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        syntax(format!(
            "The body is not UTF-8: byte {} is out of place",
            error.valid_up_to()
        ))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut json = serde_json::Deserializer::from_str(text);
    BodyVisitor(PhantomData)
        .read(&mut json)
        .and_then(|body| json.end().map(|()| body))
        .map_err(|error| syntax(format!("The body is not valid JSON: {error}")))
}

fn syntax(message: String) -> Fault {
    invalid(vec![Issue::new("invalid_json", "", message)])
}

struct BodyVisitor<T>(PhantomData<T>);

impl<'de, T: Fields<'de>> BodyVisitor<T> {
    fn read<D: Deserializer<'de>>(self, json: D) -> Result<Body<T>, D::Error> {
        json.deserialize_any(self)
    }
}

/// The visits that mean "neither text nor number nor what is wanted" alike.
macro_rules! scalars {
    ($value:expr) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($value)
        }
    };
}

impl<'de, T: Fields<'de>> Deserialize<'de> for Body<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BodyVisitor(PhantomData).read(deserializer)
    }
}

impl<'de, T: Fields<'de>> Visitor<'de> for BodyVisitor<T> {
    type Value = Body<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object or an array of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Body<T>, A::Error> {
        object(map).map(|object| Body::One(Item::Object(object)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Body<T>, A::Error> {
        let mut items = Vec::new();
        let mut hollow = 0;
        while let Some(item) = sequence.next_element::<Item<T>>()? {
            items.push(match item {
                Item::Object(object) if object.is_hollow() => {
                    hollow += 1;
                    if hollow > MAX_HOLLOW {
                        Item::Hollow
                    } else {
                        Item::Object(object)
                    }
                }
                item => item,
            });
        }
        Ok(Body::Many(items))
    }

    scalars!(Body::One(Item::Other));
}

impl<'de, T: Fields<'de>> Deserialize<'de> for Item<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemVisitor<T>(PhantomData<T>);

        impl<'de, T: Fields<'de>> Visitor<'de> for ItemVisitor<T> {
            type Value = Item<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Item<T>, A::Error> {
                object(map).map(Item::Object)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Item<T>, A::Error> {
                while sequence.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Item::Other)
            }

            scalars!(Item::Other);
        }

        deserializer.deserialize_any(ItemVisitor(PhantomData))
    }
}

/// Objects have room for many fields: one is made where it stays, not moved there.
fn object<'de, T: Fields<'de>, A: MapAccess<'de>>(mut map: A) -> Result<Box<T>, A::Error> {
    let mut object = Box::<T>::default();
    while let Some(key) = map.next_key::<Value<'de>>()? {
        let Value::Text(key) = key else {
            return Err(A::Error::custom("a key must be text"));
        };
        object.set(&key, &mut map)?;
    }
    Ok(object)
}

impl<'de> Deserialize<'de> for Value<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value<'de>, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value<'de>, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value<'de>, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value<'de>, E> {
        Ok(Value::Number(value))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Owned(value)))
    }

    fn visit_unit<E>(self) -> Result<Value<'de>, E> {
        Ok(Value::Absent)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value<'de>, A::Error> {
        while sequence.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Compound)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Compound)
    }
}

impl<'de> Deserialize<'de> for Raw<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&RawValue>::deserialize(deserializer)?.get();
        Ok(Self((text != "null").then_some(text)))
    }
}
