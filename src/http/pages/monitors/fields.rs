//! The form of a monitor: its fields as people type them, and as `uptime.createSchedule` and `uptime.updateSchedule` take them.

use maud::{Markup, html};
use serde_json::{Map, Value, json};

use crate::{
    fault::Fault,
    http::pages::{
        form::{FormData, sound},
        windows::Windows,
    },
    pages::{
        frame::Choice,
        part::{Field, choice, more, tick},
        problem::Problems,
        time::DateFormat,
    },
};

/// Kinds of check.
const KINDS: [(&str, &str); 6] = [
    ("http", "Website or API (HTTP)"),
    ("tcp", "Port (TCP)"),
    ("dns", "Name (DNS)"),
    ("tls", "Certificate (TLS)"),
    ("ping", "Host (ping)"),
    ("push", "Signs of life that a program sends"),
];

/// How often.
const OFTEN: [(&str, &str); 10] = [
    ("thirty_seconds", "Twice a minute"),
    ("minute", "Every minute"),
    ("five_minutes", "Every five minutes"),
    ("ten_minutes", "Every ten minutes"),
    ("thirty_minutes", "Twice an hour"),
    ("hour", "Every hour"),
    ("six_hours", "Four times a day"),
    ("twelve_hours", "Twice a day"),
    ("day", "Every day"),
    ("custom", "As the cron expression says"),
];

/// Fields that are numbers: name, label, what it is for.
const NUMBERS: [(&str, &str, &str); 4] = [
    (
        "timeout",
        "May take (ms)",
        "1,000 to 120,000; 30,000 by default.",
    ),
    ("degradedAfter", "Counts as slow after (ms)", ""),
    ("retries", "Failed re-checks before it is down", "0 to 10."),
    (
        "grace",
        "A sign of life may be late by (s)",
        "0 to 86,400; 60 by default.",
    ),
];

/// Methods of requests.
const METHODS: [(&str, &str); 7] = [
    ("GET", "GET"),
    ("HEAD", "HEAD"),
    ("POST", "POST"),
    ("PUT", "PUT"),
    ("PATCH", "PATCH"),
    ("DELETE", "DELETE"),
    ("OPTIONS", "OPTIONS"),
];

/// Fields that say beside themselves what is wrong with them.
pub(super) const NAMES: [&str; 15] = [
    "url",
    "name",
    "cron",
    "timeout",
    "degradedAfter",
    "retries",
    "grace",
    "group",
    "tags",
    "expect.status",
    "expect.contains",
    "expect.lacks",
    "expect.certificateDays",
    "request.body",
    "maintenance",
];

const MAINTENANCE: Windows = Windows {
    name: "maintenance",
    legend: "Maintenance",
    hint: "Checks of these times do not count.",
};

/// Fields that are shown as they are, with their places in a monitor.
const PLACES: [(&str, &str); 12] = [
    ("kind", "/kind"),
    ("url", "/url"),
    ("name", "/name"),
    ("websiteId", "/websiteId"),
    ("group", "/group"),
    ("tags", "/tags"),
    ("expect.status", "/expect/status"),
    ("expect.contains", "/expect/contains"),
    ("expect.lacks", "/expect/lacks"),
    ("expect.certificateDays", "/expect/certificateDays"),
    ("request.method", "/request/method"),
    ("request.body", "/request/body"),
];

/// A monitor as its form shows it.
pub(super) fn form(monitor: &Value, date_format: &DateFormat) -> FormData {
    let text = |pointer: &str| match monitor.pointer(pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Array(list)) => list
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(", "),
        _ => String::new(),
    };
    let custom = monitor["granularity"].is_null();
    let often = if custom {
        "custom".to_owned()
    } else {
        text("/granularity")
    };
    let cron = if often == "custom" {
        text("/cron")
    } else {
        String::new()
    };
    let mut fields = vec![("granularity", often), ("cron", cron)];
    fields.extend(PLACES.iter().map(|(name, pointer)| (*name, text(pointer))));
    fields.extend(
        NUMBERS
            .iter()
            .map(|(name, ..)| (*name, text(&format!("/{name}")))),
    );
    let default_on = |pointer: &str| {
        monitor
            .pointer(pointer)
            .and_then(Value::as_bool)
            .unwrap_or(true)
    };
    if default_on("/request/followRedirects") {
        fields.push(("followRedirects", "on".to_owned()));
    }
    if default_on("/request/verifyTls") {
        fields.push(("verifyTls", "on".to_owned()));
    }
    if monitor["cacheBust"] == true {
        fields.push(("cacheBust", "on".to_owned()));
    }
    let windows = MAINTENANCE.form(&monitor["maintenance"], date_format);
    let windows = windows
        .iter()
        .map(|(name, value)| (name.as_str(), value.clone()));
    FormData::with(fields.into_iter().chain(windows))
}

