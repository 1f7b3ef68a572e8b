//! Who a visitor is: the body of `POST /identify`.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};

use super::{
    clean,
    custom::named,
    field::{Check, ID},
    invalid,
    wire::{self, Item, Value, fields},
};
use crate::{events::enrich::visitor::Anonymize, fault::Fault};

/// Traits of one call.
pub const MAX_TRAITS: usize = 50;
/// Characters of the traits of one call as compact JSON.
pub const MAX_CHARACTERS: usize = 2_048;
/// Raw bytes that are read at all: every character escaped, and generous white space.
const MAX_RAW: usize = 16 * MAX_CHARACTERS;

fields! {
    Sent, required [profile_id] {
        profile_id: Value = "profileId",
        anonymous_id: Value = "anonymousId",
        traits: Raw = "traits",
        website_id: Value = "websiteId",
        anonymize: Value = "anonymizeVisitorIds",
    }
}

/// What is known of a person beyond their events.
#[derive(Debug, Clone, PartialEq)]
pub enum TraitValue {
    Text(String),
    /// A number; never NaN.
    Number(f64),
    Bool(bool),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Identified {
    /// The caller's own id of the person.
    pub profile: String,
    /// The tracker's id of the browser, empty when not said.
    pub anonymous: String,
    /// How the browser's id is salted, if the caller says.
    pub anonymize: Option<Anonymize>,
    /// Traits to set, in order; `None` deletes one.
    pub traits: Vec<(String, Option<TraitValue>)>,
}

/// A body of `/identify`, read but not checked: its website id says who has to be asked first.
pub struct Body<'a>(Item<Sent<'a>>);

/// Takes a body apart.
pub fn read(bytes: &[u8]) -> Result<Body<'_>, Fault> {
    Ok(match wire::read(bytes)? {
        wire::Body::One(item) => Body(item),
        wire::Body::Many(_) => Body(Item::Other),
    })
}

impl Body<'_> {
    pub fn website_id(&self) -> Option<&str> {
        match &self.0 {
            Item::Object(sent) => named(&sent.website_id),
            Item::Hollow | Item::Other => None,
        }
    }

    /// Checks every field.
    pub fn accept(self) -> Result<Identified, Fault> {
        let mut check = Check::new(None, 0);
        let Item::Object(sent) = self.0 else {
            return Err(invalid(check.no_object().into_issues()));
        };
        let identified = Identified {
            profile: check.name("profileId", &sent.profile_id, ID),
            anonymous: check
                .text("anonymousId", &sent.anonymous_id, ID)
                .unwrap_or_default(),
            anonymize: check.said_to_anonymize(&sent.anonymize),
            traits: traits(&mut check, sent.traits.0),
        };
        check.text("websiteId", &sent.website_id, ID);
        check.finish(identified)
    }
}

/// The issue of a call that names no website although nothing else does.
pub fn missing_website() -> Fault {
    let mut check = Check::new(None, 0);
    check.issue(
        "required",
        "websiteId",
        "Missing websiteId: a call with a key for several websites has to name one".to_owned(),
    );
    invalid(check.into_issues())
}

fn traits(check: &mut Check, raw: Option<&str>) -> Vec<(String, Option<TraitValue>)> {
    let Some(raw) = raw else {
        return Vec::new();
    };
    if raw.len() > MAX_RAW {
        too_long(check);
        return Vec::new();
    }
    if !raw.starts_with('{') {
        check.issue(
            "invalid_type",
            "traits",
            "`traits` must be an object".to_owned(),
        );
        return Vec::new();
    }
    let mut json = serde_json::Deserializer::from_str(raw);
    let Traits(sent) = match Traits::deserialize(&mut json) {
        Ok(traits) => traits,
        Err(error) => {
            check.issue("invalid_json", "traits", format!("`traits`: {error}"));
            return Vec::new();
        }
    };
    if sent.len() > MAX_TRAITS {
        let message = format!("`traits` must have at most {MAX_TRAITS} keys");
        check.issue("too_many_keys", "traits", message);
        return Vec::new();
    }
    let mut characters = 2 + sent.len().saturating_sub(1);
    let mut kept = Vec::with_capacity(sent.len());
    for (key, value) in sent {
        let field = format!("traits.{}", clean::cut(&clean::line(&key), 32));
        let value = match value {
            Value::Compound => {
                let message = format!("`{field}` must be a string, a number, a boolean or null");
                check.issue("invalid_type", &field, message);
                continue;
            }
            Value::Absent => None,
            Value::Bool(value) => Some(TraitValue::Bool(value)),
            Value::Number(value) => Some(TraitValue::Number(value)),
            Value::Text(value) => Some(TraitValue::Text(clean::line(&value).into_owned())),
        };
        let key = clean::line(&key).into_owned();
        if key.is_empty() {
            let message = "A key of `traits` must not be empty".to_owned();
            check.issue("too_short", "traits", message);
            continue;
        }
        characters += quoted(&key)
            + 1
            + value
                .as_ref()
                .map_or(4, |value| to_json_text(value).chars().count());
        kept.push((key, value));
    }
    if characters > MAX_CHARACTERS {
        too_long(check);
    }
    kept
}

fn too_long(check: &mut Check) {
    let message = format!("`traits` must be at most {MAX_CHARACTERS} characters as JSON");
    check.issue("too_long", "traits", message);
}

fn quoted(text: &str) -> usize {
    serde_json::Value::from(text).to_string().chars().count()
}

