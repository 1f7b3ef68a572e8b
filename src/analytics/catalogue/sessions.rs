//! Visits.

use super::{
    category::Category,
    field::EVENT_NAME,
    fold::VISITS,
    measure::{
        BOUNCE_RATE, MEAN_DURATION, MEDIAN_DURATION, Measure, PAGES_PER_SESSION, Show,
        TOTAL_EVENTS, int,
    },
    query_type::{By, Column, QueryType, column, detail},
};

const METRICS: &[Measure] = &[
    int(&["total_sessions", "sessions"], "sessions"),
    MEDIAN_DURATION,
    MEAN_DURATION,
    BOUNCE_RATE,
    PAGES_PER_SESSION,
    TOTAL_EVENTS,
];

/// The page of sessions is chosen by three cheap aggregates; only those sessions' rows are read in full, of each
/// at most the first 100 (what a session's first event says holds for the session). `$rows` is the relation they are in,
/// `$measured` are further aggregates over them, `$shown` their names.
macro_rules! sessions {
    ($rows:literal, $measured:literal, $shown:literal) => {
        concat!(
            "WITH chosen AS MATERIALIZED (\
    SELECT session, min(time) AS first_visit, max(time) AS last_visit, \
    count(CASE WHEN kind = 1 AND name = 'screen_view' THEN 1 END) AS page_views, count(*) AS total_events \
    FROM ",
            $rows,
            " WHERE {where} AND kind <= 3 AND session <> 0 GROUP BY session \
    HAVING count(CASE WHEN kind = 1 AND name = 'screen_view' THEN 1 END) > 0 {page}), \
    ranked AS (SELECT e.*, row_number() OVER (PARTITION BY e.session ORDER BY e.time, e.received, e.kind, e.name) AS place \
    FROM (SELECT * FROM ",
            $rows,
            " WHERE {where} AND kind <= 3) e SEMI JOIN chosen ON e.session = chosen.session), \
    details AS (SELECT session, max(CASE WHEN place = 1 THEN visitor END) AS visitor_id, \
    max(CASE WHEN place = 1 THEN country END) AS country, max(CASE WHEN place = 1 THEN referrer END) AS referrer, \
    max(CASE WHEN place = 1 THEN device_type END) AS device_type, \
    max(CASE WHEN place = 1 THEN browser_name END) AS browser_name, \
    max(CASE WHEN place = 1 THEN os_name END) AS os_name, \
    list(struct_pack(\"timestamp\" := time, \"name\" := name, path := path, properties := properties) ORDER BY place) \
    AS events",
            $measured,
            " FROM ranked WHERE place <= 100 GROUP BY session) \
    SELECT session AS session_id, first_visit, last_visit, page_views, total_events, visitor_id, country, \
    country AS country_code, referrer, device_type, browser_name, os_name, events",
            $shown,
            " FROM chosen JOIN details USING (session) {order}"
        )
    };
}
pub(super) use sessions;

const LIST: &str = sessions!("{events}", "", "");

pub(super) const COLUMNS: [Column; 13] = [
    column("session_id", "session", Show::Hash),
    column("first_visit", "first_visit", Show::Time),
    column("last_visit", "last_visit", Show::Time),
    column("page_views", "page_views", Show::Int),
    column("total_events", "total_events", Show::Int),
    detail("visitor_id", Show::Hash),
    detail("country", Show::CountryName),
    detail("country_code", Show::CountryCode),
    detail("referrer", Show::Label("Direct")),
    detail("device_type", Show::Label("Unknown")),
    detail("browser_name", Show::Label("Unknown")),
    detail("os_name", Show::Label("Unknown")),
    detail("events", Show::Events),
];

pub(super) const TYPES: &[QueryType] = &[
    QueryType::new(
        "session_metrics",
        Category::Sessions,
        VISITS,
        By::Nothing,
        METRICS,
    )
    .customizable()
    .titled(
        "Session metrics",
        "Number, duration and bounce rate of sessions",
    ),
    QueryType::custom(
        "session_list",
        Category::Sessions,
        LIST,
        &COLUMNS,
        "session",
    )
    .filters(&[EVENT_NAME])
    .ordered("first_visit", true)
    .titled("Sessions", "The newest sessions with their events"),
];
