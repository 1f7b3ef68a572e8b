use serde_json::{Value, json};

use super::{find, fixture, has_omission, names, source};
use crate::{
    importers::{Definition, MonitorDefinition, Plan, monitors::MonitorFormat},
    store::foreign_tables::{read_bytes, testing::database},
};

fn read(format: MonitorFormat, bytes: &[u8]) -> Plan {
    format.read(&source(bytes)).unwrap()
}

fn monitor<'p>(plan: &'p Plan, name: &str) -> &'p MonitorDefinition {
    match find(plan, name) {
        Definition::Monitor(monitor) => monitor,
        other => panic!("{other:?}"),
    }
}

/// The fields that are set.
fn fields(plan: &Plan, name: &str) -> Value {
    let mut fields = json!(monitor(plan, name).fields);
    strip(&mut fields);
    fields
}

fn strip(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|_, value| !value.is_null());
        fields.values_mut().for_each(strip);
    }
}

#[test]
fn gatus_endpoints_are_monitors_with_assertions() {
    let plan = read(MonitorFormat::Gatus, fixture!("gatus.yaml"));
    let expected = [
        "website",
        "api",
        "database",
        "gateway",
        "names",
        "certificate",
        "shell",
        "mail",
        "backup",
    ];
    assert_eq!(names(&plan), expected);
    let window = json!({ "cron": "0 23 * * 1,4", "minutes": 60, "timezone": "Europe/Berlin" });
    let website = json!({
        "kind": "http", "url": "https://shop.example/health", "name": "website", "granularity": "five_minutes",
        "timeout": 5000, "retries": 0, "group": "core", "maintenance": [window],
        "request": { "method": "GET", "followRedirects": true, "verifyTls": true },
        "expect": {
            "status": ["200"], "json": [{ "path": "$.status", "equals": "UP" }], "responseTime": 299,
            "certificateDays": 10,
        },
    });
    assert_eq!(fields(&plan, "website"), website);
    let api = fields(&plan, "api");
    assert_eq!(api["cron"], "*/2 * * * *");
    assert_eq!(
        api["request"]["body"],
        json!({ "query": "{ ping }" }).to_string()
    );
    assert_eq!(
        api["request"]["headers"]["Content-Type"],
        "application/json"
    );
    assert_eq!(api["request"]["followRedirects"], false);
    assert_eq!(api["request"]["verifyTls"], false);
    assert_eq!(
        api["expect"],
        json!({ "status": ["100-299"], "contains": "pong" })
    );
    assert!(has_omission(&plan, "monitor api", "len([BODY].items) > 5"));
}

#[test]
fn gatus_types_and_intervals_are_ours_or_are_told() {
    let plan = read(MonitorFormat::Gatus, fixture!("gatus.yaml"));
    assert!(monitor(&plan, "database").is_paused);
    assert_eq!(fields(&plan, "gateway")["granularity"], "minute");
    assert!(has_omission(
        &plan,
        "monitor gateway",
        "every 60 seconds instead of 45"
    ));
    assert_eq!(
        fields(&plan, "names")["expect"]["records"],
        json!(["203.0.113.7"])
    );
    assert_eq!(fields(&plan, "certificate")["expect"]["certificateDays"], 2);
    assert_eq!(fields(&plan, "backup")["kind"], "push");
    assert_eq!(fields(&plan, "shell")["kind"], "ssh");
    assert!(!has_omission(&plan, "monitor shell", "[STATUS]"));
    let mail = fields(&plan, "mail");
    assert_eq!(mail["url"], "mail.shop.example:587");
    assert_eq!(mail["request"], json!({ "verifyTls": true, "tls": true }));
    assert_eq!(mail["expect"]["certificateDays"], 7);
    for (what, reason) in [
        ("monitor command", "command over SSH"),
        ("monitor variable", "environment variable"),
        ("monitor silent", "no heartbeat interval"),
        ("suite checkout", "one request"),
        ("alerts", "notification channels"),
    ] {
        assert!(has_omission(&plan, what, reason), "{what}: {reason}");
    }
}

async fn kuma() -> Plan {
    let bytes = database(include_str!("../../../tests/importers/kuma.sql")).await;
    let tables = read_bytes(&bytes, MonitorFormat::TABLES).await.unwrap();
    read(MonitorFormat::UptimeKuma, tables.to_string().as_bytes())
}

