//! JavaScript errors. The category is gated by plan.

use super::{
    category::Category,
    field::{ERROR_TYPE, Field, MESSAGE},
    fold::{Fold, once},
    measure::{Measure, Show, float, int},
    query_type::{By, Column, QueryType, column},
};

const FILTERS: &[Field] = &[MESSAGE, ERROR_TYPE];

const ERRORS: Fold = once(
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

pub(super) const TYPES: &[QueryType] = &[
    QueryType::list("recent_errors", Category::Errors, "kind = 5", RECENT)
        .filters(FILTERS)
        .titled("Recent errors", "The newest errors with message and stack"),
    QueryType::new(
        "error_summary",
        Category::Errors,
        ERRORS,
        By::Nothing,
        SUMMARY,
    )
    .filters(FILTERS)
    .public()
    .titled(
        "Error summary",
        "Errors, their types, and the share of sessions that met one",
    ),
];
