//! JavaScript errors. The category is gated by plan.

use super::{
    category::Category,
    field::{ERROR_TYPE, Field, MESSAGE},
    fold::{BaseAggregate, Extracted, How, once},
    measure::{Key, Measure, Show, float, int, key, measure, text_key},
    places::{BROWSER, PAGE},
    query_type::{By, Column, QueryType, column, list, measured, query_types},
};

const FILTERS: &[Field] = &[MESSAGE, ERROR_TYPE];

const RATE: BaseAggregate =
    once("kind IN (kind_of(page), kind_of(error))", RATED).extracted(&Extracted {
        from: Some(
            "(SELECT * FROM {events} WHERE kind = kind_of(error) UNION ALL BY NAME SELECT * FROM {extract} WHERE opened < no_page())",
        ),
        rows: "",
        how: How::Once(RATED),
    });
const RATED: &str = "count_if(kind = kind_of(error)) AS errors, count(DISTINCT CASE WHEN kind = kind_of(error) THEN name \
                     END) AS types, visitors(kind = kind_of(error)) AS visitors, sessions(kind = kind_of(error)) AS broken, \
                     sessions() AS sessions";

const SUMMARY: &[Measure] = &[
    int("totalErrors", "errors"),
    int("uniqueErrorTypes", "types"),
    int("affectedUsers", "visitors"),
    int("affectedSessions", "broken"),
    float(
        "errorRate",
        "coalesce(100.0 * broken / nullif(sessions, 0), 0)",
        2,
    )
    .unit("%"),
];

const ERRORS: BaseAggregate = once(
    "kind = kind_of(error)",
    "count(*) AS errors, visitors() AS visitors, max(time) AS newest",
);

const GROUPS: BaseAggregate = once(
    "kind = kind_of(error)",
    "count(*) AS errors, visitors() AS visitors, max(time) AS newest, min(time) AS oldest, count(DISTINCT \
     nullif(browser_name, '')) AS browsers, count(DISTINCT nullif(path, '')) AS pages",
);

/// What is known of the errors with one message.
const GROUP_SAYS: &[Measure] = &[
    COUNT,
    USERS,
    LAST,
    measure("first_seen", "oldest", Show::Time),
    int("browsers", "browsers"),
    int("pages", "pages"),
];

const COUNT: Measure = int("count", "errors");
const NUMBER: Measure = int("errors", "errors");
const USERS: Measure = int("users", "visitors");
const LAST: Measure = measure("last_seen", "newest", Show::Time);

const WORDS: Key = text_key!("message", Show::Label("Unknown"), "name");
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

const fn errors(by: By, measures: &'static [Measure]) -> QueryType {
    measured(Category::Errors, ERRORS, by, measures).filters(FILTERS)
}

query_types! {
    "recent_errors": "Recent errors", "The newest errors with message and stack"
        => list(Category::Errors, "kind = kind_of(error)", RECENT, &["received", "session", "message"])
            .filters(FILTERS);
    "error_summary": "Error summary", "Errors, their types, and the share of sessions that met one"
        => measured(Category::Errors, RATE, By::Nothing, SUMMARY).filters(FILTERS).public();
    "error_types": "Error messages", "Errors by their message"
        => measured(Category::Errors, GROUPS, By::Keys(&[WORDS]), GROUP_SAYS).filters(FILTERS).limit(50).customizable().public();
    "errors_by_type": "Error types", "Errors by their type"
        => errors(By::Keys(&[TYPE]), &[COUNT, USERS, LAST]).customizable();
    "errors_by_page": "Errors by page", "Pages by the errors on them"
        => errors(By::Keys(PAGE), &[NUMBER, USERS]).limit(25).customizable().public();
    "errors_by_browser": "Errors by browser", "Browsers by the errors in them"
        => errors(By::Keys(BROWSER), &[NUMBER, USERS]);
    "error_trends_by_message": "Each error over time",
        "Errors by their message, of every day or hour that has any"
        => errors(By::TimeAnd(&[WORDS]), &[COUNT]);
    "error_trends": "Errors over time", "Errors and the visitors who met them, of every day or hour"
        => errors(By::Time, &[NUMBER, USERS]);
    "error_frequency": "Frequency of errors", "Errors of every day or hour"
        => errors(By::Time, &[COUNT]);
    "error_chart_data": "Error chart", "Errors and affected visitors of every day or hour"
        => errors(By::Time, &[int("totalErrors", "errors"), int("affectedUsers", "visitors")])
            .public();
}
