//! The conditions of an alert: inputs of `triggerConditions`, by kind.

use serde_json::Value;

use crate::{
    fault::Issue,
    http::pages::{
        form::{Empty, Kind, Rows},
        prelude::*,
    },
    pages::part::Field,
};

const METRICS: &[(&str, &str)] = &[
    ("LCP", "Largest contentful paint (ms)"),
    ("INP", "Interaction to next paint (ms)"),
    ("CLS", "Cumulative layout shift"),
    ("FCP", "First contentful paint (ms)"),
    ("TTFB", "Time to first byte (ms)"),
];
const GRAINS: &[(&str, &str)] = &[("hourly", "Hour"), ("daily", "Day (UTC)")];
const SIDES: &[(&str, &str)] = &[("above", "Above threshold"), ("below", "Below threshold")];

const THRESHOLD: &str = "triggerConditions.threshold";
const MINIMUM: &str = "triggerConditions.minimum";
const FACTOR: &str = "triggerConditions.factor";
const RECOVER_FACTOR: &str = "triggerConditions.recoverFactor";
pub(super) const MONITORS: &str = "triggerConditions.monitorIds";

const fn condition(kind: Kind, name: &'static str, label: &'static str) -> Input {
    Input::new(kind, name, label).empty(Empty::Omit)
}

const fn number(name: &'static str, label: &'static str, hint: &'static str) -> Input {
    condition(Kind::Decimal, name, label).hint(hint)
}

const fn checkbox(name: &'static str, label: &'static str) -> Input {
    Input::checkbox(name, label).only(&["uptime"])
}

pub(super) const SECTION: Section = Section::plain(&[
    checkbox("triggerConditions.down", "Monitor is down"),
    checkbox("triggerConditions.degraded", "Monitor is degraded"),
    number(
        "triggerConditions.consecutiveFailures",
        "Failed checks in a row",
        "1 to 100. Triggers before the monitor counts as down.",
    )
    .only(&["uptime"]),
    number(
        "triggerConditions.certificateDays",
        "Certificate expiry (days)",
        "1 to 365. Triggers this many days before the certificate expires.",
    )
    .only(&["uptime"]),
    condition(Kind::Words, "triggerConditions.tags", "Monitor tags")
        .hint("Comma-separated. Leave empty for all.")
        .only(&["uptime"]),
    condition(Kind::Several(&[]), MONITORS, "Monitors")
        .hint("Leave empty for all.")
        .only(&["uptime", "heartbeat"]),
    number(
        FACTOR,
        "Spike factor",
        "Multiple of the usual traffic at this hour. Default: 2.",
    )
    .only(&["traffic_spike"]),
    number(
        FACTOR,
        "Drop factor",
        "Multiple of the usual traffic at this hour. Default: 0.5.",
    )
    .only(&["traffic_drop"]),
    number(
        RECOVER_FACTOR,
        "Recovery factor",
        "At most the spike factor. Default: the same.",
    )
    .only(&["traffic_spike"]),
    number(
        RECOVER_FACTOR,
        "Recovery factor",
        "At least the drop factor. Default: the same.",
    )
    .only(&["traffic_drop"]),
    condition(Kind::Choice(METRICS), "triggerConditions.metric", "Metric").only(&["web_vital"]),
    condition(Kind::Line("text"), "triggerConditions.query", "Query type")
        .hint("A time series. Example: events_by_date.")
        .only(&["custom"]),
    condition(Kind::Line("text"), "triggerConditions.field", "Column")
        .hint("A column of the series. Example: pageviews.")
        .only(&["custom"]),
    condition(
        Kind::Choice(GRAINS),
        "triggerConditions.granularity",
        "Granularity",
    )
    .only(&["custom"]),
    condition(
        Kind::Choice(SIDES),
        "triggerConditions.operator",
        "Operator",
    )
    .only(&["custom"]),
    number(THRESHOLD, "Errors per 100 pageviews", "Default: 5.").only(&["error_rate"]),
    number(
        THRESHOLD,
        "Threshold",
        "Default: the upper limit of a good score.",
    )
    .only(&["web_vital"]),
    number(THRESHOLD, "Threshold", "").only(&["custom"]),
    number(
        "triggerConditions.recoverAt",
        "Recovery threshold",
        "Prevents repeated alerts when a value stays near the threshold.",
    )
    .only(&["error_rate", "web_vital", "custom"]),
    number(MINIMUM, "Minimum pageviews", "Default: 100.").only(&[
        "traffic_spike",
        "traffic_drop",
        "error_rate",
    ]),
    number(MINIMUM, "Minimum measurements", "Default: 50.").only(&["web_vital"]),
    number(MINIMUM, "Minimum value", "").only(&["custom"]),
    number(
        "triggerConditions.days",
        "Baseline (days)",
        "1 to 28. Default: 7.",
    )
    .only(&["traffic_spike", "traffic_drop"]),
    condition(Kind::Rows(&Filters), FILTERS, "Filters").only(&["custom"]),
]);

/// Whether an alarm fires for a monitor that is down, because no other condition is set.
pub(super) fn is_down_usual(conditions: &Value) -> bool {
    let others = ["consecutiveFailures", "certificateDays"];
    conditions["down"].is_null()
        && conditions["degraded"] != true
        && others.iter().all(|other| conditions[other].is_null())
}

const FILTERS: &str = "triggerConditions.filters";

/// Filters, as queries take them.
#[derive(Debug)]
struct Filters;

impl Rows for Filters {
    fn fill(&self, all: &Value) -> Vec<(String, String)> {
        let written = all
            .as_array()
            .map(|_| (FILTERS.to_owned(), all.to_string()));
        written.into_iter().collect()
    }

    fn read(&self, sent: &FormData, issues: &mut Vec<Issue>) -> Option<Value> {
        let read = serde_json::from_str(sent.some(FILTERS)?);
        if read.is_err() {
            issues.push(Issue::new("invalid_type", FILTERS, "must be valid JSON"));
        }
        read.ok()
    }

    fn draw(&self, sent: &FormData, _: &Choices, problems: &Problems) -> Markup {
        let field = Field::text(FILTERS, "Filters").value(sent.raw(FILTERS));
        let hint =
            "JSON, as in /v1/query. Example: [{\"field\":\"path\",\"op\":\"eq\",\"value\":\"/\"}]";
        field.hint(hint).optional().lines(2, problems)
    }
}
