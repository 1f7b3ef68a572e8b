//! How long pages take to load, as browsers measure it with the view. Percentiles are exact.

use super::{
    category::Category,
    fold::{BaseAggregate, once},
    measure::{Key, Measure, PAGEVIEWS, Show, VISITORS, measure},
    places::{BROWSER, COUNTRY, PAGE, REGION, SYSTEM},
    query_type::{By, QueryType, measured, query_types},
};

const LOADS: BaseAggregate = once(
    "kind = kind_of(page) AND name IN ('screen_view', 'page_exit')",
    "count_if(name = 'screen_view') AS pageviews, visitors(name = 'screen_view') AS visitors, avg(CASE WHEN \
     load_time > 0 THEN load_time END) AS mean_load, quantile_cont(CASE WHEN load_time > 0 THEN CAST(load_time AS \
     DOUBLE) END, [0.5, 0.75, 0.9, 0.95, 0.99]) AS loads, avg(CASE WHEN ttfb > 0 THEN ttfb END) AS mean_ttfb, \
     quantile_cont(CASE WHEN ttfb > 0 THEN CAST(ttfb AS DOUBLE) END, 0.95) AS late_ttfb, avg(CASE WHEN \
     dom_ready_time > 0 THEN dom_ready_time END) AS mean_dom, avg(CASE WHEN render_time > 0 THEN render_time END) AS \
     mean_render",
);

const fn ms(name: &'static str, sql: &'static str) -> Measure {
    measure(name, sql, Show::MaybeFloat(2)).unit("ms")
}

const MEAN: Measure = ms("avg_load_time", "mean_load");
const SAYS: &[Measure] = &[
    VISITORS,
    PAGEVIEWS,
    MEAN,
    ms("p50_load_time", "loads[1]"),
    ms("p75_load_time", "loads[2]"),
    ms("p90_load_time", "loads[3]"),
    ms("p95_load_time", "loads[4]"),
    ms("p99_load_time", "loads[5]"),
    ms("avg_ttfb", "mean_ttfb"),
    ms("p95_ttfb", "late_ttfb"),
    ms("avg_dom_ready_time", "mean_dom"),
    ms("avg_render_time", "mean_render"),
];

const fn loads(by: By) -> QueryType {
    measured(Category::Performance, LOADS, by, SAYS)
}

const fn by_key(keys: &'static [Key]) -> QueryType {
    loads(By::Keys(keys)).keep("mean_load IS NOT NULL")
}

query_types! {
    "slow_pages": "Slow pages", "Pages with measured load times, slowest first"
        => by_key(PAGE).ordered("avg_load_time", true);
    "load_time_performance": "Load times", "Load times of the pages, most visited first"
        => by_key(PAGE);
    "performance_by_browser": "Load times by browser", "Load times by browser"
        => by_key(BROWSER);
    "performance_by_country": "Load times by country", "Load times by country"
        => by_key(COUNTRY);
    "performance_by_region": "Load times by region", "Load times by region"
        => by_key(REGION);
    "performance_by_os": "Load times by system", "Load times by operating system"
        => by_key(SYSTEM);
    "performance_time_series": "Load times over time", "Load times of every day or hour"
        => loads(By::Time);
}
