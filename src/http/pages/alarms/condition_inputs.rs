//! The fields of each kind's conditions.

/// A field: its name in `triggerConditions`, what it is called, what it is for, and what is in it.
pub(super) type Input = (&'static str, &'static str, &'static str, Holds);

/// What is in a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Number,
    Text,
    /// Words with commas between them.
    Words,
    Tick,
    Monitors,
    Json,
    Among(&'static [(&'static str, &'static str)]),
}

use Holds::{Among, Json, Monitors, Number, Text, Tick, Words};

const METRICS: [(&str, &str); 5] = [
    ("LCP", "Largest contentful paint (ms)"),
    ("INP", "Interaction to next paint (ms)"),
    ("CLS", "Cumulative layout shift"),
    ("FCP", "First contentful paint (ms)"),
    ("TTFB", "Time to first byte (ms)"),
];
const GRAINS: [(&str, &str); 2] = [("hourly", "Hour"), ("daily", "Day (UTC)")];
const SIDES: [(&str, &str); 2] = [("above", "Above the threshold"), ("below", "Below it")];

const ENDS: Input = (
    "recoverAt",
    "Ends at",
    "Keeps a value at its threshold from ringing again and again.",
    Number,
);
const NAMED: Input = (
    "monitorIds",
    "Only these",
    "None ticked: all of them.",
    Monitors,
);
const VIEWS: Input = (
    "minimum",
    "Only from so many page views on",
    "100 by default.",
    Number,
);
const USUAL: Input = (
    "days",
    "Days that make up what is usual",
    "1 to 28; 7 by default.",
    Number,
);
const TIMES: &str = "So many times what is usual at this hour";

const UPTIME: &[Input] = &[
    ("down", "When it is down", "", Tick),
    ("degraded", "When it is slow", "", Tick),
    (
        "consecutiveFailures",
        "After so many failed checks in a row",
        "1 to 100, before it counts as down.",
        Number,
    ),
    (
        "certificateDays",
        "So many days before a certificate ends",
        "1 to 365.",
        Number,
    ),
    (
        "tags",
        "Only monitors with one of these tags",
        "With commas between them.",
        Words,
    ),
    NAMED,
];
const SPIKE: &[Input] = &[
    ("factor", TIMES, "2 by default.", Number),
    (
        "recoverFactor",
        "Ends at so many times",
        "The same or less.",
        Number,
    ),
    VIEWS,
    USUAL,
];
const DROP: &[Input] = &[
    ("factor", TIMES, "0.5 by default.", Number),
    (
        "recoverFactor",
        "Ends at so many times",
        "The same or more.",
        Number,
    ),
    VIEWS,
    USUAL,
];
const ERRORS: &[Input] = &[
    (
        "threshold",
        "Errors per hundred page views",
        "5 by default.",
        Number,
    ),
    ENDS,
    VIEWS,
];
const VITAL: &[Input] = &[
    ("metric", "Which", "", Among(&METRICS)),
    (
        "threshold",
        "More than",
        "What counts as good, by default.",
        Number,
    ),
    ENDS,
    (
        "minimum",
        "Only from so many measurements on",
        "50 by default.",
        Number,
    ),
];
const CUSTOM: &[Input] = &[
    (
        "query",
        "Query type",
        "A series, such as events_by_date.",
        Text,
    ),
    ("field", "Column", "Such as pageviews.", Text),
    ("granularity", "By", "", Among(&GRAINS)),
    ("operator", "Goes off", "", Among(&SIDES)),
    ("threshold", "Threshold", "", Number),
    ENDS,
    ("minimum", "Only from this value on", "", Number),
    (
        "filters",
        "Filters",
        "As in /v1/query: [{\"field\":\"path\",\"op\":\"eq\",\"value\":\"/\"}]",
        Json,
    ),
];

/// The fields of a kind.
pub(super) fn inputs(kind: &str) -> &'static [Input] {
    match kind {
        "heartbeat" => &[NAMED],
        "traffic_spike" => SPIKE,
        "traffic_drop" => DROP,
        "error_rate" => ERRORS,
        "web_vital" => VITAL,
        "custom" => CUSTOM,
        _ => UPTIME,
    }
}
