//! A monitor of Uptime Kuma.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    super::{no_type, set_interval},
    http,
    maintenance::Windows,
    network, service,
};
use crate::{
    actors::monitors::{Kind, MonitorFields},
    importers::{Definition, MonitorDefinition, Plan, record::Record, text::one_line},
};

const MAX_TAGS: usize = 20;
const MAX_RETRIES: u64 = 10;
/// Groups in groups that are followed.
const MAX_DEPTH: usize = 10;

pub(super) fn read(
    record: &Record,
    parents: &Groups,
    tags: &HashMap<String, Vec<String>>,
    windows: &Windows,
    plan: &mut Plan,
) {
    let title = record.text(&["name"]).unwrap_or_default();
    let what = format!("monitor {title}");
    let kind = record.text(&["type"]).unwrap_or_default();
    if kind == "group" {
        return;
    }
    let id = record.text(&["id"]).unwrap_or_else(|| record.at.clone());
    let mut notes = Vec::new();
    let read = fields(record, &kind, &mut notes);
    let mut fields = match read {
        Ok(fields) => fields,
        Err(reason) => return plan.omit(&record.at, what, reason),
    };
    fields.name = Some(one_line(&title, 255));
    let (group, is_active) = group(record, parents);
    fields.group = (!group.is_empty()).then(|| one_line(&group, 100));
    let mut own = tags.get(&id).cloned().unwrap_or_default();
    own.extend(record_tags(record));
    if own.len() > MAX_TAGS {
        notes.push(format!("A monitor has at most {MAX_TAGS} tags"));
        own.truncate(MAX_TAGS);
    }
    fields.tags = (!own.is_empty()).then_some(own);
    let maintenance = windows.of(&id);
    fields.maintenance = (!maintenance.is_empty()).then_some(maintenance);
    for note in notes {
        plan.omit(&record.at, what.clone(), note);
    }
    let monitor = MonitorDefinition {
        key: id,
        fields,
        is_paused: !is_active,
    };
    plan.push(&record.at, Definition::Monitor(Box::new(monitor)));
}

/// What is checked and how.
fn fields(record: &Record, kind: &str, notes: &mut Vec<String>) -> Result<MonitorFields, String> {
    if record.is_on(&["upside_down"]) {
        return Err("It is upside down: up while its target is down".to_owned());
    }
    if record.value(&["proxy_id"]).is_some() {
        return Err("It is checked through a proxy".to_owned());
    }
    let mut fields = kind_fields(record, kind, notes)?;
    let conditions = record.text(&["conditions"]).unwrap_or_default();
    let listed = record.value(&["conditions"]).and_then(Value::as_array);
    if listed.is_some_and(|all| !all.is_empty()) || !["", "[]"].contains(&conditions.as_str()) {
        notes.push("Its conditions aren't carried. Add assertions".to_owned());
    }
    let seconds = record.number(&["interval"]).unwrap_or(60);
    notes.extend(set_interval(&mut fields, seconds));
    if fields.kind != Kind::Push {
        let retries = record.number(&["maxretries"]).unwrap_or_default();
        if retries > MAX_RETRIES {
            notes.push(format!(
                "It is retried {MAX_RETRIES} times instead of {retries}"
            ));
        }
        fields.retries = u32::try_from(retries.min(MAX_RETRIES)).ok();
        fields.timeout = timeout(record);
    }
    Ok(fields)
}

