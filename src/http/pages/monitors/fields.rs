//! The form of a monitor. Each kind has inputs of its own.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::http::pages::{
    form::{Kind, Need},
    prelude::*,
};

/// Kinds of check.
const KINDS: &[(&str, &str)] = &[
    ("http", "Website or API (HTTP)"),
    ("tcp", "Port (TCP)"),
    ("dns", "Name (DNS)"),
    ("tls", "Certificate (TLS)"),
    ("ping", "Host (ping)"),
    ("push", "Signs of life that a program sends"),
];

/// Check intervals.
const OFTEN: &[(&str, &str)] = &[
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

/// Inputs of a new monitor alone.
const KIND: Section =
    Section::plain(&[Input::choice("kind", "What is watched", KINDS).usual("http")]);

const WATCHED: Section = Section::plain(&[
    Input::line("url", "Address")
        .hint("A whole address, host:port, or a name. A program that sends signs of life needs none: its address is shown when it is made.")
        .need(Need::Quiet)
        .only(&["http", "tcp", "dns", "tls", "ping"]),
    Input::line("name", "Name"),
    Input::choice("granularity", "How often", OFTEN).usual("five_minutes"),
    Input::line("cron", "Cron expression")
        .hint("Five fields, in UTC; only for “as the cron expression says”."),
]);

const ANSWER: Section = Section::behind(
    "What the answer has to be like",
    &[
        Input::new(Kind::Words, "expect.status", "Good statuses")
            .hint("200, 2xx, 200-299; with commas. 2xx by default.")
            .only(&["http"]),
        Input::line("expect.contains", "The body has").only(&["http"]),
        Input::line("expect.lacks", "The body does not have").only(&["http"]),
        Input::number(
            "expect.certificateDays",
            "The certificate is good for at least (days)",
        )
        .only(&["http", "tls"]),
    ],
);

const REQUEST: Section = Section::behind(
    "How it is asked",
    &[
        Input::choice("request.method", "Method", METHODS).only(&["http"]),
        Input::new(Kind::Area(3), "request.body", "Body").only(&["http"]),
        Input::new(
            Kind::Checkbox(true),
            "request.followRedirects",
            "Follow redirects",
        )
        .only(&["http"]),
        Input::new(
            Kind::Checkbox(true),
            "request.verifyTls",
            "A certificate that is not to be trusted fails the check",
        )
        .only(&["http"]),
        Input::checkbox(
            "cacheBust",
            "Add a parameter that changes, so that no cache answers",
        )
        .only(&["http"]),
        Input::note("Headers and credentials are set with the API; what is set stays.")
            .only(&["http"]),
    ],
);

const PATIENCE: Section = Section::behind(
    "Patience, group and tags",
    &[
        Input::number("timeout", "May take (ms)").hint("1,000 to 120,000; 30,000 by default."),
        Input::number("degradedAfter", "Counts as slow after (ms)"),
        Input::number("retries", "Failed re-checks before it is down").hint("0 to 10."),
        Input::number("grace", "A sign of life may be late by (s)")
            .hint("0 to 86,400; 60 by default.")
            .only(&["push"]),
        Input::line("group", "Group"),
        Input::new(Kind::Words, "tags", "Tags").hint("With commas between them."),
        Input::choice("websiteId", "Belongs to the website", &[("", "None")]),
    ],
);

const MAINTENANCE: Section = Section::behind(
    "Maintenance",
    &[Input::new(Kind::Windows, "maintenance", "Maintenance")
        .hint("Checks of these times do not count.")],
);

/// The inputs of a new monitor.
pub(super) const NEW: &[Section] = &[KIND, WATCHED, ANSWER, REQUEST, PATIENCE, MAINTENANCE];
pub(super) const FORM: &[Section] = &[WATCHED, ANSWER, REQUEST, PATIENCE, MAINTENANCE];

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
            "timeout": 5_000, "degradedAfter": null, "retries": 2, "group": "EU", "tags": ["a", "b"], "cacheBust": true,
            "maintenance": [{ "title": "Move", "startsAt": "2026-12-31T22:00:00Z", "endsAt": "2026-12-31T23:00:00Z" }],
            "expect": { "status": ["2xx", "304"], "contains": "ok", "lacks": null, "certificateDays": 14 },
            "request": { "method": "POST", "body": "{}", "followRedirects": false, "verifyTls": true },
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
