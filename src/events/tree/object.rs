//! The members of a JSON object in a list.

use std::{collections::HashMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, MapAccess},
};

use super::Value;

/// From how many members on repeated names are looked for by their hashes. Below that comparing is cheaper.
const MANY: usize = 48;

/// A JSON object with its members in the order of the text, each name once: of several the last value counts, where
/// the first stood.
///
/// Bodies of clients are read once, taken apart by a dozen names and dropped. A hash for each name and a table for each object
/// cost more than comparing names, most of which differ in length.
#[derive(Clone, Default, PartialEq)]
pub struct Object(Vec<(String, Value)>);

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

    pub fn insert(&mut self, name: String, value: Value) {
        match self.get_mut(&name) {
            Some(old) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// [`Self::insert`], unless the member is there.
    pub fn insert_new(&mut self, name: &str, value: Value) {
        if !self.contains_key(name) {
            self.0.push((name.to_owned(), value));
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

    pub(super) fn read<'de, A: MapAccess<'de>>(mut access: A) -> Result<Self, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = access.next_entry()? {
            members.push(member);
        }
        Ok(Self::from_members(members))
    }

    /// With each name once.
    fn from_members(members: Vec<(String, Value)>) -> Self {
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
        let mut once: Vec<(String, Value)> = Vec::with_capacity(members.len());
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

impl fmt::Debug for Object {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_map().entries(self.iter()).finish()
    }
}

impl FromIterator<(String, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        Self::from_members(members.into_iter().collect())
    }
}

impl Extend<(String, Value)> for Object {
    fn extend<I: IntoIterator<Item = (String, Value)>>(&mut self, members: I) {
        let mut all = std::mem::take(&mut self.0);
        all.extend(members);
        *self = Self::from_members(all);
    }
}

impl IntoIterator for Object {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Visitor)
    }
}

struct Visitor;

impl<'de> de::Visitor<'de> for Visitor {
    type Value = Object;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Object, A::Error> {
        Object::read(members)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn of_a_repeated_name_the_last_value_stands_where_the_first_stood() {
        let read: Object = serde_json::from_str(r#"{"a":1,"b":2,"a":3}"#).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), r#"{"a":3,"b":2}"#);
    }

    /// JSON with names that repeat, in objects on both sides of [`MANY`].
    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("null".to_owned()),
            any::<bool>().prop_map(|value| value.to_string()),
            any::<i64>().prop_map(|value| value.to_string()),
            any::<u64>().prop_map(|value| value.to_string()),
            (-1e300..1e300_f64).prop_map(|value| value.to_string()),
            any::<String>().prop_map(|value| serde_json::json!(value).to_string()),
        ];
        leaf.prop_recursive(3, 200, 80, |inner| {
            let member =
                (0..60_u8, inner.clone()).prop_map(|(n, value)| format!("\"k{n}\":{value}"));
            prop_oneof![
                prop::collection::vec(inner, 0..8).prop_map(|all| format!("[{}]", all.join(","))),
                prop::collection::vec(member, 0..90)
                    .prop_map(|all| format!("{{{}}}", all.join(","))),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_text_reads_and_writes_as_it_does_with_hashed_objects(text in json()) {
            let ours: Value = serde_json::from_str(&text).unwrap();
            let hashed: serde_json::Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(ours.to_string(), hashed.to_string());
        }
    }
}
