//! The form of a monitor. Each type has inputs of its own.

use serde::Serialize;
use serde_json::{Map, Value};

use super::request::{Authentication, Headers, JsonAssertions};
use crate::http::pages::{
    form::{Kind, Need},
    prelude::*,
};

/// Types of monitors.
const KINDS: &[(&str, &str)] = &[
    ("http", "Website or API (HTTP)"),
    ("tcp", "TCP port"),
    ("dns", "DNS record"),
    ("tls", "TLS certificate"),
    ("ping", "Ping"),
    ("push", "Heartbeat (push)"),
    ("websocket", "WebSocket"),
    ("grpc", "gRPC health"),
    ("domain", "Domain expiration"),
    ("dnssec", "DNSSEC"),
    ("ntp", "Time server (NTP)"),
    ("snmp", "SNMP"),
    ("game", "Game server (Source)"),
];

/// Check intervals.
const INTERVALS: &[(&str, &str)] = &[
    ("thirty_seconds", "30 seconds"),
    ("minute", "1 minute"),
    ("five_minutes", "5 minutes"),
    ("ten_minutes", "10 minutes"),
    ("thirty_minutes", "30 minutes"),
    ("hour", "1 hour"),
    ("six_hours", "6 hours"),
    ("twelve_hours", "12 hours"),
    ("day", "1 day"),
    ("custom", "Custom (cron)"),
];

/// Methods of requests.
const METHODS: &[(&str, &str)] = &[
    ("GET", "GET"),
    ("HEAD", "HEAD"),
    ("POST", "POST"),
    ("PUT", "PUT"),
    ("PATCH", "PATCH"),
    ("DELETE", "DELETE"),
    ("OPTIONS", "OPTIONS"),
];

/// Types of DNS records.
const RECORDS: &[(&str, &str)] = &[
    ("A", "A"),
    ("AAAA", "AAAA"),
    ("CNAME", "CNAME"),
    ("MX", "MX"),
    ("NS", "NS"),
    ("TXT", "TXT"),
    ("SOA", "SOA"),
    ("SRV", "SRV"),
    ("CAA", "CAA"),
];

/// Types that are checked.
const CHECKED: &[&str] = &[
    "http",
    "tcp",
    "dns",
    "tls",
    "ping",
    "websocket",
    "grpc",
    "domain",
    "dnssec",
    "ntp",
    "snmp",
    "game",
];
/// Types whose answer is text or JSON.
const TEXTS: &[&str] = &["http", "websocket", "domain", "ntp", "snmp", "game"];
/// Types with a request that has headers and TLS.
const REQUESTS: &[&str] = &["http", "websocket", "grpc"];
const CERTIFICATES: &[&str] = &["http", "tls", "websocket", "grpc"];
const VERSIONS: &[(&str, &str)] = &[("2c", "2c"), ("1", "1")];

/// Inputs of a new monitor alone.
const KIND: Section = Section::plain(&[Input::choice("kind", "Monitor type", KINDS).usual("http")]);

const TARGET: Section = Section::plain(&[
    Input::line("url", "URL or host")
        .hint("Examples: https://example.com, db.example.com:5432, example.com.")
        .need(Need::Quiet)
        .only(CHECKED),
    Input::note("The heartbeat URL is shown once the monitor is created.").only(&["push"]),
    Input::line("name", "Name"),
    Input::choice("granularity", "Check interval", INTERVALS).usual("five_minutes"),
    Input::line("cron", "Cron expression").hint("Five fields, in UTC. Example: */5 8-18 * * 1-5."),
    Input::choice("recordType", "Record type", RECORDS)
        .usual("A")
        .only(&["dns"]),
]);

