//! JavaScript errors. The category is gated by plan.

use super::{
    category::Category,
    field::{ERROR_TYPE, Field, MESSAGE},
    fold::{BaseAggregate, once},
    measure::{Key, Measure, Show, float, int, key, measure},
    places::PAGE,
    query_type::{By, Column, QueryType, column},
};

const FILTERS: &[Field] = &[MESSAGE, ERROR_TYPE];

const RATE: BaseAggregate = once(
    "kind IN (1, 5)",
    "count(CASE WHEN kind = 5 THEN 1 END) AS errors, count(DISTINCT CASE WHEN kind = 5 THEN name END) AS types, \
     count(DISTINCT CASE WHEN kind = 5 AND visitor <> 0 THEN visitor END) AS visitors, \
     count(DISTINCT CASE WHEN kind = 5 AND session <> 0 THEN session END) AS broken, \
     count(DISTINCT CASE WHEN session <> 0 THEN session END) AS sessions",
);

const SUMMARY: &[Measure] = &[
    int(&["totalErrors"], "errors"),
    int(&["uniqueErrorTypes"], "types"),
    int(&["affectedUsers"], "visitors"),
    int(&["affectedSessions"], "broken"),
    float(
        &["errorRate"],
        "coalesce(100.0 * broken / nullif(sessions, 0), 0)",
        2,
    )
    .unit("%"),
];

const ERRORS: BaseAggregate = once(
    "kind = 5",
    "count(*) AS errors, count(DISTINCT CASE WHEN visitor <> 0 THEN visitor END) AS visitors, max(time) AS newest",
);

const COUNT: Measure = int(&["count"], "errors");
const NUMBER: Measure = int(&["errors"], "errors");
const USERS: Measure = int(&["users"], "visitors");
const LAST: Measure = measure(&["last_seen"], "newest", Show::Time);

const WORDS: Key = key("coalesce(message, '')", &[("name", Show::Label("Unknown"))]);
const TYPE: Key = key(
    "name",
    &[
        ("name", Show::Label("Error")),
        ("error_type", Show::Label("Error")),
    ],
);

const RECENT: &[Column] = &[
    column("timestamp", "time", Show::Time),
    column("error_type", "name", Show::Text),
    column("message", "message", Show::Text),
    column("stack", "stack", Show::Text),
    column("filename", "filename", Show::Text),
    column("lineno", "line", Show::MaybeInt),
    column("colno", "column_number", Show::MaybeInt),
    column("path", "path", Show::Text),
    column("anonymous_id", "visitor", Show::Hash),
    column("session_id", "session", Show::Hash),
    column("browser_name", "browser_name", Show::Text),
    column("browser_version", "browser_version", Show::Text),
    column("os_name", "os_name", Show::Text),
    column("device_type", "device_type", Show::Text),
    column("country", "country", Show::CountryName),
    column("country_code", "country", Show::CountryCode),
];

const fn errors(name: &'static str, by: By, measures: &'static [Measure]) -> QueryType {
    QueryType::new(name, Category::Errors, ERRORS, by, measures).filters(FILTERS)
}

pub(super) const TYPES: &[QueryType] = &[
    QueryType::list(
        "recent_errors",
        Category::Errors,
        "kind = 5",
        RECENT,
        &["received", "session", "message"],
    )
    .filters(FILTERS)
    .titled("Recent errors", "The newest errors with message and stack"),
    QueryType::new(
        "error_summary",
        Category::Errors,
        RATE,
        By::Nothing,
        SUMMARY,
    )
    .filters(FILTERS)
    .public()
    .titled(
        "Error summary",
        "Errors, their types, and the share of sessions that met one",
    ),
    errors("error_types", By::Keys(&[WORDS]), &[COUNT, USERS, LAST])
        .limit(50)
        .customizable()
        .public()
        .titled("Error messages", "Errors by their message"),
    errors("errors_by_type", By::Keys(&[TYPE]), &[COUNT, USERS, LAST])
        .customizable()
        .titled("Error types", "Errors by their type"),
    errors("errors_by_page", By::Keys(PAGE), &[NUMBER, USERS])
        .limit(25)
        .customizable()
        .public()
        .titled("Errors by page", "Pages by the errors on them"),
    errors("error_trends", By::Time, &[NUMBER, USERS]).titled(
        "Errors over time",
        "Errors and the visitors who met them, of every day or hour",
    ),
    errors("error_frequency", By::Time, &[COUNT])
        .titled("Frequency of errors", "Errors of every day or hour"),
    errors(
        "error_chart_data",
        By::Time,
        &[
            int(&["totalErrors"], "errors"),
            int(&["affectedUsers"], "visitors"),
        ],
    )
    .public()
    .titled(
        "Error chart",
        "Errors and affected visitors of every day or hour",
    ),
];
