//! The caller's own properties: at most 50 keys, at most 32 KB as compact JSON.
//!
//! They are read and written again, so what is stored is always valid JSON: one value per key, no lone surrogates, no
//! NUL characters (they end strings in some stores).

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Map, Value};

/// Keys per event.
pub(super) const MAX_KEYS: usize = 50;
/// Bytes of the compact form.
pub(super) const MAX_BYTES: usize = 32 * 1_024;
/// Raw bytes that are read at all: every character escaped, and generous white space.
const MAX_RAW: usize = 8 * MAX_BYTES;

/// Why properties are refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// Over 32 KB (413).
    TooLarge,
    /// Code and text of a 400.
    Invalid(&'static str, String),
}

/// Reads properties and gives their compact form; keys of more than `longest_key` characters are refused.
pub(super) fn read(raw: &str, longest_key: usize) -> Result<String, Broken> {
    if !raw.starts_with('{') {
        let message = "`properties` must be an object".to_owned();
        return Err(Broken::Invalid("invalid_type", message));
    }
    if raw.len() > MAX_RAW {
        return Err(Broken::TooLarge);
    }
    let mut json = serde_json::Deserializer::from_str(raw);
    let top = json.deserialize_map(Top).map_err(|error| broken(&error))?;
    let Some(top) = top else {
        let message = format!("`properties` must have at most {MAX_KEYS} keys");
        return Err(Broken::Invalid("too_many_keys", message));
    };
    if let Some(key) = top
        .iter()
        .map(|(key, _)| key)
        .find(|key| super::clean::longer_than(key, longest_key))
    {
        let shown = super::clean::cut(key, 32);
        let message = format!("The key `{shown}…` is longer than {longest_key} characters");
        return Err(Broken::Invalid("too_long", message));
    }
    let compact = if raw.contains("\\u0000") {
        serde_json::to_string(&without_nul(top))
    } else {
        serde_json::to_string(&Object(&top))
    };
    let compact = compact.map_err(|error| broken(&error))?;
    if compact.len() > MAX_BYTES {
        return Err(Broken::TooLarge);
    }
    Ok(compact)
}

/// What [`read`] gives, of JSON that is compact already and whose outer object has few and short names, each once.
pub(super) fn read_compact(text: String) -> Result<String, Broken> {
    if text.contains("\\u0000") {
        return read(&text, usize::MAX);
    }
    if text.len() > MAX_BYTES {
        return Err(Broken::TooLarge);
    }
    Ok(text)
}

fn broken(error: &serde_json::Error) -> Broken {
    Broken::Invalid("invalid_json", format!("`properties`: {error}"))
}

/// Keys and values of the outer object; so few that looking them through beats hashing them.
type Pairs<'de> = Vec<(Cow<'de, str>, Value)>;

/// A key, which stays where it is as long as nothing in it is escaped.
#[derive(Deserialize)]
struct Key<'k>(#[serde(borrow)] Cow<'k, str>);

/// Reads the outer object and gives up at one key too many.
struct Top;

impl<'de> Visitor<'de> for Top {
    type Value = Option<Pairs<'de>>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut top = Pairs::with_capacity(8);
        let mut fits = true;
        while let Some(Key(key)) = map.next_key()? {
            if !fits {
                map.next_value::<serde::de::IgnoredAny>()?;
                continue;
            }
            let value = map.next_value()?;
            match top.iter_mut().find(|(known, _)| *known == key) {
                Some((_, earlier)) => *earlier = value,
                None => top.push((key, value)),
            }
            fits = top.len() <= MAX_KEYS;
        }
        Ok(fits.then_some(top))
    }
}

/// The object as it is stored.
struct Object<'p, 'de>(&'p Pairs<'de>);

impl Serialize for Object<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

fn without_nul<K: AsRef<str>>(pairs: impl IntoIterator<Item = (K, Value)>) -> Map<String, Value> {
    pairs
        .into_iter()
        .map(|(key, value)| (key.as_ref().replace('\0', ""), value_without_nul(value)))
        .collect()
}

/// The depth is bounded by the parser's own limit.
fn value_without_nul(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace('\0', "")),
        Value::Array(values) => values.into_iter().map(value_without_nul).collect(),
        Value::Object(map) => Value::Object(without_nul(map)),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(raw: &str) -> &'static str {
        match read(raw, 128) {
            Ok(_) => "ok",
            Err(Broken::TooLarge) => "413",
            Err(Broken::Invalid(code, _)) => code,
        }
    }

    fn keys(count: usize) -> String {
        let pairs: Vec<String> = (0..count).map(|key| format!("\"k{key}\":{key}")).collect();
        format!("{{{}}}", pairs.join(","))
    }

    #[test]
    fn fifty_keys_and_no_more() {
        assert_eq!(code(&keys(50)), "ok");
        assert_eq!(code(&keys(51)), "too_many_keys");
        assert_eq!(code(&keys(15_000)), "too_many_keys");
    }

    #[test]
    fn a_key_that_comes_twice_counts_once() {
        let twice = format!("{},\"k0\":\"last\"}}", keys(50).trim_end_matches('}'));
        assert!(read(&twice, 128).unwrap().contains("\"k0\":\"last\""));
    }

    #[test]
    fn thirty_two_kilobytes_of_compact_json() {
        let sized = |bytes: usize| format!("{{ \"k\" : \"{}\" }}", "x".repeat(bytes - 8));
        assert_eq!(read(&sized(MAX_BYTES), 128).unwrap().len(), MAX_BYTES);
        assert_eq!(code(&sized(MAX_BYTES + 1)), "413");
        assert_eq!(code(&sized(20 * MAX_BYTES)), "413");
    }

    #[test]
    fn the_compact_form_counts_not_the_escaped_one() {
        let escaped = format!("{{\"k\":\"{}\"}}", "\\u0041".repeat(MAX_BYTES - 8));
        assert_eq!(code(&escaped), "ok");
    }

    #[test]
    fn broken_values_are_refused_in_words() {
        for raw in [
            r#"{"a":"\ud800"}"#,
            r#"{"a":1e999}"#,
            &format!("{{\"a\":{}{}}}", "[".repeat(500), "]".repeat(500)),
        ] {
            assert_eq!(code(raw), "invalid_json", "{raw}");
        }
        for raw in ["[]", "1", "\"text\"", "true"] {
            assert_eq!(code(raw), "invalid_type", "{raw}");
        }
    }

    #[test]
    fn nul_characters_are_taken_out_everywhere() {
        let text = read(
            r#"{"a\u0000":["b\u0000",{"c\u0000":"\u0000"}],"n":1.50}"#,
            128,
        )
        .unwrap();
        assert_eq!(text, r#"{"a":["b",{"c":""}],"n":1.5}"#);
    }

    #[test]
    fn long_keys_are_refused() {
        let raw = |length: usize| format!("{{\"{}\":1}}", "ä".repeat(length));
        assert_eq!(code(&raw(128)), "ok");
        assert_eq!(code(&raw(129)), "too_long");
    }
}