const ASSERTIONS: Section = Section::behind(
    "Assertions",
    &[
        Input::new(Kind::Words, "expect.status", "Accepted status codes")
            .hint("Comma-separated. Examples: 200, 3xx, 200-299. Default: 2xx.")
            .only(&["http"]),
        Input::line("expect.contains", "Body contains").only(TEXTS),
        Input::line("expect.lacks", "Body excludes").only(TEXTS),
        Input::line("expect.matches", "Body matches")
            .hint("A regular expression. Example: \"version\":\"2\\.\\d+\".")
            .only(TEXTS),
        Input::new(
            Kind::Rows(&JsonAssertions),
            "expect.json",
            "JSON assertions",
        )
        .only(TEXTS),
        Input::new(Kind::Words, "expect.records", "Expected records")
            .hint("Comma-separated. Example: 192.0.2.1, 192.0.2.2.")
            .only(&["dns"]),
        Input::number("expect.responseTime", "Maximum response time")
            .hint("Milliseconds. Slower checks fail.")
            .only(CHECKED),
        Input::number("expect.certificateDays", "Certificate days left")
            .hint("The check fails when the certificate expires sooner. Example: 14.")
            .only(CERTIFICATES),
        Input::line("expect.certificateIssuer", "Certificate issuer")
            .hint("Text in the issuer's name. Example: Let's Encrypt.")
            .only(CERTIFICATES),
        Input::number("expect.certificateChain", "Certificates in chain")
            .hint("The server's own included. The check fails when it sends fewer.")
            .only(CERTIFICATES),
        Input::number("expect.domainDays", "Domain days left")
            .hint("The check fails when the domain expires sooner. Default: 14.")
            .only(&["domain"]),
        Input::number("expect.offset", "Maximum clock offset")
            .hint("Milliseconds. Example: 100.")
            .only(&["ntp"]),
    ],
);

const REQUEST: Section = Section::behind(
    "Request",
    &[
        Input::choice("request.method", "Method", METHODS).only(&["http"]),
        Input::new(Kind::Rows(&Headers), "request.headers", "Headers").only(REQUESTS),
        Input::new(
            Kind::Rows(&Authentication),
            "request.auth",
            "Authentication",
        )
        .only(REQUESTS),
        Input::new(Kind::Area(3), "request.body", "Body").only(&["http", "websocket"]),
        Input::new(
            Kind::Checkbox(true),
            "request.followRedirects",
            "Follow redirects",
        )
        .only(&["http"]),
        Input::new(
            Kind::Checkbox(true),
            "request.verifyTls",
            "Verify TLS certificate",
        )
        .only(REQUESTS),
        Input::checkbox("cacheBust", "Bypass caches").only(&["http"]),
        Input::new(Kind::Json(8), "steps", "Steps")
            .hint("JSON. Requests that follow one another, at most 10.")
            .only(&["http"]),
        Input::choice("request.snmpVersion", "SNMP version", VERSIONS)
            .usual("2c")
            .only(&["snmp"]),
        Input::new(
            Kind::Secret {
                has: "hasCommunity",
                clear: ("clearCommunity", "Remove community"),
                kept: "A community is set. Enter a new one to replace it.",
            },
            "request.community",
            "Community",
        )
        .hint("Default: public. Leave empty to keep it.")
        .only(&["snmp"]),
    ],
);

const TIMING: Section = Section::behind(
    "Timeouts, retries, tags",
    &[
        Input::number("timeout", "Timeout")
            .hint("Milliseconds, 1,000 to 120,000. Default: 30,000.")
            .only(CHECKED),
        Input::number("degradedAfter", "Degraded threshold")
            .hint("Milliseconds. Slower checks count as degraded."),
        Input::number("retries", "Retries").hint("Failed re-checks before it is down, 0 to 10."),
        Input::number("grace", "Grace period")
            .hint("Seconds that a heartbeat may be late, 0 to 86,400. Default: 60.")
            .only(&["push"]),
        Input::line("group", "Group"),
        Input::new(Kind::Words, "tags", "Tags").hint("Comma-separated."),
        Input::choice("websiteId", "Website", &[("", "None")]),
    ],
);

