//! The conditions of an alarm: inputs of `triggerConditions`, by kind.

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
const SIDES: &[(&str, &str)] = &[("above", "Above the threshold"), ("below", "Below it")];
const TIMES: &str = "So many times what is usual at this hour";

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
    checkbox("triggerConditions.down", "When it is down"),
    checkbox("triggerConditions.degraded", "When it is slow"),
    number(
        "triggerConditions.consecutiveFailures",
        "After so many failed checks in a row",
        "1 to 100, before it counts as down.",
    )
    .only(&["uptime"]),
    number(
        "triggerConditions.certificateDays",
        "So many days before a certificate ends",
        "1 to 365.",
    )
    .only(&["uptime"]),
    condition(
        Kind::Words,
        "triggerConditions.tags",
        "Only monitors with one of these tags",
    )
    .hint("With commas between them.")
    .only(&["uptime"]),
    condition(Kind::Several(&[]), MONITORS, "Only these")
        .hint("None ticked: all of them.")
        .only(&["uptime", "heartbeat"]),
    number(FACTOR, TIMES, "2 by default.").only(&["traffic_spike"]),
    number(FACTOR, TIMES, "0.5 by default.").only(&["traffic_drop"]),
    number(RECOVER_FACTOR, "Ends at so many times", "The same or less.").only(&["traffic_spike"]),
    number(RECOVER_FACTOR, "Ends at so many times", "The same or more.").only(&["traffic_drop"]),
    condition(Kind::Choice(METRICS), "triggerConditions.metric", "Which").only(&["web_vital"]),
    condition(Kind::Line("text"), "triggerConditions.query", "Query type")
        .hint("A series, such as events_by_date.")
        .only(&["custom"]),
    condition(Kind::Line("text"), "triggerConditions.field", "Column")
        .hint("Such as pageviews.")
        .only(&["custom"]),
    condition(Kind::Choice(GRAINS), "triggerConditions.granularity", "By").only(&["custom"]),
    condition(
        Kind::Choice(SIDES),
        "triggerConditions.operator",
        "Goes off",
    )
    .only(&["custom"]),
    number(THRESHOLD, "Errors per hundred page views", "5 by default.").only(&["error_rate"]),
    number(THRESHOLD, "More than", "What counts as good, by default.").only(&["web_vital"]),
    number(THRESHOLD, "Threshold", "").only(&["custom"]),
    number(
        "triggerConditions.recoverAt",
        "Ends at",
        "Keeps a value at its threshold from ringing again and again.",
    )
    .only(&["error_rate", "web_vital", "custom"]),
    number(
        MINIMUM,
        "Only from so many page views on",
        "100 by default.",
    )
    .only(&["traffic_spike", "traffic_drop", "error_rate"]),
    number(
        MINIMUM,
        "Only from so many measurements on",
        "50 by default.",
    )
    .only(&["web_vital"]),
    number(MINIMUM, "Only from this value on", "").only(&["custom"]),
    number(
        "triggerConditions.days",
        "Days that make up what is usual",
        "1 to 28; 7 by default.",
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
            issues.push(Issue::new("invalid_type", FILTERS, "must be JSON"));
        }
        read.ok()
    }

    fn draw(&self, sent: &FormData, problems: &Problems) -> Markup {
        let field = Field::text(FILTERS, "Filters").value(sent.raw(FILTERS));
        let hint = "As in /v1/query: [{\"field\":\"path\",\"op\":\"eq\",\"value\":\"/\"}]";
        field.hint(hint).optional().lines(2, problems)
    }
}
