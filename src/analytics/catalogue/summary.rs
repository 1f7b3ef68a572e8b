//! How much goes on.

use super::{
    category::Category,
    fold::{BaseAggregate, VISITS, once},
    measure::{
        BOUNCE_RATE, MEDIAN_DURATION, Measure, PAGES_PER_SESSION, PAGEVIEWS, SESSIONS,
        TOTAL_EVENTS, VISITORS, int,
    },
    query_type::{By, QueryType},
    window::Window,
};

const SUMMARY: &[Measure] = &[
    PAGEVIEWS,
    VISITORS,
    SESSIONS,
    BOUNCE_RATE,
    MEDIAN_DURATION,
    TOTAL_EVENTS,
];

const BY_DATE: &[Measure] = &[
    PAGEVIEWS,
    VISITORS,
    SESSIONS,
    BOUNCE_RATE,
    MEDIAN_DURATION,
    PAGES_PER_SESSION,
];

/// "Now" is the last five minutes.
pub(super) const NOW: Window = Window::Minutes(5);

/// Anything that people do.
const ACTIVE: BaseAggregate = once(
    "kind <= 3",
    "count(DISTINCT CASE WHEN visitor <> 0 THEN visitor END) AS visitors, \
     count(DISTINCT CASE WHEN session <> 0 THEN session END) AS sessions",
);

const fn summary(name: &'static str, by: By) -> QueryType {
    QueryType::new(name, Category::Summary, VISITS, by, SUMMARY)
        .customizable()
        .public()
}

pub(super) const TYPES: &[QueryType] = &[
    summary("summary_metrics", By::Time).titled(
        "Summary",
        "Pageviews, visitors, sessions, bounce rate and session duration of every day or hour",
    ),
    summary("summary_totals", By::Range).titled(
        "Totals",
        "Pageviews, visitors, sessions, bounce rate and session duration of the whole range",
    ),
    QueryType::new(
        "today_metrics",
        Category::Summary,
        VISITS,
        By::Range,
        &[PAGEVIEWS, VISITORS, SESSIONS],
    )
    .within(Window::Today)
    .customizable()
    .public()
    .titled(
        "Today",
        "Pageviews, visitors and sessions of the current day, whatever range was asked for",
    ),
    QueryType::new(
        "events_by_date",
        Category::Summary,
        VISITS,
        By::Time,
        BY_DATE,
    )
    .customizable()
    .public()
    .titled(
        "Traffic over time",
        "Pageviews, visitors, sessions and what sessions are like, of every day or hour",
    ),
    QueryType::new(
        "active_stats",
        Category::Realtime,
        ACTIVE,
        By::Nothing,
        &[
            int(&["active_users"], "visitors"),
            int(&["active_sessions"], "sessions"),
        ],
    )
    .within(NOW)
    .titled(
        "Active now",
        "Visitors and sessions that did something in the last five minutes, whatever range was asked for",
    ),
];