/// An empty form.
pub(super) fn fresh() -> FormData {
    let usual = [
        ("kind", "http"),
        ("granularity", "five_minutes"),
        ("followRedirects", "on"),
        ("verifyTls", "on"),
    ];
    FormData::with(usual.map(|(name, value)| (name, value.to_owned())))
}

/// What a form says of a monitor of this kind; an empty field is none.
pub(super) fn body(
    sent: &FormData,
    kind: &str,
    date_format: &DateFormat,
) -> Result<Map<String, Value>, Fault> {
    let mut issues = Vec::new();
    let mut body = Map::new();
    for name in ["name", "websiteId", "group"] {
        body.insert(name.to_owned(), json!(sent.some(name)));
    }
    if kind != "push" {
        body.insert("url".to_owned(), json!(sent.some("url")));
    }
    let often = sent.some("granularity").unwrap_or("five_minutes");
    body.insert("granularity".to_owned(), json!(often));
    body.insert(
        "cron".to_owned(),
        if often == "custom" {
            json!(sent.some("cron"))
        } else {
            Value::Null
        },
    );
    for (name, ..) in NUMBERS
        .iter()
        .filter(|(name, ..)| *name != "grace" || kind == "push")
    {
        body.insert(
            (*name).to_owned(),
            json!(sent.number::<u32>(name, &mut issues)),
        );
    }
    body.insert("tags".to_owned(), listed(sent, "tags"));
    let windows = MAINTENANCE.body(sent, date_format, &mut issues);
    body.insert("maintenance".to_owned(), json!(windows));
    if kind == "http" || kind == "tls" {
        let days = sent.number::<u32>("expect.certificateDays", &mut issues);
        let mut expect = json!({ "certificateDays": days });
        if kind == "http" {
            expect["status"] = listed(sent, "expect.status");
            expect["contains"] = json!(sent.some("expect.contains"));
            expect["lacks"] = json!(sent.some("expect.lacks"));
        }
        body.insert("expect".to_owned(), expect);
    }
    if kind == "http" {
        let request = json!({
            "method": sent.some("request.method"), "body": sent.some("request.body"),
            "followRedirects": sent.is_on("followRedirects"), "verifyTls": sent.is_on("verifyTls"),
        });
        body.insert("request".to_owned(), request);
        body.insert("cacheBust".to_owned(), json!(sent.is_on("cacheBust")));
    }
    sound(body, issues, "Invalid monitor")
}

/// Words with commas between them.
fn listed(sent: &FormData, name: &str) -> Value {
    let words = sent.words(name);
    if words.is_empty() {
        Value::Null
    } else {
        json!(words)
    }
}

