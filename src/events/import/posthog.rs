//! A batch export of PostHog's events. A row is an event as clients send it, and is read as that.

use super::{
    Omission,
    cells::RowKind,
    known::Known,
    rows::{Adapter, Read, Row},
};
use crate::events::accept::protocols::{
    Item, Person,
    json::{take_object, take_text, to_text},
    read_posthog,
};
use crate::events::tree::{Object, Text, Value};

pub(super) const ADAPTER: Adapter = Adapter {
    rows: RowKind {
        file: "batch export of PostHog's events",
        required: &["event", "distinct_id", "timestamp"],
    },
    omissions: &[
        omission(
            "properties.$set_once",
            "Only the latest traits of a person are kept",
        ),
        omission("elements_chain", "Autocaptured elements have no place"),
        omission("group_0", "Groups have no place"),
        omission("properties.$groups", "Groups have no place"),
        omission(
            "properties.$feature_flag",
            "Which variant was seen stays a property; flags are imported by themselves",
        ),
    ],
    read,
};

const fn omission(field: &'static str, reason: &'static str) -> Omission {
    Omission { field, reason }
}

fn read(mut row: Object<'_>) -> Read<'_> {
    // In Parquet, and in columns of other databases, objects are texts.
    for name in ["properties", "set", "person_properties"] {
        if let Some(Value::String(text)) = row.get_mut(name) {
            let text = std::mem::take(text);
            let text = if text.is_empty() { "{}".into() } else { text };
            let Ok(object) = Object::parse(text) else {
                return Read::Refused(format!("`{name}` is no JSON object"));
            };
            row.insert(name, object.into());
        }
    }
    if let Some(Value::String(time)) = row.get_mut("timestamp") {
        // ClickHouse writes a space where ISO 8601 has a T.
        *time = time.replacen(' ', "T", 1).into();
    }
    let empty = Object::new();
    let properties = row
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let known = known(properties);
    let id = row.get("uuid").and_then(to_text).map(Text::into_owned);
    let page = properties.get("$pathname").and_then(to_text);
    take_text(&mut row, &["created_at"]);
    let time = row.get("timestamp").cloned();
    let traits = take_traits(&mut row);
    match read_posthog(row) {
        Err(fault) => Read::Refused(super::describe_fault(&fault)),
        Ok(items) => {
            let mut row = Row {
                known,
                id,
                ..Row::default()
            };
            for item in items {
                match item {
                    Item::Event(input) => row.input = Some(*input),
                    Item::Person(person) => row.person = Some((*person, time.clone())),
                }
            }
            if let Some(input) = &mut row.input {
                input.url = input.url.take().or(page);
            }
            put_traits(&mut row, traits, time);
            if row.input.is_none() && row.person.is_none() {
                return Read::LeftOut("recordings, and what the library says about itself");
            }
            Read::Rows(vec![row])
        }
    }
}

/// What was known of the person, but for what PostHog itself notes.
fn take_traits<'a>(row: &mut Object<'a>) -> Object<'a> {
    let mut traits = take_object(row, &["person_properties"]);
    traits.retain(|key, _| !key.starts_with('$'));
    traits
}

/// Adds what was known of the person to what the event itself says. Someone who was not identified is no person.
fn put_traits<'a>(row: &mut Row<'a>, traits: Object<'a>, time: Option<Value<'a>>) {
    if let Some((person, _)) = &mut row.person {
        let said = std::mem::replace(&mut person.traits, traits);
        person.traits.extend(said);
        return;
    }
    let profile = row.input.as_ref().and_then(|input| input.profile.clone());
    if let (Some(profile), false) = (profile, traits.is_empty()) {
        let person = Person {
            profile,
            traits,
            ..Person::default()
        };
        row.person = Some((person, time));
    }
}

/// What PostHog found out about the visitor.
fn known(properties: &Object<'_>) -> Known {
    let text = |name: &str| {
        let text = properties.get(name).and_then(to_text);
        text.map(Text::into_owned)
    };
    Known {
        browser: text("$browser"),
        browser_version: text("$browser_version"),
        os: text("$os"),
        os_version: text("$os_version"),
        device: text("$device_type"),
        brand: text("$device_manufacturer"),
        model: text("$device_model"),
        country: text("$geoip_country_code"),
        region: text("$geoip_subdivision_1_name"),
        city: text("$geoip_city_name"),
    }
}
