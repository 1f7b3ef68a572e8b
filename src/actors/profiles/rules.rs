//! Pure decisions: which traits are lifted out, and how much one person may have.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::{actors::validation::ValidationError, events::accept::identify::TraitValue};

/// Traits that one person may have, over all calls.
pub(super) const MAX_KEPT: usize = 200;
/// Characters of them as compact JSON.
pub(super) const MAX_CHARACTERS: usize = 16_384;
/// The trait that is sealed.
pub(super) const EMAIL: &str = "email";
/// Traits that say how the person is called; the first one that is there counts.
const NAMES: [&str; 2] = ["username", "name"];

/// What a call does to a person's address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Email {
    #[default]
    Keep,
    Drop,
    Set(String),
}

/// What a call wants to change.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Patch {
    pub(super) email: Email,
    /// Values as JSON; `None` deletes.
    pub(super) traits: Vec<(String, Option<String>)>,
}

impl Patch {
    /// Leaves only what the profile lacks.
    pub(super) fn only_add(&mut self, before: &BTreeMap<String, String>, has_email: bool) {
        self.traits
            .retain(|(key, value)| value.is_some() && !before.contains_key(key));
        if has_email || self.email == Email::Drop {
            self.email = Email::Keep;
        }
    }
}

/// Lifts the address out of the traits of a call.
pub(super) fn patch(traits: Vec<(String, Option<TraitValue>)>) -> Result<Patch, ValidationError> {
    let mut patch = Patch::default();
    for (key, value) in traits {
        if key != EMAIL {
            let json = value.map(|value| value.to_json().to_string());
            patch.traits.push((key, json));
            continue;
        }
        patch.email = match value {
            None => Email::Drop,
            Some(TraitValue::Text(text)) => match email(&text) {
                address if address.is_empty() => Email::Drop,
                address => Email::Set(address),
            },
            Some(_) => {
                let message = "`traits.email` must be a string";
                return Err(ValidationError::new("traits.email", message));
            }
        };
    }
    Ok(patch)
}

/// An address as it is kept and compared.
pub(super) fn email(text: &str) -> String {
    text.trim().to_lowercase()
}

/// The changes that turn `before` into what a call wants.
pub(super) fn changes(
    before: &BTreeMap<String, String>,
    wanted: Vec<(String, Option<String>)>,
) -> Result<Vec<(String, Option<String>)>, ValidationError> {
    let changes: Vec<_> = wanted
        .into_iter()
        .filter(|(key, value)| before.get(key) != value.as_ref())
        .collect();
    let kept = before
        .iter()
        .filter(|(key, _)| changes.iter().all(|(changed, _)| changed != *key));
    let set = changes
        .iter()
        .filter_map(|(key, value)| Some((key, value.as_ref()?)));
    let (mut count, mut characters) = (0, 1);
    for (key, value) in kept.chain(set) {
        count += 1;
        // A key and its value, with quotes, colon and comma.
        characters += key.chars().count() + value.chars().count() + 4;
    }
    let grows = changes.iter().any(|(_, value)| value.is_some());
    if grows && (count > MAX_KEPT || characters > MAX_CHARACTERS) {
        let message = format!(
            "The profile would have {count} traits in {characters} characters; {MAX_KEPT} in {MAX_CHARACTERS} are \
             the most. Delete some by setting them to null"
        );
        return Err(ValidationError::new("traits", message));
    }
    Ok(changes)
}

