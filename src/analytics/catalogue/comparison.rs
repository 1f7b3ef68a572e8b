//! A period and one before it.

use super::{
    category::Category,
    field::COMPARE_WITH,
    measure::Show,
    query_type::{Column, column, custom, detail, query_types},
};

pub const COMPARISON: &str = "period_comparison";

/// What is compared, in the order of the rows.
pub const COMPARED: &[&str] = &[
    "pageviews",
    "visitors",
    "sessions",
    "bounce_rate",
    "median_session_duration",
    "pages_per_session",
    "total_events",
];

/// The definitions of `docs/queries.md` in two halves: 1 is the range, 0 the one before. `{now_from}` is the first moment
/// of the former, `{then_from}` and `{then_to}` are those of the latter.
const TEXT: &str = "WITH parts AS MATERIALIZED (SELECT half, session, visitor, count_if(is_view()) AS views, \
    count(*) AS events, coalesce(sum(CASE WHEN kind = kind_of(page) AND name = 'page_exit' AND time_on_page > 0 THEN \
    time_on_page END), 0) AS spent, count_if(kind <> kind_of(page) OR name NOT IN ('screen_view', 'page_exit')) AS \
    others FROM (SELECT kind, name, session, visitor, time_on_page, CASE WHEN time >= {now_from} THEN 1 WHEN time < \
    {then_to} THEN 0 ELSE 2 END AS half FROM {events} WHERE {where} AND kind <= kind_of(outgoing)) halved WHERE half \
    < 2 GROUP BY half, session, visitor), totals AS (SELECT half, sum(views) AS pageviews, sum(events) AS \
    total_events, visitors(views > 0) AS visitors FROM parts GROUP BY half), visits AS (SELECT half, session, \
    sum(views) AS seen, sum(spent) AS duration, sum(others) AS acts FROM parts WHERE session <> 0 GROUP BY half, \
    session HAVING sum(views) > 0), measured AS (SELECT half, count(*) AS sessions, count_if(seen = 1 AND duration < \
    10 AND acts = 0) AS bounces, quantile_cont(duration, 0.5) AS median FROM visits GROUP BY half), numbers AS \
    MATERIALIZED (SELECT totals.half AS half, pageviews, visitors, total_events, coalesce(sessions, 0) AS sessions, \
    bounces, median FROM totals LEFT JOIN measured ON measured.half = totals.half), told AS (SELECT half, 0 AS \
    place, CAST(pageviews AS DOUBLE) AS number FROM numbers UNION ALL SELECT half, 1, CAST(visitors AS DOUBLE) FROM \
    numbers UNION ALL SELECT half, 2, CAST(sessions AS DOUBLE) FROM numbers UNION ALL SELECT half, 3, \
    CAST(coalesce(100.0 * bounces / nullif(sessions, 0), 0) AS DOUBLE) FROM numbers UNION ALL SELECT half, 4, \
    CAST(coalesce(median, 0) AS DOUBLE) FROM numbers UNION ALL SELECT half, 5, CAST(coalesce(1.0 * pageviews / \
    nullif(sessions, 0), 0) AS DOUBLE) FROM numbers UNION ALL SELECT half, 6, CAST(total_events AS DOUBLE) FROM \
    numbers UNION ALL SELECT 2, CAST(one AS BIGINT), 0.0 FROM (SELECT each_of('0,1,2,3,4,5,6') AS one) every_place), \
    sides AS (SELECT place, round(coalesce(max(CASE WHEN half = 1 THEN number END), 0), 2) AS present, \
    round(coalesce(max(CASE WHEN half = 0 THEN number END), 0), 2) AS previous FROM told GROUP BY place) SELECT \
    place AS metric, present, previous, round(present - previous, 2) AS change, round(100.0 * (present - previous) / \
    nullif(previous, 0), 2) AS change_percentage, {then_from} AS previous_from, {then_to} - 1 AS previous_to FROM \
    sides {page}";

const COLUMNS: &[Column] = &[
    column("metric", "metric", Show::Pick(COMPARED)),
    column("current", "present", Show::Float(2)),
    column("previous", "previous", Show::Float(2)),
    column("change", "change", Show::Float(2)),
    column(
        "change_percentage",
        "change_percentage",
        Show::MaybeFloat(2),
    ),
    detail("previous_from", Show::Time),
    detail("previous_to", Show::Time),
];

query_types! {
    COMPARISON: "Two periods",
        "The numbers of the summary for the range and for as many days before it (`compare_with`: \
         `previous_period`, or `previous_year` for the same days a year before), up to the same \
         moment if the range is not over"
        => custom(Category::Summary, TEXT, COLUMNS, "metric")
            .filters(&[COMPARE_WITH]).ordered("metric", false).public();
}
