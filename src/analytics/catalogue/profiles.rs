//! People.

use super::{
    category::Category,
    field::EVENT_NAME,
    measure::{ProfileField, Show},
    query_type::{Column, column, custom, detail, query_types},
};

/// What is known of people beside their number of events and their first and last visit: aggregates over the rows `e` of
/// the relation `members`.
macro_rules! details {
    () => {
        "count(DISTINCT CASE WHEN is_view(e) AND e.session <> 0 THEN e.session END) AS session_count, count(DISTINCT CASE \
         WHEN is_view(e) THEN e.path END) AS unique_pages, latest(e.country) AS country, latest(e.region) AS region, \
         latest(e.city) AS city, latest(e.device_type) AS device_type, latest(e.browser_name) AS browser_name, \
         latest(e.os_name) AS os_name, earliest(e.referrer) AS referrer"
    };
}

/// The people of the relation `visitors`, as a relation `named` with who each visitor is.
macro_rules! named {
    () => {
        "named AS MATERIALIZED (SELECT visitors.*, coalesce(own, aliases.profile, '') AS profile, CASE WHEN own IS NULL \
         AND aliases.profile IS NULL THEN visitors.visitor ELSE 0 END AS alone FROM visitors LEFT JOIN {aliases} aliases \
         ON visitors.website = aliases.website AND visitors.visitor = aliases.visitor), "
    };
}

/// The visitors that the people of the relation `$chosen` are, as a relation `members`.
macro_rules! members {
    ($chosen:literal) => {
        concat!(
            "members AS MATERIALIZED (SELECT website, visitor, coalesce(own, '') AS own, chosen.profile AS profile, \
             chosen.alone AS alone FROM named JOIN ",
            $chosen,
            " chosen ON named.profile = chosen.profile AND named.alone = chosen.alone), "
        )
    };
}

/// The columns of the answer.
macro_rules! shown {
    () => {
        "SELECT visitor_id, nullif(profile, '') AS profile_id, profile AS display_name, profile AS email, first_visit, \
         last_visit, session_count, total_events, unique_pages, country, country AS country_code, region, city, \
         device_type, browser_name, os_name, referrer, profile AS traits"
    };
}

/// A person is a profile, or a visitor without a known profile ([`crate::events::relations`]). The page of people is
/// chosen by cheap aggregates per visitor; only their rows are read in full. `$measured` are further aggregates over
/// those rows, `$shown` their names.
macro_rules! people {
    ($measured:literal, $shown:literal) => {
        concat!(
            "WITH visitors AS MATERIALIZED (SELECT website, visitor, nullif(profile, '') AS own, min(time) AS \
             first_visit, max(time) AS last_visit, count(*) AS total_events FROM {events} WHERE {where} AND kind <= \
             kind_of(outgoing) AND (visitor <> 0 OR profile <> '') GROUP BY 1, 2, 3), ",
            named!(),
            "people AS MATERIALIZED (SELECT profile, alone, argMax(CASE WHEN visitor <> 0 THEN visitor END, (last_visit, \
             visitor)) AS visitor_id, min(first_visit) AS first_visit, max(last_visit) AS last_visit, \
             sum(total_events) AS total_events FROM named GROUP BY 1, 2), chosen AS MATERIALIZED (SELECT * FROM people \
             {page}), ",
            members!("chosen"),
            "details AS (SELECT members.profile AS profile, members.alone AS alone, ",
            details!(),
            $measured,
            " FROM (SELECT * FROM {events} WHERE {where} AND kind <= kind_of(outgoing) AND during(chosen)) e JOIN members \
             ON e.website = members.website AND e.visitor = members.visitor AND coalesce(e.profile, '') = members.own \
             GROUP BY 1, 2) ",
            shown!(),
            $shown,
            " FROM chosen JOIN details USING (profile, alone) {order}"
        )
    };
}