/// How a person is called (`username` wins).
pub(super) fn display_name(traits: &Map<String, Value>) -> Option<String> {
    NAMES
        .iter()
        .filter_map(|name| match traits.get(*name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
        .find(|name| !name.is_empty())
}

/// A stored value as text, the way filters compare it.
pub(super) fn plain(json: &str) -> String {
    match serde_json::from_str(json) {
        Ok(Value::String(text)) => text,
        _ => json.to_owned(),
    }
}

/// The stored values that read like this text.
pub(super) fn spellings(text: &str) -> Vec<String> {
    let mut spellings = vec![Value::from(text).to_string()];
    let bare: Option<Value> = serde_json::from_str(text).ok();
    if bare.is_some_and(|value| value.is_number() || value.is_boolean()) {
        spellings.push(text.to_owned());
    }
    spellings
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(text: &str) -> TraitValue {
        TraitValue::Text(text.to_owned())
    }

    #[test]
    fn the_address_is_lifted_and_lower_case() {
        let lifted = patch(vec![
            ("email".into(), Some(text(" Anna@Example.COM "))),
            ("plan".into(), Some(text("pro"))),
            ("seats".into(), Some(TraitValue::Number(3.0))),
            ("old".into(), None),
        ])
        .unwrap();
        assert_eq!(lifted.email, Email::Set("anna@example.com".into()));
        assert_eq!(
            lifted.traits,
            [
                ("plan".into(), Some("\"pro\"".into())),
                ("seats".into(), Some("3".into())),
                ("old".into(), None)
            ]
        );
        for gone in [None, Some(text(" "))] {
            let dropped = patch(vec![("email".into(), gone)]).unwrap();
            assert_eq!(dropped.email, Email::Drop);
        }
        let refused = patch(vec![("email".into(), Some(TraitValue::Bool(true)))]).unwrap_err();
        assert_eq!(refused.field, "traits.email");
        assert_eq!(patch(Vec::new()).unwrap(), Patch::default());
    }

    #[test]
    fn only_what_differs_is_written() {
        let before = BTreeMap::from([("a".to_owned(), "1".to_owned()), ("b".into(), "2".into())]);
        let wanted = vec![
            ("a".to_owned(), Some("1".to_owned())),
            ("b".into(), None),
            ("c".into(), Some("3".into())),
            ("nobody".into(), None),
        ];
        assert_eq!(
            changes(&before, wanted).unwrap(),
            [("b".into(), None), ("c".into(), Some("3".into()))]
        );
    }

    #[test]
    fn older_history_only_adds() {
        let before = BTreeMap::from([("plan".to_owned(), "1".to_owned())]);
        let said = Patch {
            email: Email::Set("a@b.example".into()),
            traits: vec![
                ("plan".into(), Some("2".into())),
                ("seats".into(), Some("3".into())),
                ("gone".into(), None),
            ],
        };
        let mut kept = said.clone();
        kept.only_add(&before, true);
        let seats = vec![("seats".to_owned(), Some("3".to_owned()))];
        assert_eq!((kept.email, kept.traits), (Email::Keep, seats));
        let mut kept = said;
        kept.only_add(&before, false);
        assert_eq!(kept.email, Email::Set("a@b.example".into()));
    }

    #[test]
    fn one_person_has_a_bounded_number_of_traits() {
        let full: BTreeMap<String, String> = (0..MAX_KEPT)
            .map(|n| (format!("k{n}"), "1".into()))
            .collect();
        let set = |key: &str| (key.to_owned(), Some("2".to_owned()));
        assert!(changes(&full, vec![set("k0")]).is_ok());
        assert!(changes(&full, vec![set("one more")]).is_err());
        let swapped = vec![("k0".to_owned(), None), set("another")];
        assert!(changes(&full, swapped).is_ok());
        assert!(changes(&full, vec![("k0".to_owned(), None)]).is_ok());

        // A key of one character costs five on top of its value, and there is one brace.
        let value = |length: usize| vec![("k".to_owned(), Some("x".repeat(length)))];
        let none = BTreeMap::new();
        assert!(changes(&none, value(MAX_CHARACTERS - 6)).is_ok());
        assert!(changes(&none, value(MAX_CHARACTERS - 5)).is_err());
    }

    #[test]
    fn the_username_wins() {
        let name = |value: Value| display_name(value.as_object().unwrap());
        assert_eq!(
            name(json!({"name": "Anna", "username": "anna7"})).as_deref(),
            Some("anna7")
        );
        assert_eq!(
            name(json!({"name": "Anna", "username": ""})).as_deref(),
            Some("Anna")
        );
        assert_eq!(name(json!({"name": 7})).as_deref(), Some("7"));
        assert_eq!(name(json!({"name": true})), None);
    }

    #[test]
    fn values_are_compared_as_text() {
        for (json, text) in [
            ("\"pro\"", "pro"),
            ("3", "3"),
            ("true", "true"),
            ("\"3\"", "3"),
        ] {
            assert_eq!(plain(json), text);
            assert!(spellings(text).contains(&json.to_owned()), "{json}");
        }
        assert_eq!(spellings("{}"), ["\"{}\""]);
    }
}
