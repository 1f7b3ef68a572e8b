//! People.

use super::{
    category::Category,
    field::EVENT_NAME,
    measure::Show,
    query_type::{Column, QueryType, column, detail},
};

/// A person is a profile id, or a visitor who has none: visitors of one profile are stitched together. The page of
/// people is chosen by cheap aggregates per visitor; only their rows are read in full.
const LIST: &str = "WITH visitors AS MATERIALIZED (\
    SELECT visitor, max(nullif(profile, '')) AS profile, min(time) AS first_visit, max(time) AS last_visit, \
    count(*) AS total_events FROM {events} WHERE {where} AND kind <= 3 AND visitor <> 0 GROUP BY visitor), \
    people AS MATERIALIZED (SELECT coalesce(profile, '') AS profile, \
    CASE WHEN profile IS NULL THEN visitor ELSE 0 END AS alone, arg_max(visitor, last_visit) AS visitor_id, \
    min(first_visit) AS first_visit, max(last_visit) AS last_visit, sum(total_events) AS total_events \
    FROM visitors GROUP BY 1, 2), \
    chosen AS MATERIALIZED (SELECT * FROM people {page}), \
    members AS MATERIALIZED (SELECT visitor, chosen.profile, chosen.alone FROM visitors JOIN chosen \
    ON coalesce(visitors.profile, '') = chosen.profile \
    AND CASE WHEN visitors.profile IS NULL THEN visitors.visitor ELSE 0 END = chosen.alone), \
    details AS (SELECT members.profile, members.alone, \
    count(DISTINCT CASE WHEN e.kind = 1 AND e.name = 'screen_view' AND e.session <> 0 THEN e.session END) AS session_count, \
    count(DISTINCT CASE WHEN e.kind = 1 AND e.name = 'screen_view' THEN e.path END) AS unique_pages, \
    arg_max(e.country, e.time) AS country, arg_max(e.region, e.time) AS region, arg_max(e.city, e.time) AS city, \
    arg_max(e.device_type, e.time) AS device_type, arg_max(e.browser_name, e.time) AS browser_name, \
    arg_max(e.os_name, e.time) AS os_name, arg_min(e.referrer, e.time) AS referrer \
    FROM (SELECT * FROM {events} WHERE {where} AND kind <= 3) e JOIN members ON e.visitor = members.visitor \
    GROUP BY 1, 2) \
    SELECT visitor_id, nullif(profile, '') AS profile_id, first_visit, last_visit, session_count, total_events, \
    unique_pages, country, country AS country_code, region, city, device_type, browser_name, os_name, referrer \
    FROM chosen JOIN details USING (profile, alone) {order}";

const COLUMNS: &[Column] = &[
    column("visitor_id", "visitor_id", Show::Hash),
    column("profile_id", "profile", Show::Text),
    column("first_visit", "first_visit", Show::Time),
    column("last_visit", "last_visit", Show::Time),
    detail("session_count", Show::Int),
    column("total_events", "total_events", Show::Int),
    detail("unique_pages", Show::Int),
    detail("country", Show::CountryName),
    detail("country_code", Show::CountryCode),
    detail("region", Show::Label("Unknown")),
    detail("city", Show::Label("Unknown")),
    detail("device_type", Show::Label("Unknown")),
    detail("browser_name", Show::Label("Unknown")),
    detail("os_name", Show::Label("Unknown")),
    detail("referrer", Show::Label("Direct")),
];

pub(super) const TYPES: &[QueryType] = &[QueryType::custom(
    "profile_list",
    Category::Profiles,
    LIST,
    COLUMNS,
    "visitor_id",
)
.filters(&[EVENT_NAME])
.ordered("last_visit", true)
.titled(
    "Profiles",
    "The people seen last, stitched together by profile id",
)];
