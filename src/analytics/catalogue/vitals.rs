//! Web vitals. Percentiles are exact.

use super::{
    category::Category,
    field::METRIC_NAME,
    fold::{Fold, once},
    measure::{Key, Measure, Show, float, int, key},
    query_type::{By, QueryType},
};

const METRIC: Key = key("name", &[("metric_name", Show::Text)]);

const VITALS: Fold = once(
    "kind = 4 AND value IS NOT NULL",
    "quantile_cont(value, [0.5, 0.75, 0.9, 0.95, 0.99]) AS quantiles, avg(value) AS mean, count(*) AS samples",
);

// Four decimals: CLS is a plain number around 0.1.
const PERCENTILES: &[Measure] = &[
    int(&["samples"], "samples"),
    float(&["p50"], "quantiles[1]", 4),
    float(&["p75"], "quantiles[2]", 4),
    float(&["p90"], "quantiles[3]", 4),
    float(&["p95"], "quantiles[4]", 4),
    float(&["p99"], "quantiles[5]", 4),
    float(&["avg_value"], "mean", 4),
];

pub(super) const TYPES: &[QueryType] = &[QueryType::new(
    "vitals_overview",
    Category::Performance,
    VITALS,
    By::Keys(&[METRIC]),
    PERCENTILES,
)
.filters(&[METRIC_NAME])
.ordered("metric_name", false)
.public()
.titled(
    "Web vitals",
    "Percentiles of FCP, LCP, CLS, INP, TTFB and FPS",
)];