/// What a type has.
fn kind_fields(
    record: &Record,
    kind: &str,
    notes: &mut Vec<String>,
) -> Result<MonitorFields, String> {
    let host = || {
        record
            .text(&["hostname"])
            .ok_or("It has no hostname".to_owned())
    };
    Ok(match kind {
        "http" | "keyword" | "json-query" => http::fields(record, kind)?,
        "port" => MonitorFields {
            kind: Kind::Tcp,
            url: Some(format!(
                "{}:{}",
                host()?,
                record.text(&["port"]).unwrap_or_default()
            )),
            ..MonitorFields::default()
        },
        "ping" => MonitorFields {
            kind: Kind::Ping,
            url: Some(host()?),
            ..MonitorFields::default()
        },
        "dns" => dns(record, host()?, notes)?,
        "redis" => service::fields(record, Kind::Redis)?,
        "postgres" => service::fields(record, Kind::Postgresql)?,
        "mysql" => service::fields(record, Kind::Mysql)?,
        "mongodb" => service::fields(record, Kind::Mongodb)?,
        "smtp" => service::smtp(record, &host()?, notes),
        "push" => {
            notes.push(
                "Its push URL is another one. Call the heartbeat URL of the new monitor".to_owned(),
            );
            MonitorFields {
                kind: Kind::Push,
                ..MonitorFields::default()
            }
        }
        "websocket-upgrade" => network::websocket(record)?,
        "snmp" => network::snmp(record, host()?, notes)?,
        "steam" => network::game(record, &host()?),
        other => return Err(no_type(other)),
    })
}

/// The timeout in milliseconds, which is a fraction of seconds in the file.
fn timeout(record: &Record) -> Option<u32> {
    let seconds: f64 = record.text(&["timeout"])?.parse().ok()?;
    (seconds > 0.0).then(|| (seconds * 1_000.0).clamp(1_000.0, 120_000.0) as u32)
}

fn dns(record: &Record, host: String, notes: &mut Vec<String>) -> Result<MonitorFields, String> {
    let kind = record
        .text(&["dns_resolve_type"])
        .unwrap_or_else(|| "A".to_owned());
    let record_type = serde_json::from_value(kind.clone().into());
    let server = record.text(&["dns_resolve_server"]);
    if let Some(server) = server {
        notes.push(format!(
            "The resolver of this server is asked instead of {server}"
        ));
    }
    Ok(MonitorFields {
        kind: Kind::Dns,
        url: Some(host),
        record_type: Some(record_type.map_err(|_| format!("It asks for {kind} records"))?),
        ..MonitorFields::default()
    })
}

/// Groups of monitors by their id: what is needed of them, so that a long text is not copied for every monitor.
pub(super) type Groups = HashMap<String, Group>;

pub(super) struct Group {
    name: String,
    is_active: bool,
    parent: Option<String>,
}

pub(super) fn read_groups(monitors: &[Record]) -> Groups {
    let groups = monitors
        .iter()
        .filter(|one| one.text(&["type"]).as_deref() == Some("group"));
    let group = |one: &Record| {
        let group = Group {
            name: one_line(&one.text(&["name"]).unwrap_or_default(), 100),
            is_active: is_active(one),
            parent: one.text(&["parent"]),
        };
        Some((one.text(&["id"])?, group))
    };
    groups.filter_map(group).collect()
}

fn is_active(record: &Record) -> bool {
    record.value(&["active"]).is_none() || record.is_on(&["active"])
}

/// The path of groups, and whether the monitor and all of them are active.
fn group(record: &Record, groups: &Groups) -> (String, bool) {
    let mut active = is_active(record);
    let mut names = Vec::new();
    let parent = record.text(&["parent"]);
    let mut above = parent.and_then(|id| groups.get(&id));
    while let Some(group) = above.filter(|_| names.len() < MAX_DEPTH) {
        active = active && group.is_active;
        names.push(group.name.as_str());
        above = group.parent.as_ref().and_then(|id| groups.get(id));
    }
    names.reverse();
    (names.join(" / "), active)
}

/// Tags in the backup: `[{"name": "env", "value": "prod"}]`.
fn record_tags(record: &Record) -> Vec<String> {
    let tags = record.value(&["tags"]).and_then(Value::as_array);
    let tag = |one: &Value| {
        let value = one["value"].as_str().filter(|value| !value.is_empty());
        Some(tag(
            one["name"].as_str()?.to_owned(),
            value.map(str::to_owned),
        ))
    };
    tags.into_iter().flatten().filter_map(tag).collect()
}

pub(super) fn tag(name: String, value: Option<String>) -> String {
    let text = match value {
        Some(value) => format!("{name}: {value}"),
        None => name,
    };
    one_line(&text, 50)
}
