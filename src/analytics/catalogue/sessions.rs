//! Visits.

use super::{
    category::{Category, Visual},
    field::{EVENT_NAME, SESSION_ID},
    fold::{BaseAggregate, Each, VISITS, each, once},
    measure::{
        BOUNCE_RATE, Key, MEAN_DURATION, MEDIAN_DURATION, Measure, PAGES_PER_SESSION, SESSIONS,
        Show, TOTAL_EVENTS, UNKNOWN, VISITORS, int, key,
    },
    places::PAGE,
    query_type::{By, Column, QueryType, column, custom, detail, list, measured, query_types},
};

/// One row per visit: a session with at least one view of a page. Its columns are up to who uses it.
pub(super) const VISIT: Each = Each {
    of_people: false,
    rows: "kind <= kind_of(outgoing) AND session <> 0",
    identity: "session",
    columns: "count(*) AS events",
    having: "count_if(is_view()) > 0",
};

/// What a visit is like, and what its first event says about its visitor.
pub(super) const LIKE: Each = Each {
    columns: "count_if(is_view()) AS views, coalesce(sum(CASE WHEN kind = kind_of(page) AND name = 'page_exit' AND \
        time_on_page > 0 THEN time_on_page END), 0) AS spent, count_if(kind <> kind_of(page) OR name NOT IN \
        ('screen_view', 'page_exit')) AS others, earliest(CASE WHEN is_view() THEN visitor END) AS visitor, \
        earliest(CASE WHEN kind = kind_of(page) THEN coalesce(device_type, '') END) AS device_type, earliest(CASE \
        WHEN kind = kind_of(page) THEN coalesce(browser_name, '') END) AS browser_name, earliest(CASE WHEN kind = \
        kind_of(page) THEN coalesce(os_name, '') END) AS os_name, earliest(CASE WHEN kind = kind_of(page) THEN \
        coalesce(country, '') END) AS country",
    ..VISIT
};

const LIKENESS: BaseAggregate = each(
    LIKE,
    "",
    "count(*) AS sessions, visitors() AS visitors, count_if(views = 1 AND spent < 10 AND others = 0) AS bounces, \
     quantile_cont(spent, 0.5) AS median_duration, avg(spent) AS mean_duration",
);

/// How long visits last: what the numbers of [`DURATION`] mean.
const DURATIONS: &[&str] = &[
    "0s",
    "under 10s",
    "10-30s",
    "30-60s",
    "1-3m",
    "3-10m",
    "10-30m",
    "over 30m",
];
/// The range that a duration in column `spent` lies in.
pub(super) const DURATION: Key = key(
    "CASE WHEN spent <= 0 THEN 0 WHEN spent < 10 THEN 1 WHEN spent < 30 THEN 2 WHEN spent < 60 THEN 3 \
     WHEN spent < 180 THEN 4 WHEN spent < 600 THEN 5 WHEN spent < 1800 THEN 6 ELSE 7 END",
    &[("duration_range", Show::Pick(DURATIONS))],
);

const SEEN: BaseAggregate = once(
    "is_view() AND session <> 0",
    "sessions() AS sessions, visitors() AS visitors",
);

const METRICS: &[Measure] = &[
    int("total_sessions", "sessions").alias("sessions"),
    MEDIAN_DURATION,
    MEAN_DURATION,
    BOUNCE_RATE,
    PAGES_PER_SESSION,
    TOTAL_EVENTS,
];

/// The page of sessions is chosen by three cheap aggregates; only those sessions' rows are read in full, of each
/// at most the first 100 (what a session's first event says holds for the session). `$chosen` is the relation of the page
/// without its head, `$rows` the relation that events are in, `$measured` are further aggregates over them, `$shown` their
/// names.
macro_rules! chosen_sessions {
    ($before:literal, $chosen:expr, $rows:literal, $measured:literal, $shown:literal) => {
        concat!(
            "WITH ",
            $before,
            "chosen AS MATERIALIZED (SELECT session, min(time) AS first_visit, max(time) AS last_visit, \
    count_if(is_view()) AS page_views, count(*) AS total_events FROM ",
            $chosen,
            " GROUP BY session HAVING count_if(is_view()) > 0 {page}), ranked AS (SELECT e.*, row_number() OVER \
    (PARTITION BY e.session ORDER BY e.time, e.received, e.kind, e.name) AS place FROM (SELECT * FROM ",
            $rows,
            " WHERE {where} AND kind <= kind_of(outgoing) AND during(chosen)) e SEMI JOIN chosen ON e.session = \
    chosen.session), details AS (SELECT session, max(CASE WHEN place = 1 THEN visitor END) AS visitor_id, max(CASE WHEN \
    place = 1 THEN country END) AS country, max(CASE WHEN place = 1 THEN referrer END) AS referrer, max(CASE WHEN \
    place = 1 THEN device_type END) AS device_type, max(CASE WHEN place = 1 THEN browser_name END) AS browser_name, \
    max(CASE WHEN place = 1 THEN os_name END) AS os_name, records(place := place, \"timestamp\" := time, \"name\" := \
    name, path := path, properties := properties) AS events",
            $measured,
            " FROM ranked WHERE place <= 100 GROUP BY session) \
    SELECT session AS session_id, first_visit, last_visit, page_views, total_events, visitor_id, country, \
    country AS country_code, referrer, device_type, browser_name, os_name, events",
            $shown,
            " FROM chosen JOIN details USING (session) {order}"
        )
    };
}
pub(super) use chosen_sessions;

