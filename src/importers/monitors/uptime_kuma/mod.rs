//! Uptime Kuma: the tables of `kuma.db` (versions 1 and 2), or the JSON backup of version 1.

mod http;
mod maintenance;
mod monitor;
mod network;
mod page;
mod service;

use std::collections::HashMap;

use serde_json::Value;

use self::maintenance::Windows;
use crate::{
    importers::{ImportError, Plan, Source, record::Record, source::check_count, text::one_line},
    store::foreign_tables::Table,
};

/// Tables of definitions, with their columns.
pub(super) const TABLES: &[Table] = &[
    (
        "monitor",
        &[
            "id",
            "name",
            "active",
            "interval",
            "url",
            "type",
            "hostname",
            "port",
            "keyword",
            "maxretries",
            "ignore_tls",
            "upside_down",
            "maxredirects",
            "accepted_statuscodes_json",
            "dns_resolve_type",
            "dns_resolve_server",
            "method",
            "body",
            "headers",
            "basic_auth_user",
            "basic_auth_pass",
            "proxy_id",
            "auth_method",
            "http_body_encoding",
            "invert_keyword",
            "json_path",
            "json_path_operator",
            "expected_value",
            "timeout",
            "parent",
            "cache_bust",
            "conditions",
            "bearer_token",
            "oauth_client_id",
            "tls_cert",
            "database_connection_string",
            "database_query",
            "radius_password",
            "smtp_security",
            "snmp_oid",
            "snmp_version",
        ],
    ),
    ("tag", &["id", "name"]),
    ("monitor_tag", &["monitor_id", "tag_id", "value"]),
    (
        "maintenance",
        &[
            "id",
            "title",
            "active",
            "strategy",
            "start_date",
            "end_date",
            "start_time",
            "end_time",
            "weekdays",
            "days_of_month",
            "interval_day",
            "cron",
            "timezone",
            "duration",
        ],
    ),
    ("monitor_maintenance", &["monitor_id", "maintenance_id"]),
    ("setting", &["key", "value"]),
    (
        "status_page",
        &["id", "slug", "title", "description", "theme", "published"],
    ),
    ("group", &["id", "name", "weight", "status_page_id"]),
    (
        "monitor_group",
        &["monitor_id", "group_id", "weight", "send_url"],
    ),
    ("incident", &["id", "title", "active", "status_page_id"]),
];

/// The rows of a file, by table.
struct Tables<'f>(&'f Value);

impl Tables<'_> {
    fn rows(&self, table: &str) -> Vec<Record> {
        let rows = self.0[table].as_array().into_iter().flatten().enumerate();
        rows.map(|(at, row)| Record::new(format!("{table}[{at}]"), row))
            .collect()
    }

    /// A setting of the server, which is stored as JSON.
    fn setting(&self, name: &str) -> Option<String> {
        let rows = self.rows("setting").into_iter();
        let value = rows
            .filter(|row| row.text(&["key"]).as_deref() == Some(name))
            .find_map(|row| row.text(&["value"]))?;
        Some(value.trim_matches('"').to_owned())
    }
}

pub(super) fn read(source: &Source<'_>) -> Result<Plan, ImportError> {
    let json = source.json()?;
    let (monitors, tables) = match (&json["monitorList"], &json["tables"]) {
        (Value::Array(list), _) => (records("monitorList", list), Tables(&Value::Null)),
        (_, tables @ Value::Object(_)) => {
            let tables = Tables(tables);
            (tables.rows("monitor"), tables)
        }
        _ => {
            let message =
                "The file is neither a JSON backup of Uptime Kuma (`monitorList`) nor kuma.db";
            return Err(ImportError::new(message));
        }
    };
    check_count(monitors.len())?;
    let mut plan = Plan::default();
    let windows = Windows::read(&tables, source.now_ms, &mut plan);
    let tags = read_tags(&tables);
    let parents = monitor::read_groups(&monitors);
    for one in &monitors {
        monitor::read(one, &parents, &tags, &windows, &mut plan);
    }
    page::read(&tables, &monitors, &mut plan);
    if json["tables"].is_object() {
        let reason = "Uptime is counted from the first check here";
        plan.omit("heartbeat", "heartbeats", reason);
    }
    let reason = "Create alerts with notification channels instead";
    plan.omit("notification", "notifications", reason);
    Ok(plan)
}

fn records(path: &str, list: &[Value]) -> Vec<Record> {
    let list = list.iter().enumerate();
    list.map(|(at, item)| Record::new(format!("{path}[{at}]"), item))
        .collect()
}

/// The tags of monitors by their id: `name`, or `name: value`.
fn read_tags(tables: &Tables<'_>) -> HashMap<String, Vec<String>> {
    let names: HashMap<String, String> = tables
        .rows("tag")
        .iter()
        .filter_map(|tag| Some((tag.text(&["id"])?, one_line(&tag.text(&["name"])?, 50))))
        .collect();
    let mut tags: HashMap<String, Vec<String>> = HashMap::new();
    for row in tables.rows("monitor_tag") {
        let name = row
            .text(&["tag_id"])
            .and_then(|tag| names.get(&tag).cloned());
        if let (Some(monitor), Some(name)) = (row.text(&["monitor_id"]), name) {
            let value = row.text(&["value"]);
            tags.entry(monitor)
                .or_default()
                .push(monitor::tag(name, value));
        }
    }
    tags
}