#[tokio::test]
async fn a_kuma_database_has_monitors_groups_tags_and_maintenance() {
    let plan = kuma().await;
    let expected = [
        "Website",
        "No errors",
        "API",
        "Database",
        "Gateway",
        "Names",
        "Backup",
        "shop",
    ];
    assert_eq!(names(&plan), expected);
    let website = fields(&plan, "Website");
    for (field, value) in [
        ("group", json!("Shop")),
        ("tags", json!(["env: prod", "public"])),
        ("retries", json!(2)),
        ("timeout", json!(48_000)),
        ("granularity", json!("minute")),
    ] {
        assert_eq!(website[field], value, "{field}");
    }
    let request = json!({
        "method": "POST", "headers": { "Content-Type": "application/json", "X-Check": "kuma" }, "body": "{\"a\":1}",
        "auth": { "type": "basic", "username": "kuma", "password": "pass" }, "followRedirects": true, "verifyTls": true,
    });
    assert_eq!(website["request"], request);
    let windows = json!([
        { "title": "Weekly", "cron": "0 2 * * 1,4", "minutes": 90, "timezone": "Europe/Berlin" },
        { "title": "Move", "startsAt": "2026-12-01T22:00:00.000Z", "endsAt": "2026-12-02T02:00:00.000Z" },
    ]);
    assert_eq!(website["maintenance"], windows);
}

#[tokio::test]
async fn a_kuma_database_has_assertions_and_what_is_not_carried_is_told() {
    let plan = kuma().await;
    let keyword = fields(&plan, "No errors");
    assert_eq!(
        keyword["expect"],
        json!({ "status": ["200-299", "404"], "lacks": "error" })
    );
    assert_eq!(keyword["request"]["followRedirects"], false);
    let api = fields(&plan, "API");
    assert_eq!(
        api["expect"]["json"],
        json!([{ "path": "$.state", "equals": "ok" }])
    );
    assert_eq!(fields(&plan, "Database")["url"], "db.shop.example:8443");
    assert!(monitor(&plan, "Gateway").is_paused, "its group is");
    assert_eq!(fields(&plan, "Names")["recordType"], "MX");
    for (what, reason) in [
        ("monitor Container", "type `docker`"),
        ("monitor Closed", "upside down"),
        ("maintenance Past", "over"),
        ("maintenance Every third day", "few days"),
        ("status page draft", "isn't published"),
        ("status page shop", "once"),
        ("incident Slow checkout", "Report it"),
        ("monitor Backup", "push URL"),
        ("monitor Names", "instead of 1.1.1.1"),
        ("heartbeats", "first check"),
    ] {
        assert!(has_omission(&plan, what, reason), "{what}: {reason}");
    }
}

#[tokio::test]
async fn a_kuma_status_page_has_its_groups_in_their_order() {
    let plan = kuma().await;
    let Definition::Page(page) = find(&plan, "shop") else {
        panic!()
    };
    let listed: Vec<(&str, Option<&str>, bool)> = page
        .monitors
        .iter()
        .map(|(key, own)| (key.as_str(), own.group.as_deref(), own.hide_url))
        .collect();
    let expected = [
        ("3", Some("Services"), false),
        ("5", Some("Services"), true),
        ("6", Some("Infrastructure"), true),
        ("10", Some("Infrastructure"), true),
    ];
    assert_eq!(listed, expected);
}

#[test]
fn a_kuma_backup_has_monitors_with_tags() {
    let plan = read(MonitorFormat::UptimeKuma, fixture!("kuma-backup.json"));
    assert_eq!(names(&plan), ["Website"]);
    let website = fields(&plan, "Website");
    assert_eq!(website["tags"], json!(["env: prod"]));
    assert_eq!(website["expect"]["status"], json!(["200-299", "301"]));
    assert!(has_omission(&plan, "monitor Old", "`ntlm`"));
}