/// Sessions of the relation `$rows`, with further aggregates over their rows.
macro_rules! sessions {
    ($rows:literal, $measured:literal, $shown:literal) => {
        $crate::analytics::catalogue::sessions::chosen_sessions!(
            "",
            concat!(
                $rows,
                " WHERE {where} AND kind <= kind_of(outgoing) AND session <> 0"
            ),
            $rows,
            $measured,
            $shown
        )
    };
}
pub(super) use sessions;

const LIST: &str = sessions!("{events}", "", "");

/// The same, with the sessions that may be on the page chosen by extracts.
const EXTRACTED_LIST: &str = chosen_sessions!(
    "near AS MATERIALIZED (SELECT session, min(time) AS first_visit, max(time) AS last_visit, sum(seen) AS page_views, \
     sum(happened) AS total_events FROM {extract} WHERE {where} AND happened > 0 AND session <> 0 GROUP BY session \
     HAVING sum(seen) > 0), candidates AS MATERIALIZED (SELECT session, first_visit, last_visit + quarter() AS \
     last_visit FROM near WHERE {near}), ",
    "(SELECT * FROM {events} WHERE {where} AND kind <= kind_of(outgoing) AND during(candidates)) e SEMI JOIN candidates \
     ON e.session = candidates.session",
    "{events}",
    "",
    ""
);

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
    detail("events", Show::Items(EVENTS)),
];

const EVENTS: &[(&str, Show)] = &[
    ("timestamp", Show::Time),
    ("name", Show::Text),
    ("path", Show::Text),
    ("properties", Show::Json),
];

/// What the numbers of kinds are called.
pub(super) const KINDS: &[&str] = &[
    "",
    "page",
    "custom",
    "outgoing_link",
    "web_vital",
    "error",
    "engagement",
];

const EVENT_COLUMNS: &[Column] = &[
    column("timestamp", "time", Show::Time),
    column("kind", "kind", Show::Pick(KINDS)),
    column("event_name", "name", Show::Text),
    column("path", "path", Show::Text),
    column("title", "title", Show::Text),
    column("referrer", "referrer", Show::Label("Direct")),
    column("href", "href", Show::Text),
    column("message", "message", Show::Text),
    column("value", "value", Show::MaybeFloat(4)),
    column("time_on_page", "time_on_page", Show::MaybeFloat(2)),
    column("properties", "properties", Show::Json),
    column("anonymous_id", "visitor", Show::Hash),
    column("session_id", "session", Show::Hash),
    column("profile_id", "profile", Show::Text),
];

const fn like(keys: &'static [Key]) -> QueryType {
    measured(Category::Sessions, LIKENESS, By::Keys(keys), LIKE_SAYS)
        .share()
        .customizable()
}

const LIKE_SAYS: &[Measure] = &[
    SESSIONS,
    VISITORS,
    BOUNCE_RATE,
    MEDIAN_DURATION,
    MEAN_DURATION,
];

query_types! {
    "session_metrics": "Session metrics", "Number, duration and bounce rate of sessions"
        => measured(Category::Sessions, VISITS, By::Nothing, METRICS).customizable();
    "session_list": "Sessions", "The newest sessions with their events"
        => custom(Category::Sessions, LIST, &COLUMNS, "session").extracted(EXTRACTED_LIST)
            .filters(&[EVENT_NAME]).ordered("first_visit", true);
    "interesting_sessions": "Interesting sessions", "The sessions with most events"
        => custom(Category::Sessions, LIST, &COLUMNS, "session").extracted(EXTRACTED_LIST)
            .filters(&[EVENT_NAME]).ordered("total_events", true);
    "session_events": "Events of a session",
        "Everything that happened in one session, in order; needs the filter `session_id` with \
         `eq`"
        => list(Category::Sessions, "kind <= kind_of(engagement)", EVENT_COLUMNS,
            &["received", "kind", "name", "path"])
            .filters(&[EVENT_NAME]).needing(&[SESSION_ID]).ordered("time", false);
    "session_duration_distribution": "Durations of sessions", "How many sessions last how long"
        => measured(Category::Sessions, LIKENESS, By::Keys(&[DURATION]), &[SESSIONS, VISITORS])
            .share().customizable().ordered("duration_range", false).visual(Visual::Bar);
    "sessions_by_device": "Sessions by device", "Sessions by the kind of device of their first page"
        => like(&[key("device_type", &[("name", UNKNOWN), ("device_type", UNKNOWN)])]);
    "sessions_by_browser": "Sessions by browser", "Sessions by the browser of their first page"
        => like(&[key("browser_name", &[("name", UNKNOWN), ("browser_name", UNKNOWN)])]);
    "sessions_by_os": "Sessions by system", "Sessions by the operating system of their first page"
        => like(&[key("os_name", &[("name", UNKNOWN), ("os_name", UNKNOWN)])]);
    "sessions_by_country": "Sessions by country", "Sessions by the country of their first page"
        => like(
            &[key("country", &[("name", Show::CountryName), ("country_code", Show::CountryCode)])]);
    "sessions_time_series": "Sessions over time",
        "Number and nature of the sessions of every day or hour"
        => measured(Category::Sessions, VISITS, By::Time, &[SESSIONS, VISITORS, BOUNCE_RATE,
            MEDIAN_DURATION, MEAN_DURATION, PAGES_PER_SESSION]).customizable();
    "session_flow": "Pages of sessions", "Pages by the sessions that saw them"
        => measured(Category::Sessions, SEEN, By::Keys(PAGE), &[SESSIONS, VISITORS])
            .share().customizable();
}
