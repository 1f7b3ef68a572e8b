//! How much goes on.

use super::{
    category::Category,
    fold::{BaseAggregate, VISITS, once},
    measure::{
        BOUNCE_RATE, MEDIAN_DURATION, Measure, PAGES_PER_SESSION, PAGEVIEWS, SESSIONS,
        TOTAL_EVENTS, VISITORS, int,
    },
    query_type::{By, QueryType, measured, query_types},
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
    "kind <= kind_of(outgoing)",
    "visitors() AS visitors, sessions() AS sessions",
);

const fn summary(by: By) -> QueryType {
    measured(Category::Summary, VISITS, by, SUMMARY)
        .customizable()
        .public()
}

query_types! {
    "summary_metrics": "Summary",
        "Pageviews, visitors, sessions, bounce rate and session duration of every day or hour"
        => summary(By::Time);
    "summary_totals": "Totals",
        "Pageviews, visitors, sessions, bounce rate and session duration of the whole range"
        => summary(By::Range);
    "today_metrics": "Today",
        "Pageviews, visitors and sessions of the current day, whatever range was asked for"
        => measured(Category::Summary, VISITS, By::Range, &[PAGEVIEWS, VISITORS, SESSIONS])
            .within(Window::Today).customizable().public();
    "events_by_date": "Traffic over time",
        "Pageviews, visitors, sessions and what sessions are like, of every day or hour"
        => measured(Category::Summary, VISITS, By::Time, BY_DATE).customizable().public();
    "active_stats": "Active now",
        "Visitors and sessions that did something in the last five minutes, whatever range was \
         asked for"
        => measured(Category::Realtime, ACTIVE, By::Nothing, &[int("active_users", "visitors"),
            int("active_sessions", "sessions")]).within(NOW);
}