const MAINTENANCE: Section = Section::behind(
    "Maintenance",
    &[Input::new(Kind::Windows, "maintenance", "Maintenance")
        .hint("Checks in these windows don't count.")],
);

/// The inputs of a new monitor.
pub(super) const NEW: &[Section] = &[KIND, TARGET, ASSERTIONS, REQUEST, TIMING, MAINTENANCE];
pub(super) const FORM: &[Section] = &[TARGET, ASSERTIONS, REQUEST, TIMING, MAINTENANCE];

/// The form of a monitor. A custom interval shows its cron expression.
pub(super) fn fill(monitor: &impl Serialize, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
    let mut monitor = serde_json::to_value(monitor).map_err(Fault::internal)?;
    if monitor["granularity"].is_null() {
        monitor["granularity"] = "custom".into();
    } else if monitor["granularity"] != "custom" {
        monitor["cron"] = Value::Null;
    }
    inputs.fill(&monitor)
}

/// Reads the form of a monitor.
pub(super) fn read(inputs: &Inputs<'_>, sent: &FormData) -> Result<Map<String, Value>, Fault> {
    let mut body = inputs.read(sent)?;
    if body["granularity"] != "custom" {
        body.insert("cron".to_owned(), Value::Null);
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        http::pages::form::Choices,
        pages::{problem::Problems, time::DateFormat},
    };

    fn inputs<'a>(kind: &'a str, date_format: &'a DateFormat) -> Inputs<'a> {
        Inputs::new(FORM, kind, date_format)
    }

    #[test]
    fn a_form_that_is_sent_as_it_was_shown_changes_nothing() {
        let mut monitor = json!({
            "kind": "http", "url": "https://example.com/", "name": "Shop", "websiteId": null, "granularity": "minute", "cron": null,
            "timeout": 5_000, "degradedAfter": null, "retries": 2, "group": "EU", "tags": ["a", "b"], "cacheBust": true, "steps": null,
            "maintenance": [{ "title": "Move", "startsAt": "2026-12-31T22:00:00Z", "endsAt": "2026-12-31T23:00:00Z" }],
            "expect": {
                "status": ["2xx", "304"], "contains": "ok", "lacks": null, "certificateDays": 14, "certificateIssuer": null, "certificateChain": null, "matches": "v\\d",
                "json": [{ "path": "$.status", "equals": "ok" }], "responseTime": 900,
            },
            "request": {
                "method": "POST", "body": "{}", "followRedirects": false, "verifyTls": true,
                "headers": { "Accept": "text/plain" }, "auth": { "type": "basic", "username": "ada" },
            },
        });
        let date_format = DateFormat::default();
        let inputs = inputs("http", &date_format);
        let body = read(&inputs, &fill(&monitor, &inputs).unwrap()).unwrap();
        // The kind never changes.
        monitor.as_object_mut().unwrap().remove("kind");
        assert_eq!(Value::Object(body), monitor);
    }

    #[test]
    fn a_push_monitor_has_no_address_and_numbers_are_numbers() {
        let date_format = DateFormat::default();
        let sent = FormData::with([
            ("granularity", "hour".to_owned()),
            ("grace", "30".to_owned()),
        ]);
        let push = read(&inputs("push", &date_format), &sent).unwrap();
        assert!(
            !push.contains_key("url") && !push.contains_key("expect"),
            "{push:?}"
        );
        assert_eq!(push["grace"], 30);
        let sent = FormData::with([("timeout", "long".to_owned())]);
        let fault = read(&inputs("tcp", &date_format), &sent).unwrap_err();
        let problems = Problems::from_fault(fault).unwrap();
        assert_eq!(problems.beside("timeout").len(), 1);
        let inputs = Inputs::new(NEW, "", &date_format);
        let drawn = inputs
            .draw(&inputs.fill(&()).unwrap(), &Choices::default(), &problems)
            .into_string();
        assert!(drawn.contains("id=\"timeout-wrong\""), "{drawn}");
    }
}
