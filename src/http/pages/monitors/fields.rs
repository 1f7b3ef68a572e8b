//! The form of a monitor. Each type has inputs of its own.

use serde::Serialize;
use serde_json::{Map, Value};

use super::request::{Authentication, Headers, JsonAssertions};
use crate::{
    actors::monitors::{Field, KINDS, count_with, names_with},
    http::pages::{
        form::{Kind, Need},
        prelude::*,
    },
};

/// Types of monitors with their labels.
const TYPES: [(&str, &str); KINDS.len()] = {
    let mut types = [("", ""); KINDS.len()];
    let mut at = 0;
    while at < KINDS.len() {
        types[at] = (KINDS[at].kind.as_str(), KINDS[at].label);
        at += 1;
    }
    types
};

/// The types that have a field.
macro_rules! with {
    ($field:ident) => {{
        const NAMES: [&str; count_with(Field::$field)] = names_with(Field::$field);
        &NAMES
    }};
}

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

/// Versions of SNMP.
const VERSIONS: &[(&str, &str)] = &[("2c", "2c"), ("1", "1")];

/// Types that are checked.
const CHECKED: &[&str] = with!(Target);

/// Inputs of a new monitor alone.
const KIND: Section =
    Section::plain(&[Input::choice("kind", "Monitor type", &TYPES).usual("http")]);

const TARGET: Section = Section::plain(&[
    Input::line("url", "URL or host")
        .hint("Examples: https://example.com, db.example.com:5432, rediss://example.com, postgresql://example.com/shop.")
        .need(Need::Quiet)
        .only(CHECKED),
    Input::note("The heartbeat URL is shown once the monitor is created.").only(with!(Grace)),
    Input::line("name", "Name"),
    Input::choice("granularity", "Check interval", INTERVALS).usual("five_minutes"),
    Input::line("cron", "Cron expression").hint("Five fields, in UTC. Example: */5 8-18 * * 1-5."),
    Input::choice("recordType", "Record type", RECORDS)
        .usual("A")
        .only(with!(RecordType)),
]);

const ASSERTIONS: Section = Section::behind(
    "Assertions",
    &[
        Input::new(Kind::Words, "expect.status", "Accepted status codes")
            .hint("Comma-separated. Examples: 200, 3xx, 200-299. Default: 2xx.")
            .only(with!(Status)),
        Input::line("expect.contains", "Response contains")
            .hint("The body, the text of a page, a message, a greeting, or the first value of a statement.")
            .only(with!(Text)),
        Input::line("expect.lacks", "Response excludes").only(with!(Text)),
        Input::line("expect.matches", "Response matches")
            .hint("A regular expression. Example: \"version\":\"2\\.\\d+\".")
            .only(with!(Text)),
        Input::new(
            Kind::Rows(&JsonAssertions),
            "expect.json",
            "JSON assertions",
        )
        .only(with!(Json)),
        Input::new(Kind::Words, "expect.records", "Expected records")
            .hint("Comma-separated. Example: 192.0.2.1, 192.0.2.2.")
            .only(with!(Records)),
        Input::number("expect.responseTime", "Maximum response time")
            .hint("Milliseconds. Slower checks fail.")
            .only(CHECKED),
        Input::number("expect.certificateDays", "Certificate days left")
            .hint("The check fails when the certificate expires sooner. Example: 14.")
            .only(with!(Certificate)),
        Input::line("expect.certificateIssuer", "Certificate issuer")
            .hint("Text in the issuer's name. Example: Let's Encrypt.")
            .only(with!(Certificate)),
        Input::number("expect.certificateChain", "Certificates in chain")
            .hint("The server's own included. The check fails when it sends fewer.")
            .only(with!(Certificate)),
        Input::number("expect.certificateScts", "Certificate timestamps")
            .hint("Certificate Transparency. The check fails when the certificate has fewer SCTs. Example: 2.")
            .only(with!(Certificate)),
        Input::number("expect.domainDays", "Domain days left")
            .hint("The check fails when the domain expires sooner. Default: 14.")
            .only(with!(DomainDays)),
        Input::number("expect.offset", "Maximum clock offset")
            .hint("Milliseconds. Example: 100.")
            .only(with!(Offset)),
    ],
);