/// The same, with the people who may be on the page chosen by extracts; the rows of those are read once.
macro_rules! extracted_people {
    ($measured:literal, $shown:literal) => {
        concat!(
            "WITH visitors AS MATERIALIZED (SELECT website, visitor, nullif(profile, '') AS own, min(time) AS \
             first_visit, max(time) AS last_visit, sum(happened) AS total_events FROM {extract} WHERE {where} AND \
             happened > 0 AND (visitor <> 0 OR profile <> '') GROUP BY 1, 2, 3), ",
            named!(),
            "near AS MATERIALIZED (SELECT profile, alone, min(first_visit) AS first_visit, max(last_visit) AS last_visit, \
             sum(total_events) AS total_events FROM named GROUP BY 1, 2), candidates AS MATERIALIZED (SELECT profile, \
             alone, first_visit, last_visit + quarter() AS last_visit FROM near WHERE {near}), ",
            members!("candidates"),
            "details AS (SELECT members.profile AS profile, members.alone AS alone, argMax(CASE WHEN e.visitor <> 0 THEN \
             e.visitor END, (e.time, e.visitor)) AS visitor_id, min(e.time) AS first_visit, max(e.time) AS last_visit, \
             count(*) AS total_events, ",
            details!(),
            $measured,
            " FROM (SELECT * FROM {events} WHERE {where} AND kind <= kind_of(outgoing) AND during(candidates)) e JOIN \
             members ON e.website = members.website AND e.visitor = members.visitor AND coalesce(e.profile, '') = \
             members.own GROUP BY 1, 2) ",
            shown!(),
            $shown,
            " FROM details {page}"
        )
    };
}

const LIST: &str = people!("", "");

const EXTRACTED_LIST: &str = extracted_people!("", "");

/// Further aggregates of [`DETAIL`].
macro_rules! detailed {
    ($people:ident) => {
        $people!(
            ", count_if(is_view(e)) AS pageviews, coalesce(sum(CASE WHEN e.kind = kind_of(page) AND e.name = 'page_exit' \
             AND e.time_on_page > 0 THEN e.time_on_page END), 0) AS total_duration",
            ", pageviews, total_duration"
        )
    };
}

const DETAIL: &str = detailed!(people);
const EXTRACTED_DETAIL: &str = detailed!(extracted_people);

/// Sessions and who they are from, chosen and read as those of `session_list` are.
const SESSIONS: &str = super::sessions::sessions!(
    "{people}",
    ", max(CASE WHEN place = 1 THEN nullif(profile, '') END) AS profile",
    ", profile AS profile_id, profile AS display_name, profile AS traits"
);

const COLUMNS: [Column; 18] = [
    column("visitor_id", "visitor_id", Show::Hash),
    column("profile_id", "profile", Show::Text),
    detail("display_name", Show::Person(ProfileField::Name)),
    detail("email", Show::Person(ProfileField::Email)),
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
    detail("traits", Show::Person(ProfileField::Traits)),
];

const DETAIL_COLUMNS: [Column; 20] = with(
    COLUMNS,
    [
        detail("pageviews", Show::Int),
        detail("total_duration", Show::Float(2)),
    ],
);

const SESSION_COLUMNS: [Column; 16] = with(
    super::sessions::COLUMNS,
    [
        detail("profile_id", Show::Text),
        detail("display_name", Show::Person(ProfileField::Name)),
        detail("traits", Show::Person(ProfileField::Traits)),
    ],
);

/// Columns, and further ones behind them.
const fn with<const A: usize, const B: usize, const C: usize>(
    first: [Column; A],
    more: [Column; B],
) -> [Column; C] {
    let mut all = [first[0]; C];
    let mut at = 0;
    while at < C {
        all[at] = if at < A { first[at] } else { more[at - A] };
        at += 1;
    }
    all
}

query_types! {
    "profile_list": "Profiles",
        "The people seen last, with what is known of them; visitors who were identified are one \
         person"
        => custom(Category::Profiles, LIST, &COLUMNS, "visitor_id, profile").extracted(EXTRACTED_LIST)
            .filters(&[EVENT_NAME]).ordered("last_visit", true);
    "profile_detail": "Profile",
        "What is known of a person and what they did in the range; a filter on `profile_id` or `anonymous_id` chooses the person"
        => custom(Category::Profiles, DETAIL, &DETAIL_COLUMNS, "visitor_id, profile").extracted(EXTRACTED_DETAIL)
            .filters(&[EVENT_NAME]).ordered("last_visit", true);
    "profile_sessions": "Sessions of a profile",
        "The newest sessions with their events and who they are from; a filter on `profile_id` \
         gives those of one person, earlier anonymous ones included"
        => custom(Category::Profiles, SESSIONS, &SESSION_COLUMNS, "session")
            .filters(&[EVENT_NAME]).ordered("first_visit", true);
}
