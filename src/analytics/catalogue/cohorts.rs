//! Who comes back. Filters hold the parameters; [`crate::analytics::request`] reads them.

use super::{
    category::{Category, Visual},
    field::{
        ACTIVATION_EVENT, COHORT_WIDTH, EVENT_NAME, HORIZON_DAYS, NAMESPACE, OBSERVATION_END,
        RETURN_EVENT,
    },
    measure::Show,
    query_type::{Column, column, columns, custom, detail, query_types},
};

pub const RETENTION: &str = "identified_profile_retention";

/// One row per day of activation. `{begun}` is the condition on activations, `{returned}` on returns, `{horizon}` their
/// greatest distance in ms and `{observed}` the end of what has been observed.
const TEXT: &str = "WITH begun AS MATERIALIZED (SELECT website, coalesce(profile, '') AS who, min(time) AS began, \
    min({bucket}) AS bucket FROM {events} WHERE {where} AND {begun} AND profile <> '' GROUP BY website, profile), \
    returns AS (SELECT website, profile AS who, time FROM {events} WHERE {where} AND {returned} AND profile <> ''), \
    kept AS (SELECT DISTINCT begun.website AS website, begun.who AS who FROM begun JOIN returns ON begun.website = \
    returns.website AND begun.who = returns.who WHERE returns.time > begun.began AND returns.time <= begun.began + \
    {horizon} AND begun.began + {horizon} < {observed}), cohorts AS (SELECT bucket, count(*) AS activated, \
    count_if(began + {horizon} < {observed}) AS eligible, count(kept.who) AS retained FROM begun LEFT JOIN kept ON \
    begun.website = kept.website AND begun.who = kept.who GROUP BY bucket), activations AS (SELECT {bucket} AS \
    bucket, count(*) AS activation_events, count_if(profile <> '') AS identified FROM {events} WHERE {where} AND \
    {begun} GROUP BY 1) SELECT bucket, coalesce(activated, 0) AS activated, coalesce(eligible, 0) AS eligible, \
    coalesce(retained, 0) AS retained, activation_events, identified FROM activations LEFT JOIN cohorts USING \
    (bucket) ORDER BY bucket";

/// What [`crate::analytics::cohorts`] writes, in this order.
const COLUMNS: &[Column] = columns! { detail:
    Show::Text => "row_type", "cohort_date";
    Show::Int => "activated_profiles", "eligible_profiles", "retained_profiles",
        "not_retained_profiles", "incomplete_profiles";
    Show::MaybeFloat(2) => "retention_rate";
    Show::Int => "activation_events", "identified_activation_events",
        "unidentified_activation_events";
    Show::MaybeFloat(2) => "activation_identity_coverage";
    Show::Text => "cohort_from", "cohort_to";
    Show::Time => "cohort_start", "cohort_end";
    Show::Text => "observation_end";
    Show::Time => "observed_before";
    Show::Text => "timezone";
    Show::Int => "horizon_days";
    Show::Text => "identity_basis", "activation_basis";
};

/// One row per cohort: who was seen first in `{width}` buckets, and how many of them were seen in each step of as many
/// behind it that has begun. Steps are counted in buckets, however long a clock makes these.
const COHORTS: &str = "WITH days AS MATERIALIZED (SELECT bucket, begins, whole_div(row_number() OVER (ORDER BY \
    begins) - 1, {width}) AS place FROM {buckets} listed), seen AS (SELECT coalesce(profile, '') AS who, CASE WHEN \
    coalesce(profile, '') = '' THEN visitor ELSE 0 END AS alone, {bucket} AS bucket FROM {people} WHERE {where} AND \
    kind <= kind_of(outgoing) AND (visitor <> 0 OR profile <> '') GROUP BY 1, 2, 3), placed AS MATERIALIZED (SELECT \
    DISTINCT who, alone, place FROM seen JOIN days ON days.bucket = seen.bucket), came AS MATERIALIZED (SELECT who, \
    alone, min(place) AS cohort FROM placed GROUP BY who, alone), sizes AS (SELECT cohort, count(*) AS size FROM \
    came GROUP BY cohort), returned AS (SELECT cohort, place, count(*) AS number FROM placed JOIN came ON came.who = \
    placed.who AND came.alone = placed.alone GROUP BY cohort, place), starts AS (SELECT place, min(bucket) AS bucket \
    FROM days GROUP BY place), grid AS (SELECT cohort, size, place FROM sizes, (SELECT DISTINCT place FROM days \
    WHERE begins <= {until}) begun WHERE place >= cohort), filled AS (SELECT grid.cohort AS cohort, size, grid.place \
    - grid.cohort AS period, coalesce(number, 0) AS number FROM grid LEFT JOIN returned ON returned.cohort = \
    grid.cohort AND returned.place = grid.place) SELECT starts.bucket AS bucket, max(size) AS cohort_size, \
    records(period := period, people := number, percentage := round(100.0 * number / size, 2)) AS periods FROM \
    filled JOIN starts ON starts.place = filled.cohort GROUP BY starts.bucket {page}";

/// What one step says of its cohort.
const PERIOD: &[(&str, Show)] = &[
    ("period", Show::Int),
    ("people", Show::Int),
    ("percentage", Show::Float(2)),
];

const GRID: &[Column] = &[
    column("cohort_date", "bucket", Show::Date),
    column("people", "cohort_size", Show::Int),
    detail("periods", Show::Items(PERIOD)),
];

query_types! {
    "retention_cohorts": "Retention by cohort",
        "People by the day (or hour) on which they were first seen in the range, and how many of \
         them came back in each one after it, 0 being the first. `cohort_width` makes cohorts and \
         steps of so many days, 7 for weeks"
        => custom(Category::Profiles, COHORTS, GRID, "bucket")
            .filters(&[EVENT_NAME, COHORT_WIDTH]).ordered("bucket", false);
    RETENTION: "Retention of known people",
        "Of the profiles that sent one event for the first time in the range, by day, how many \
         sent another within 7 or 30 days. Needs the filters `activation_event`, `return_event`, \
         `horizon_days` (7 or 30) and `observation_end`"
        => custom(Category::Profiles, TEXT, COLUMNS, "bucket")
            .about_things(&[ACTIVATION_EVENT, RETURN_EVENT, HORIZON_DAYS, OBSERVATION_END, NAMESPACE])
            .unlimited().visual(Visual::Table);
}
