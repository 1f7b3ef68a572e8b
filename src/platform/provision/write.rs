//! Sets fields of a thing, whichever procedures take them.

use serde_json::{Value, json};

use super::{
    api::OrganizationApi,
    check::without,
    kinds::{Body, Kind, fields},
};
use crate::{
    actors::status_pages::PageMonitorFields,
    fault::Fault,
    http::procedures::{
        status_page::{
            bodies::{MonitorBody, SettingsBody, StatusPageIdBody},
            pages,
        },
        uptime, websites,
    },
};

/// Sets fields of a thing that has the fields `current`.
pub(super) async fn write(
    api: &OrganizationApi,
    kind: &Kind,
    id: &str,
    wanted: &Body,
    current: &Body,
) -> Result<(), Fault> {
    let mut main = without(wanted, |field| kind.is_part(field));
    if kind.merges {
        for (field, value) in &mut main {
            *value = merge_patch(current.get(field), value);
        }
    }
    if let Some(destinations) = main.get_mut("destinations") {
        *destinations = keep_destination_ids(current.get("destinations"), destinations);
    }
    if !main.is_empty() {
        main.insert(kind.id.to_owned(), json!(id));
        api.ask(kind.update, Value::Object(main)).await?;
    }
    write_parts(api, kind, id, &only_parts(kind, wanted)).await
}

/// The merge patch (RFC 7396) that turns `current` into `wanted`.
fn merge_patch(current: Option<&Value>, wanted: &Value) -> Value {
    let (Some(Value::Object(current)), Value::Object(wanted)) = (current, wanted) else {
        return wanted.clone();
    };
    let gone = current.keys().filter(|name| !wanted.contains_key(*name));
    let gone = gone.map(|name| (name.clone(), Value::Null));
    let patched = wanted
        .iter()
        .map(|(name, value)| (name.clone(), merge_patch(current.get(name), value)));
    Value::Object(patched.chain(gone).collect())
}

/// Settings of a destination that a change keeps unless it names them, and their values without one.
const ROUTING: [(&str, Value); 4] = [
    ("severities", Value::Array(Vec::new())),
    ("quietHours", Value::Null),
    ("rateLimit", Value::Null),
    ("fallback", Value::Null),
];

/// Destinations that stay the same keep their ids, and with them their generated secrets.
fn keep_destination_ids(current: Option<&Value>, wanted: &Value) -> Value {
    let current = current
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let one = |wanted: &Value| {
        let mut wanted = fields(wanted.clone());
        let same = |other: &&Value| {
            ["type", "identifier"]
                .iter()
                .all(|name| wanted.get(*name) == other.get(name))
        };
        let id = current.iter().find(same).and_then(|other| other.get("id"));
        if let Some(id) = id {
            wanted.insert("id".to_owned(), id.clone());
            for (name, none) in ROUTING {
                wanted.entry(name).or_insert(none);
            }
        }
        Value::Object(wanted)
    };
    wanted.as_array().into_iter().flatten().map(one).collect()
}

pub(super) fn only_parts(kind: &Kind, body: &Body) -> Body {
    without(body, |field| !kind.is_part(field))
}

/// Sets the fields that procedures of their own change.
pub(super) async fn write_parts(
    api: &OrganizationApi,
    kind: &Kind,
    id: &str,
    parts: &Body,
) -> Result<(), Fault> {
    let mut settings = Body::new();
    for (field, value) in parts {
        match (kind.table, field.as_str()) {
            ("websites", "isPublic") => {
                let input = json!({ "id": id, "isPublic": value });
                api.ask(websites::TOGGLE_PUBLIC.erase(), input).await?;
            }
            ("websites", setting) => {
                let name = setting.trim_start_matches("settings.");
                settings.insert(name.to_owned(), value.clone());
            }
            ("monitors", _) => {
                let input = json!({ "scheduleId": id, "pause": value });
                api.ask(uptime::TOGGLE_PAUSE.erase(), input).await?;
            }
            _ => write_page_monitors(api, id, value).await?,
        }
    }
    if !settings.is_empty() {
        let input = json!({ "id": id, "settings": settings });
        api.ask(websites::UPDATE_SETTINGS.erase(), input).await?;
    }
    Ok(())
}

/// Puts exactly these monitors on a page, in this order.
async fn write_page_monitors(
    api: &OrganizationApi,
    page: &str,
    wanted: &Value,
) -> Result<(), Fault> {
    let wanted = wanted.as_array().into_iter().flatten();
    let wanted: Vec<Body> = wanted.cloned().map(fields).collect();
    let monitor = |one: &Body| {
        let id = one.get("uptimeScheduleId").and_then(Value::as_str);
        id.unwrap_or_default().to_owned()
    };
    let on_page = |uptime_schedule_id: String| MonitorBody {
        status_page_id: page.to_owned(),
        uptime_schedule_id,
    };
    let id = StatusPageIdBody {
        status_page_id: page.to_owned(),
    };
    let listed = api.call(&pages::GET, id).await?.monitors;
    for one in &listed {
        let id = &one.uptime_schedule_id;
        if !wanted.iter().any(|wanted| monitor(wanted) == *id) {
            let gone = on_page(id.clone());
            api.call(&pages::REMOVE_MONITOR, gone).await?;
        }
    }
    for (order, one) in wanted.iter().enumerate() {
        let id = monitor(one);
        let there = listed.iter().find(|listed| listed.uptime_schedule_id == id);
        let monitor_id = if let Some(listed) = there {
            listed.id.clone()
        } else {
            api.call(&pages::ADD_MONITOR, on_page(id)).await?.id
        };
        let defaults = json!(PageMonitorFields::default());
        let mut said = fields(defaults);
        said.insert("order".to_owned(), json!(order));
        said.extend(without(one, |field| {
            ["uptimeScheduleId", "id", "statusPageId", "uptimeSchedule"].contains(&field)
        }));
        let fields = said.into();
        let settings = SettingsBody { monitor_id, fields };
        api.call(&pages::UPDATE_MONITOR_SETTINGS, settings).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_is_laid_over_an_object_makes_it_the_declared_one() {
        let shown = json!({ "headers": { "A": "1", "B": "2" }, "method": "GET" });
        let wanted = json!({ "headers": { "B": "3" } });
        let patch = merge_patch(Some(&shown), &wanted);
        assert_eq!(
            patch,
            json!({ "headers": { "B": "3", "A": null }, "method": null })
        );
        assert_eq!(merge_patch(None, &wanted), wanted);
    }

    #[test]
    fn a_destination_that_stays_keeps_its_id() {
        let shown = json!([{ "id": "1", "type": "webhook", "identifier": "https://a.example/" }]);
        let wanted = json!([
            { "type": "webhook", "identifier": "https://b.example/" },
            { "type": "webhook", "identifier": "https://a.example/" }
        ]);
        let said = keep_destination_ids(Some(&shown), &wanted);
        assert_eq!(
            (&said[0]["id"], &said[1]["id"]),
            (&Value::Null, &json!("1"))
        );
    }
}