/// The fields, with what is in them and what is wrong with them. A new monitor says its kind; later it stays.
pub(super) fn draw(
    sent: &FormData,
    is_new: bool,
    (websites, date_format): (&[Choice], &DateFormat),
    problems: &Problems,
) -> Markup {
    let kind = sent.raw("kind");
    let is = |kinds: &[&str]| is_new || kinds.contains(&kind);
    let text = |name, label, kind, hint| {
        let field = sent.field(name, label, kind, hint);
        field.optional().draw(problems)
    };
    let number = |wanted: &str| {
        html! {
            @for (name, label, hint) in NUMBERS.iter().filter(|(name, ..)| *name == wanted) { (text(name, label, "number", hint)) }
        }
    };
    let uses = |names: &[&str]| names.iter().any(|name| !problems.beside(name).is_empty());
    let mut among = vec![("", "None")];
    among.extend(
        websites
            .iter()
            .map(|one| (one.id.as_str(), one.name.as_str())),
    );
    html! {
        @if is_new { (choice("kind", "What is watched", &KINDS, kind)) }
        @if is(&["http", "tcp", "dns", "tls", "ping"]) {
            (sent.field("url", "Address", "text", "A whole address, host:port, or a name. A program that sends signs of life needs none: its address is shown when it is made.").quiet().draw(problems))
        }
        (text("name", "Name", "text", ""))
        (choice("granularity", "How often", &OFTEN, sent.raw("granularity")))
        (text("cron", "Cron expression", "text", "Five fields, in UTC; only for “as the cron expression says”."))
        @if is(&["http", "tls"]) {
            (more("What the answer has to be like", uses(&["expect"]), &html! {
                @if is(&["http"]) {
                    (text("expect.status", "Good statuses", "text", "200, 2xx, 200-299; with commas. 2xx by default."))
                    (text("expect.contains", "The body has", "text", ""))
                    (text("expect.lacks", "The body does not have", "text", ""))
                }
                (text("expect.certificateDays", "The certificate is good for at least (days)", "number", ""))
            }))
        }
        @if is(&["http"]) {
            (more("How it is asked", uses(&["request"]), &html! {
                (choice("request.method", "Method", &METHODS, sent.some("request.method").unwrap_or("GET")))
                (Field::text("request.body", "Body").value(sent.raw("request.body")).optional().lines(3, problems))
                (tick("followRedirects", "Follow redirects", sent.is_on("followRedirects")))
                (tick("verifyTls", "A certificate that is not to be trusted fails the check", sent.is_on("verifyTls")))
                (tick("cacheBust", "Add a parameter that changes, so that no cache answers", sent.is_on("cacheBust")))
                p.hint { "Headers and credentials are set with the API; what is set stays." }
            }))
        }
        (more("Patience, group and tags", uses(&["timeout", "degradedAfter", "retries", "grace", "group", "tags"]), &html! {
            (number("timeout")) (number("degradedAfter")) (number("retries"))
            @if is(&["push"]) { (number("grace")) }
            (text("group", "Group", "text", ""))
            (text("tags", "Tags", "text", "With commas between them."))
            (choice("websiteId", "Belongs to the website", &among, sent.raw("websiteId")))
        }))
        (more("Maintenance", MAINTENANCE.is_used(sent, problems), &MAINTENANCE.draw(sent, date_format, problems)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_that_is_sent_as_it_was_shown_changes_nothing() {
        let mut monitor = json!({
            "kind": "http", "url": "https://example.com/", "name": "Shop", "websiteId": null, "granularity": "minute", "cron": null,
            "timeout": 5_000, "degradedAfter": null, "retries": 2, "group": "EU", "tags": ["a", "b"], "cacheBust": true,
            "maintenance": [{ "title": "Move", "startsAt": "2026-12-31T22:00:00Z", "endsAt": "2026-12-31T23:00:00Z" }],
            "expect": { "status": ["2xx", "304"], "contains": "ok", "lacks": null, "certificateDays": 14 },
            "request": { "method": "POST", "body": "{}", "followRedirects": false, "verifyTls": true },
        });
        let date_format = DateFormat::default();
        let body = body(&form(&monitor, &date_format), "http", &date_format).unwrap();
        // It stays what it is, whatever a form says.
        monitor.as_object_mut().unwrap().remove("kind");
        assert_eq!(Value::Object(body), monitor);
    }

    #[test]
    fn a_push_monitor_has_no_address_and_numbers_are_numbers() {
        let push = body(
            &FormData::with([
                ("granularity", "hour".to_owned()),
                ("grace", "30".to_owned()),
            ]),
            "push",
            &DateFormat::default(),
        )
        .unwrap();
        assert!(
            !push.contains_key("url") && !push.contains_key("expect"),
            "{push:?}"
        );
        assert_eq!(push["grace"], 30);
        let sent = FormData::with([("timeout", "long".to_owned())]);
        let fault = body(&sent, "tcp", &DateFormat::default()).unwrap_err();
        let problems = Problems::of(fault).unwrap();
        assert_eq!(problems.beside("timeout").len(), 1);
        assert!(
            draw(&fresh(), true, (&[], &DateFormat::default()), &problems)
                .into_string()
                .contains("id=\"timeout-wrong\"")
        );
    }
}
