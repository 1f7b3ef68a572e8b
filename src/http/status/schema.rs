//! Schemas of the documents in the shape of Statuspage's API v2, and of the JSON feed.

use serde_json::{Map, Value, json};

/// A document with the page and these parts of it.
pub(super) fn document(parts: &[&str]) -> Value {
    let mut properties = Map::new();
    properties.insert("page".into(), page());
    for part in parts {
        let schema = match *part {
            "status" => object(&json!({
                "indicator": { "enum": ["none", "minor", "major", "critical", "maintenance"] },
                "description": { "type": "string" },
            })),
            "components" => json!({ "type": "array", "items": component() }),
            _ => json!({ "type": "array", "items": incident() }),
        };
        properties.insert((*part).to_owned(), schema);
    }
    object(&Value::Object(properties))
}

/// An object all of whose members are there.
fn object(properties: &Value) -> Value {
    let names: Vec<&String> = properties
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
        .collect();
    json!({ "type": "object", "required": names, "properties": properties })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn moment() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

fn perhaps_moment() -> Value {
    json!({ "type": ["string", "null"], "format": "date-time" })
}

fn page() -> Value {
    object(&json!({
        "id": text(), "name": text(), "url": text(), "time_zone": text(), "updated_at": moment(),
    }))
}

fn component() -> Value {
    let mut component = object(&json!({
        "id": text(), "name": text(),
        "status": { "enum": ["operational", "degraded_performance", "partial_outage", "major_outage", "under_maintenance"] },
        "created_at": moment(), "updated_at": moment(), "position": { "type": "integer" },
        "description": { "type": ["string", "null"] }, "showcase": { "type": "boolean" },
        "start_date": { "type": ["string", "null"] }, "group_id": { "type": ["string", "null"] },
        "group": { "type": "boolean" }, "page_id": text(), "only_show_if_degraded": { "type": "boolean" },
    }));
    component["properties"]["components"] = json!({ "type": "array", "items": text(), "description": "Of a group: ids of its members" });
    component
}

fn incident() -> Value {
    let update = object(&json!({
        "id": text(), "status": text(), "body": text(), "incident_id": text(), "created_at": moment(),
        "updated_at": moment(), "display_at": moment(),
    }));
    let mut incident = object(&json!({
        "id": text(), "name": text(), "status": text(), "impact": text(), "shortlink": text(),
        "created_at": moment(), "updated_at": moment(), "monitoring_at": perhaps_moment(),
        "resolved_at": perhaps_moment(), "started_at": moment(), "page_id": text(),
        "incident_updates": { "type": "array", "items": update },
    }));
    for (name, schema) in [
        ("postmortem_body", text()),
        ("postmortem_published_at", moment()),
        ("scheduled_for", moment()),
        ("scheduled_until", moment()),
    ] {
        incident["properties"][name] = schema;
    }
    incident
}

pub(super) fn feed() -> Value {
    let item = object(&json!({
        "id": text(), "url": text(), "title": text(), "content_html": text(), "date_published": moment(),
        "date_modified": moment(),
    }));
    object(&json!({
        "version": text(), "title": text(), "language": text(), "home_page_url": text(), "feed_url": text(),
        "items": { "type": "array", "items": item },
    }))
}
