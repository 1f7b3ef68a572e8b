//! How much goes on.

use super::{
    category::Category,
    fold::VISITS,
    measure::{BOUNCE_RATE, MEDIAN_DURATION, Measure, PAGEVIEWS, SESSIONS, TOTAL_EVENTS, VISITORS},
    query_type::{By, QueryType},
};

const SUMMARY: &[Measure] = &[
    PAGEVIEWS,
    VISITORS,
    SESSIONS,
    BOUNCE_RATE,
    MEDIAN_DURATION,
    TOTAL_EVENTS,
];

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
];
