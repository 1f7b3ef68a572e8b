//! JSON that others wrote, as trees that are read once and taken apart.

mod iterate;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::{borrow::Cow, collections::HashMap};

use serde_json::Number;

/// From how many members on repeated names are looked for by their hashes. Below that comparing is cheaper.
const MANY: usize = 48;

/// A text, or the name of a member: it stays in the body that it was read from, unless something in it is escaped.
pub type Text<'a> = Cow<'a, str>;

/// A JSON value whose objects are lists of members.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Value<'a> {
    #[default]
    Null,
    Bool(bool),
    Number(Number),
    String(Text<'a>),
    Array(Vec<Self>),
    Object(Object<'a>),
}

impl<'a> Value<'a> {
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    pub const fn as_array(&self) -> Option<&Vec<Self>> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    pub const fn as_object(&self) -> Option<&Object<'a>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The member of an object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.get(name)
    }

    /// With texts of its own.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Number(number) => Value::Number(number),
            Self::String(text) => Value::String(Cow::Owned(text.into_owned())),
            Self::Array(items) => Value::Array(items.into_iter().map(Self::into_owned).collect()),
            Self::Object(object) => Value::Object(object.into_owned()),
        }
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Number(value.into())
    }
}

impl From<u64> for Value<'_> {
    fn from(value: u64) -> Self {
        Self::Number(value.into())
    }
}

/// What is no number in JSON is null.
impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Number::from_f64(value).map_or(Self::Null, Self::Number)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::String(Cow::Borrowed(value))
    }
}

impl From<String> for Value<'_> {
    fn from(value: String) -> Self {
        Self::String(Cow::Owned(value))
    }
}

impl<'a> From<Text<'a>> for Value<'a> {
    fn from(value: Text<'a>) -> Self {
        Self::String(value)
    }
}

impl<'a> From<Object<'a>> for Value<'a> {
    fn from(value: Object<'a>) -> Self {
        Self::Object(value)
    }
}

/// A JSON object with its members in the order of the text, each name once: of several the last value counts, where
/// the first stood.
///
/// Bodies of clients are read once, taken apart by a dozen names and dropped. A hash for each name and a table for each object
/// cost more than comparing names, most of which differ in length.
#[derive(Clone, Default, PartialEq)]
pub struct Object<'a>(Vec<Member<'a>>);

type Member<'a> = (Text<'a>, Value<'a>);

impl<'a> Object<'a> {
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    pub const fn len(&self) -> usize {
        self.0.len()
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        let mut members = self.0.iter();
        members.find_map(|(key, value)| (key == name).then_some(value))
    }

    #[inline]
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value<'a>> {
        let mut members = self.0.iter_mut();
        members.find_map(|(key, value)| (key == name).then_some(value))
    }

    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Takes a member out; the others keep their order.
    #[inline]
    pub fn remove(&mut self, name: &str) -> Option<Value<'a>> {
        let at = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.remove(at).1)
    }

    pub fn insert(&mut self, name: impl Into<Text<'a>>, value: Value<'a>) {
        let name = name.into();
        match self.get_mut(&name) {
            Some(old) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// [`Self::insert`], unless the member is there.
    pub fn insert_new(&mut self, name: &'a str, value: Value<'a>) {
        if !self.contains_key(name) {
            self.0.push((name.into(), value));
        }
    }

    pub fn retain(&mut self, mut keeps: impl FnMut(&str, &Value<'a>) -> bool) {
        self.0.retain(|(key, value)| keeps(key, value));
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value<'a>)> {
        self.0.iter().map(|(key, value)| (key.as_ref(), value))
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_ref())
    }

    /// With texts of its own.
    pub fn into_owned(self) -> Object<'static> {
        let owned = |(name, value): Member<'a>| (Cow::Owned(name.into_owned()), value.into_owned());
        Object(self.0.into_iter().map(owned).collect())
    }

    /// With each name once.
    fn from_members(members: Vec<Member<'a>>) -> Self {
        if members.len() < MANY {
            let repeats = |at: usize| {
                let (name, _) = &members[at];
                members[..at].iter().any(|(key, _)| key == name)
            };
            if !(1..members.len()).any(repeats) {
                return Self(members);
            }
        }
        let mut places = HashMap::with_capacity(members.len());
        let mut once: Vec<Member<'a>> = Vec::with_capacity(members.len());
        for (name, value) in members {
            let place = *places.entry(name.clone()).or_insert(once.len());
            match once.get_mut(place) {
                Some((_, old)) => *old = value,
                None => once.push((name, value)),
            }
        }
        Self(once)
    }
}