fn to_json_text(value: &TraitValue) -> String {
    value.to_json().to_string()
}

impl TraitValue {
    /// The value as JSON; whole numbers have no fraction.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Bool(value) => (*value).into(),
            Self::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                (*number as i64).into()
            }
            Self::Number(number) => (*number).into(),
        }
    }
}

/// Traits as sent; of a key that comes twice the last counts, in its first place.
struct Traits<'a>(Vec<(String, Value<'a>)>);

impl<'de> Deserialize<'de> for Traits<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;

        impl<'de> Visitor<'de> for Pairs {
            type Value = Traits<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Traits<'de>, A::Error> {
                let mut pairs: Vec<(String, Value<'de>)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, Value<'de>>()? {
                    if let Some(pair) = pairs.iter_mut().find(|(known, _)| *known == key) {
                        pair.1 = value;
                    } else if pairs.len() <= MAX_TRAITS {
                        // One too many is enough to refuse it.
                        pairs.push((key, value));
                    }
                }
                Ok(Traits(pairs))
            }
        }

        deserializer.deserialize_map(Pairs)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::test_fixture::codes, *};

    fn accept(body: &serde_json::Value) -> Result<Identified, Fault> {
        read(body.to_string().as_bytes())?.accept()
    }

    fn issues(body: &serde_json::Value) -> Vec<(String, String)> {
        codes(accept(body).unwrap_err())
    }

    fn pair(code: &str, field: &str) -> Vec<(String, String)> {
        vec![(code.to_owned(), field.to_owned())]
    }

    #[test]
    fn every_field_arrives() {
        let sent = json!({
            "profileId": " user-7 ", "anonymousId": "anon_1", "websiteId": "w", "anonymizeVisitorIds": "auto", "more": [],
            "traits": {"plan": "pro\n", "seats": 3.0, "ratio": 0.5, "trial": false, "gone": null},
        });
        let identified = accept(&sent).unwrap();
        assert_eq!(identified.profile, "user-7");
        assert_eq!(identified.anonymous, "anon_1");
        assert_eq!(identified.anonymize, Some(Anonymize::Auto));
        let text = |value: &Option<TraitValue>| value.as_ref().map(to_json_text);
        let traits: Vec<_> = identified
            .traits
            .iter()
            .map(|(key, value)| (key.as_str(), text(value)))
            .collect();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            traits,
            [
                ("plan", some("\"pro\"")),
                ("seats", some("3")),
                ("ratio", some("0.5")),
                ("trial", some("false")),
                ("gone", None)
            ]
        );
        let least =
            accept(&json!({"profileId": "u", "anonymousId": null, "traits": null})).unwrap();
        assert_eq!((least.anonymous.as_str(), least.anonymize), ("", None));
        assert!(least.traits.is_empty());
    }

    #[test]
    fn what_breaks_a_rule_is_named() {
        for (body, wanted) in [
            (json!({}), pair("required", "profileId")),
            (json!({"profileId": " "}), pair("too_short", "profileId")),
            (json!({"profileId": 7}), pair("invalid_type", "profileId")),
            (
                json!({"profileId": "u", "anonymousId": {}}),
                pair("invalid_type", "anonymousId"),
            ),
            (
                json!({"profileId": "u", "anonymizeVisitorIds": 1}),
                pair("invalid_value", "anonymizeVisitorIds"),
            ),
            (
                json!({"profileId": "u", "traits": []}),
                pair("invalid_type", "traits"),
            ),
            (
                json!({"profileId": "u", "traits": {"a": {}}}),
                pair("invalid_type", "traits.a"),
            ),
            (
                json!({"profileId": "u", "traits": {"a": [1]}}),
                pair("invalid_type", "traits.a"),
            ),
            (
                json!({"profileId": "u", "traits": {"": 1}}),
                pair("too_short", "traits"),
            ),
            (json!([{"profileId": "u"}]), pair("invalid_type", "")),
            (json!("u"), pair("invalid_type", "")),
        ] {
            assert_eq!(issues(&body), wanted, "{body}");
        }
    }

    #[test]
    fn both_sides_of_every_limit() {
        let id =
            |length| json!({"profileId": "ä".repeat(length), "anonymousId": "b".repeat(length)});
        assert!(accept(&id(256)).is_ok());
        assert_eq!(issues(&id(257)).len(), 2);

        let keys = |count: usize| {
            let traits: serde_json::Map<_, _> =
                (0..count).map(|n| (format!("k{n}"), json!(1))).collect();
            json!({"profileId": "u", "traits": traits})
        };
        assert_eq!(accept(&keys(50)).unwrap().traits.len(), 50);
        assert_eq!(issues(&keys(51)), pair("too_many_keys", "traits"));

        // {"k":"…"} is eight characters longer than its value.
        let long = |length: usize| json!({"profileId": "u", "traits": {"k": "ä".repeat(length)}});
        assert!(accept(&long(2_040)).is_ok());
        assert_eq!(issues(&long(2_041)), pair("too_long", "traits"));
    }

    #[test]
    fn of_a_key_that_comes_twice_the_last_counts() {
        let body = br#"{"profileId": "u", "traits": {"a": 1, "b": 2, "a": null}}"#;
        let traits = read(body).unwrap().accept().unwrap().traits;
        assert_eq!(
            traits,
            [
                ("a".into(), None),
                ("b".into(), Some(TraitValue::Number(2.0)))
            ]
        );
    }
}
