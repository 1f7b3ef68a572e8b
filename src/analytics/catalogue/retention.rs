//! Who comes back (wire.md 4.9, "Retention"). What is asked stands in filters; [`crate::analytics::request`] reads them.

use super::{
    category::{Category, Visual},
    field::{ACTIVATION_EVENT, HORIZON_DAYS, NAMESPACE, OBSERVATION_END, RETURN_EVENT},
    measure::Show,
    query_type::{Column, QueryType, detail},
};

/// The type's name.
pub const RETENTION: &str = "identified_profile_retention";

/// One row per day of activation. `{begun}` is the condition on activations, `{returned}` on returns, `{horizon}` their
/// greatest distance in ms and `{observed}` the end of what has been observed.
const TEXT: &str = "WITH begun AS MATERIALIZED (SELECT website, coalesce(profile, '') AS who, min(time) AS began, \
    min({bucket}) AS bucket FROM {events} WHERE {where} AND {begun} AND profile <> '' GROUP BY website, profile), \
    returns AS (SELECT website, profile AS who, time FROM {events} WHERE {where} AND {returned} AND profile <> ''), \
    kept AS (SELECT DISTINCT begun.website AS website, begun.who AS who FROM begun JOIN returns \
    ON begun.website = returns.website AND begun.who = returns.who \
    WHERE returns.time > begun.began AND returns.time <= begun.began + {horizon} AND begun.began + {horizon} < {observed}), \
    cohorts AS (SELECT bucket, count(*) AS activated, \
    count(CASE WHEN began + {horizon} < {observed} THEN 1 END) AS eligible, \
    count(kept.who) AS retained FROM begun LEFT JOIN kept ON begun.website = kept.website AND begun.who = kept.who \
    GROUP BY bucket), \
    activations AS (SELECT {bucket} AS bucket, count(*) AS activation_events, \
    count(CASE WHEN profile <> '' THEN 1 END) AS identified FROM {events} WHERE {where} AND {begun} GROUP BY 1) \
    SELECT bucket, coalesce(activated, 0) AS activated, coalesce(eligible, 0) AS eligible, \
    coalesce(retained, 0) AS retained, activation_events, identified \
    FROM activations LEFT JOIN cohorts USING (bucket) ORDER BY bucket";

const COLUMNS: &[Column] = &[
    detail("row_type", Show::Text),
    detail("cohort_date", Show::Text),
    detail("activated_profiles", Show::Int),
    detail("eligible_profiles", Show::Int),
    detail("retained_profiles", Show::Int),
    detail("not_retained_profiles", Show::Int),
    detail("incomplete_profiles", Show::Int),
    detail("retention_rate", Show::MaybeFloat(2)),
    detail("activation_events", Show::Int),
    detail("identified_activation_events", Show::Int),
    detail("unidentified_activation_events", Show::Int),
    detail("activation_identity_coverage", Show::MaybeFloat(2)),
    detail("cohort_from", Show::Text),
    detail("cohort_to", Show::Text),
    detail("cohort_start", Show::Time),
    detail("cohort_end", Show::Time),
    detail("observation_end", Show::Text),
    detail("observed_before", Show::Time),
    detail("timezone", Show::Text),
    detail("horizon_days", Show::Int),
    detail("identity_basis", Show::Text),
    detail("activation_basis", Show::Text),
];

pub(super) const TYPES: &[QueryType] = &[QueryType::custom(
    RETENTION,
    Category::Profiles,
    TEXT,
    COLUMNS,
    "bucket",
)
.of_things(&[
    ACTIVATION_EVENT,
    RETURN_EVENT,
    HORIZON_DAYS,
    OBSERVATION_END,
    NAMESPACE,
])
.unlimited()
.drawn(Visual::Table)
.titled(
    "Retention of known people",
    "Of the profiles that sent one event for the first time in the range, by day, how many sent another within 7 or 30 \
     days. Needs the filters `activation_event`, `return_event`, `horizon_days` (7 or 30) and `observation_end`",
)];
