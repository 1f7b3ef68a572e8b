//! Which page follows which: rows that a Sankey diagram can be drawn from.

use super::{
    category::Category,
    field::{JOURNEY_START, JOURNEY_STEPS},
    measure::Show,
    query_type::{Column, columns, custom, plain_column, query_types},
};

/// Views of a visit in their order, from `{starts}` on; a page that is seen again without another between is seen once.
/// `{steps}` is how many pages of a visit are looked at.
const TEXT: &str = "WITH views AS MATERIALIZED (SELECT session, visitor, coalesce(nullif(path, ''), '/') AS page, \
    instant(time, received, 0) AS moment FROM {events} WHERE {where} AND is_view() AND session <> 0), begun AS \
    (SELECT session, min(moment) AS since FROM views WHERE {starts} GROUP BY session), followed AS (SELECT \
    views.session AS session, visitor, page, moment, lead(page) OVER (PARTITION BY views.session ORDER BY moment \
    DESC, page DESC) AS prior FROM views JOIN begun ON begun.session = views.session WHERE moment >= since), steps \
    AS (SELECT session, visitor, page, row_number() OVER (PARTITION BY session ORDER BY moment, page) AS step, \
    lead(page) OVER (PARTITION BY session ORDER BY moment, page) AS follower FROM followed WHERE prior IS NULL OR \
    prior <> page), flows AS (SELECT step, page AS source, coalesce(follower, '') AS target, count(*) AS sessions, \
    visitors() AS visitors FROM steps WHERE step <= {steps} GROUP BY step, page, coalesce(follower, '')) SELECT \
    step, source, target, sessions, visitors, round(100.0 * sessions / sum(sessions) OVER (PARTITION BY step, \
    source), 2) AS percentage FROM flows {page}";

const COLUMNS: &[Column] = columns! { plain_column:
    Show::Int => "step";
    Show::Text => "source", "target";
    Show::Int => "sessions", "visitors";
    Show::Float(2) => "percentage";
};

query_types! {
    "user_journeys": "Ways through the website",
        "How many visits went from which page to which, by the place of the page in the visit; a \
         target of null is the end of the visit. `journey_steps` says how far (5), `journey_start` \
         from which page on"
        => custom(Category::Behavior, TEXT, COLUMNS, "step, source, target")
            .filters(&[JOURNEY_STEPS, JOURNEY_START]).ordered("sessions", true).public();
}