const REQUEST: Section = Section::behind(
    "Request",
    &[
        Input::choice("request.method", "Method", METHODS).only(with!(Http)),
        Input::new(Kind::Rows(&Headers), "request.headers", "Headers").only(with!(Headers)),
        Input::new(
            Kind::Rows(&Authentication),
            "request.auth",
            "Authentication",
        )
        .only(with!(Auth)),
        Input::new(Kind::Area(3), "request.body", "Body, message or statement")
            .hint("A database runs it at every check, so it should only read. Default: SELECT 1, or PING.")
            .only(with!(Body)),
        Input::checkbox("request.tls", "Require TLS (STARTTLS)").only(with!(Tls)),
        Input::new(
            Kind::Checkbox(true),
            "request.followRedirects",
            "Follow redirects",
        )
        .only(with!(Http)),
        Input::new(
            Kind::Checkbox(true),
            "request.verifyTls",
            "Verify TLS certificate",
        )
        .only(with!(VerifyTls)),
        Input::checkbox("cacheBust", "Bypass caches").only(with!(Http)),
        Input::new(Kind::Json(8), "steps", "Steps")
            .hint("JSON. Requests that follow one another, at most 10.")
            .only(with!(Steps)),
        Input::choice("request.snmpVersion", "SNMP version", VERSIONS)
            .usual("2c")
            .only(with!(Community)),
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
        .only(with!(Community)),
    ],
);

const PLACES: Section = Section::behind(
    "Locations",
    &[
        Input::new(
            Kind::Several(&[("here", "This server")]),
            "places",
            "Locations",
        )
        .hint("Where it is checked. Default: this server.")
        .only(CHECKED),
        Input::number("quorum", "Quorum")
            .hint("Locations that have to find it down. Default: more than half of those that report.")
            .only(CHECKED),
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
            .only(with!(Grace)),
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
pub(super) const NEW: &[Section] = &[
    KIND,
    TARGET,
    ASSERTIONS,
    REQUEST,
    PLACES,
    TIMING,
    MAINTENANCE,
];
pub(super) const FORM: &[Section] = &[TARGET, ASSERTIONS, REQUEST, PLACES, TIMING, MAINTENANCE];

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
            "places": ["here", "p"], "quorum": 2, "timeout": 5_000, "degradedAfter": null, "retries": 2, "group": "EU", "tags": ["a", "b"], "cacheBust": true, "steps": null,
            "maintenance": [{ "title": "Move", "startsAt": "2026-12-31T22:00:00Z", "endsAt": "2026-12-31T23:00:00Z" }],
            "expect": {
                "status": ["2xx", "304"], "contains": "ok", "lacks": null, "certificateDays": 14, "certificateIssuer": null, "certificateChain": null, "certificateScts": null, "matches": "v\\d",
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
    fn a_type_has_its_own_inputs_and_the_stylesheet_hides_the_others() {
        let style = include_str!("../../../pages/assets/monitors.css");
        for row in KINDS {
            let name = row.kind.as_str();
            let line = format!("[value=\"{name}\"]:checked) .only:not(.only-{name}),");
            assert!(style.contains(&line), "{line}");
        }
        let date_format = DateFormat::default();
        let redis = json!({
            "url": "rediss://example.com:6379", "granularity": "minute", "expect": { "contains": "PONG" },
            "request": { "body": "PING", "verifyTls": false, "auth": { "type": "basic", "username": "ada" } },
        });
        let inputs = inputs("redis", &date_format);
        let body = read(&inputs, &fill(&redis, &inputs).unwrap()).unwrap();
        assert_eq!(body["request"], redis["request"]);
        assert_eq!(body["expect"]["contains"], "PONG");
        assert!(body["expect"].get("status").is_none(), "{body:?}");
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
