//! JSON that others wrote, as trees that are read once and taken apart.

mod iterate;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::collections::HashMap;

use compact_str::CompactString;
use serde_json::Number;

/// From how many members on repeated names are looked for by their hashes. Below that comparing is cheaper.
const MANY: usize = 48;

/// The name of a member. Up to 24 bytes of it are kept in place, which nearly all names fit in.
pub type Name = CompactString;

/// A JSON value whose objects are lists of members.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Value {
    #[default]
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Self>),
    Object(Object),
}

impl Value {
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub const fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text.as_str()),
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

    pub const fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The member of an object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.get(name)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Number(value.into())
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Number(value.into())
    }
}

/// What is no number in JSON is null.
impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Number::from_f64(value).map_or(Self::Null, Self::Number)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}

impl From<Object> for Value {
    fn from(value: Object) -> Self {
        Self::Object(value)
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}

/// A JSON object with its members in the order of the text, each name once: of several the last value counts, where
/// the first stood.
///
/// Bodies of clients are read once, taken apart by a dozen names and dropped. A hash for each name and a table for each object
/// cost more than comparing names, most of which differ in length.
#[derive(Clone, Default, PartialEq)]
pub struct Object(Vec<(Name, Value)>);

impl Object {
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    pub const fn len(&self) -> usize {
        self.0.len()
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        let mut members = self.0.iter();
        members.find_map(|(key, value)| (key == name).then_some(value))
    }

    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        let mut members = self.0.iter_mut();
        members.find_map(|(key, value)| (key == name).then_some(value))
    }

    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Takes a member out; the others keep their order.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.remove(at).1)
    }

    pub fn insert(&mut self, name: impl Into<Name>, value: Value) {
        let name = name.into();
        match self.get_mut(&name) {
            Some(old) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// [`Self::insert`], unless the member is there.
    pub fn insert_new(&mut self, name: &str, value: Value) {
        if !self.contains_key(name) {
            self.0.push((name.into(), value));
        }
    }

    pub fn retain(&mut self, mut keeps: impl FnMut(&str, &Value) -> bool) {
        self.0.retain(|(key, value)| keeps(key, value));
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    /// With each name once.
    fn from_members(members: Vec<(Name, Value)>) -> Self {
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
        let mut once: Vec<(Name, Value)> = Vec::with_capacity(members.len());
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
