//! A batch export of PostHog's events. A row is an event as clients send it, and is read as that.

use serde_json::{Map, Value};

use super::{
    Omission,
    known::Known,
    rows::{Adapter, Read, Row},
};
use crate::events::accept::protocols::{
    Item,
    json::{take_text, to_text},
    read_posthog,
};

pub(super) const ADAPTER: Adapter = Adapter {
    file: "batch export of PostHog's events",
    required: &["event", "distinct_id", "timestamp"],
    omissions: &[
        omission("person_properties", "Traits of people aren't imported"),
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

fn read(mut row: Map<String, Value>) -> Read {
    // In Parquet, and in columns of other databases, objects are texts.
    for name in ["properties", "set"] {
        if let Some(Value::String(text)) = row.get(name) {
            let Ok(object) = serde_json::from_str::<Map<String, Value>>(text) else {
                return Read::Refused(format!("`{name}` is no JSON object"));
            };
            row.insert(name.to_owned(), object.into());
        }
    }
    if let Some(Value::String(time)) = row.get_mut("timestamp") {
        // ClickHouse writes a space where ISO 8601 has a T.
        *time = time.replacen(' ', "T", 1);
    }
    let empty = Map::new();
    let properties = row
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let known = known(properties);
    let id = row.get("uuid").and_then(to_text);
    let page = properties.get("$pathname").and_then(to_text);
    take_text(&mut row, &["created_at"]);
    match read_posthog(row) {
        Err(fault) => Read::Refused(super::describe_fault(&fault)),
        Ok(items) => {
            let mut events = Vec::new();
            for item in items {
                let Item::Event(input) = item else { continue };
                let mut input = *input;
                input.url = input.url.or_else(|| page.clone());
                events.push(Row {
                    input,
                    known: known.clone(),
                    id: id.clone(),
                });
            }
            if events.is_empty() {
                return Read::LeftOut("events that describe people, groups or recordings");
            }
            Read::Events(events)
        }
    }
}

/// What PostHog found out about the visitor.
fn known(properties: &Map<String, Value>) -> Known {
    let text = |name: &str| properties.get(name).and_then(to_text);
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