#[test]
fn kuma_databases_and_mail_servers_are_carried_where_they_are_exact() {
    let monitor = |name: &str, kind: &str, more: Value| {
        let mut one = json!({ "name": name, "type": kind, "interval": 60 });
        for (field, value) in more.as_object().unwrap() {
            one[field] = value.clone();
        }
        one
    };
    let string = "databaseConnectionString";
    let all = json!({ "monitorList": [
        monitor("cache", "redis", json!({ string: "rediss://:a%26b+c@cache.shop.example:6380", "ignoreTls": true })),
        monitor("orders", "postgres", json!({ string: "postgres://ada:secret@db.shop.example/orders", "databaseQuery": "SELECT 2" })),
        monitor("old", "mysql", json!({ string: "mysql://ada@db.shop.example:3307", "radiusPassword": "secret" })),
        monitor("odd", "postgres", json!({ string: "postgres://db.shop.example/a?sslmode=require" })),
        monitor("documents", "mongodb", json!({ string: "mongodb://db.shop.example", "databaseQuery": "{}" })),
        monitor("mail", "smtp", json!({ "hostname": "mail.shop.example", "port": 587, "smtpSecurity": "starttls" })),
    ] });
    let plan = read(MonitorFormat::UptimeKuma, all.to_string().as_bytes());
    assert_eq!(names(&plan), ["cache", "orders", "old", "mail"]);
    let cache = fields(&plan, "cache");
    assert_eq!(cache["url"], "rediss://cache.shop.example:6380");
    let request = json!({ "auth": { "type": "basic", "username": "", "password": "a&b+c" }, "verifyTls": false });
    assert_eq!(cache["request"], request);
    let orders = fields(&plan, "orders");
    assert_eq!(orders["url"], "postgres://db.shop.example/orders");
    assert_eq!(orders["request"]["body"], "SELECT 2");
    assert_eq!(
        fields(&plan, "old")["request"]["auth"]["password"],
        "secret"
    );
    let mail = fields(&plan, "mail");
    assert_eq!(
        (&mail["url"], &mail["request"]["tls"]),
        (&json!("smtp://mail.shop.example:587"), &json!(true))
    );
    assert!(has_omission(&plan, "monitor odd", "parameters"));
    assert!(has_omission(&plan, "monitor documents", "command"));
}

#[test]
fn uptimerobot_is_read_from_its_table_and_its_api() {
    let plan = read(MonitorFormat::UptimeRobot, fixture!("uptimerobot.csv"));
    assert_eq!(
        names(&plan),
        ["Website", "Login", "Mail", "Gateway", "Cron"]
    );
    let login = fields(&plan, "Login");
    assert_eq!(login["expect"], json!({ "contains": "Sign in" }));
    assert_eq!(login["request"]["auth"]["username"], "ops");
    assert_eq!(fields(&plan, "Mail")["url"], "mail.shop.example:587");
    assert!(monitor(&plan, "Mail").is_paused);
    assert!(has_omission(&plan, "monitor Odd", "type `DNS`"));
    let plan = read(MonitorFormat::UptimeRobot, fixture!("uptimerobot.json"));
    assert_eq!(fields(&plan, "Secure")["url"], "shop.example:443");
    assert_eq!(fields(&plan, "Website")["request"]["method"], "HEAD");
}

#[test]
fn statuspage_has_components_and_what_happened() {
    let plan = read(MonitorFormat::Statuspage, fixture!("statuspage.json"));
    let expected = [
        "Website",
        "API",
        "shop",
        "Checkout failed",
        "Database upgrade",
    ];
    assert_eq!(names(&plan), expected);
    assert!(monitor(&plan, "API").is_paused);
    assert_eq!(fields(&plan, "API")["group"], "Backend");
    let Definition::Incident(incident) = find(&plan, "Checkout failed") else {
        panic!()
    };
    let messages: Vec<&str> = incident
        .updates
        .iter()
        .map(|(_, text, _)| text.as_str())
        .collect();
    assert_eq!(messages, ["Looking", "All good"]);
    assert_eq!(incident.postmortem.as_deref(), Some("We learned."));
    assert_eq!(incident.affected[0].0, "c1");
    let Definition::Incident(upgrade) = find(&plan, "Database upgrade") else {
        panic!()
    };
    assert!(upgrade.planned.is_some());
    assert!(has_omission(&plan, "incident Slow", "isn't over"));
    assert!(has_omission(&plan, "1 subscribers", "confirm"));
}

#[test]
fn intervals_are_exact_where_ours_can_say_them() {
    for (seconds, granularity, cron, told) in [
        (30, Some("thirty_seconds"), None, false),
        (60, Some("minute"), None, false),
        (120, None, Some("*/2 * * * *"), false),
        (900, None, Some("*/15 * * * *"), false),
        (7_200, None, Some("0 */2 * * *"), false),
        (20, Some("thirty_seconds"), None, true),
        (420, Some("ten_minutes"), None, true),
        (90, Some("five_minutes"), None, true),
        (18_000, Some("six_hours"), None, true),
        (172_800, Some("day"), None, true),
        (0, Some("thirty_seconds"), None, true),
    ] {
        let mut fields = crate::actors::monitors::MonitorFields::default();
        let note = super::super::monitors::set_interval(&mut fields, seconds);
        let own = json!(fields);
        assert_eq!(own["granularity"].as_str(), granularity, "{seconds}");
        assert_eq!(own["cron"].as_str(), cron, "{seconds}");
        assert_eq!(note.is_some(), told, "{seconds}");
    }
}
