//! Whose a PostHog event is: a visitor, a person, or a person who was that visitor.

use std::fmt;

use super::super::{Item, Origin, Person, Request, json};
use crate::{
    events::tree::{Object, Text, Value},
    fault::Fault,
};

/// Libraries that run where the visitor is.
const AT_VISITOR: &[&str] = &[
    "web",
    "js",
    "posthog-js",
    "posthog-js-lite",
    "posthog-ios",
    "posthog-android",
    "posthog-react-native",
    "posthog-flutter",
];

/// What an event says about whose it is.
#[derive(Clone)]
pub(super) struct Whose<'a> {
    pub(super) distinct: Text<'a>,
    pub(super) profile: Option<Text<'a>>,
    pub(super) anonymous: Option<Text<'a>>,
    pub(super) origin: Origin<'a>,
}

impl<'a> Whose<'a> {
    /// The person, who is that visitor.
    pub(super) fn person(&self, anonymous: Option<Text<'a>>, traits: Object<'a>) -> Item<'a> {
        Item::Person(Box::new(Person {
            profile: self.distinct.clone(),
            anonymous,
            traits,
            origin: self.origin.clone(),
            ..Person::default()
        }))
    }
}

/// A person, of an event that is nothing else.
pub(super) fn name_person<'a>(
    name: &str,
    properties: &mut Object<'a>,
    whose: &Whose<'a>,
    traits: Object<'a>,
    place: fmt::Arguments<'_>,
) -> Result<Item<'a>, Fault> {
    match name {
        "$set" => Ok(whose.person(None, traits)),
        "$identify" => {
            let anonymous = json::take_text(properties, &["$anon_distinct_id"]);
            Ok(whose.person(anonymous, traits))
        }
        _ => {
            let alias = json::take_text(properties, &["alias"]);
            let alias = alias.ok_or_else(|| json::missing(format!("{place}properties.alias")))?;
            let library = properties.get("$lib").and_then(Value::as_str);
            // The library for Python names the former id first.
            if library == Some("posthog-python") {
                let person = Whose {
                    distinct: alias,
                    ..whose.clone()
                };
                return Ok(person.person(Some(whose.distinct.clone()), traits));
            }
            Ok(whose.person(Some(alias), traits))
        }
    }
}

pub(super) fn find_whose<'a>(distinct: Text<'a>, properties: &Object<'a>, request: &Request<'_>) -> Whose<'a> {
    let text = |name: &str| properties.get(name).and_then(json::to_text);
    let says = |name: &str, value: bool| properties.get(name) == Some(&Value::Bool(value));
    let at_visitor = request.is_at_visitor(text("$lib").as_deref(), AT_VISITOR);
    let is_server = says("$is_server", true) || !at_visitor;
    let user_agent = text("$raw_user_agent").or(text("$user_agent"));
    let origin = Origin {
        is_server,
        // In browsers, the header says more.
        user_agent: user_agent.filter(|_| is_server),
        address: text("$ip").and_then(|text| text.trim().parse().ok()),
    };
    let device = text("$device_id");
    let is_person = if is_server {
        !says("$process_person_profile", false)
    } else {
        says("$is_identified", true) || text("$user_id").is_some()
    };
    Whose {
        profile: is_person.then(|| distinct.clone()),
        anonymous: match device {
            Some(device) => Some(device),
            None if is_person && is_server => None,
            None => Some(distinct.clone()),
        },
        distinct,
        origin,
    }
}
