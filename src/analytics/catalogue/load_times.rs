//! How long pages take to load, as browsers measure it with the view. Percentiles are exact.

use super::{
    category::Category,
    fold::{BaseAggregate, once},
    measure::{Key, Measure, PAGEVIEWS, Show, VISITORS, measure},
    places::{BROWSER, COUNTRY, PAGE, REGION, SYSTEM},
    query_type::{By, QueryType},
};

const LOADS: BaseAggregate = once(
    "kind = 1 AND name IN ('screen_view', 'page_exit')",
    "count(CASE WHEN name = 'screen_view' THEN 1 END) AS pageviews, \
     count(DISTINCT CASE WHEN name = 'screen_view' AND visitor <> 0 THEN visitor END) AS visitors, \
     avg(CASE WHEN load_time > 0 THEN load_time END) AS mean_load, \
     quantile_cont(CASE WHEN load_time > 0 THEN CAST(load_time AS DOUBLE) END, [0.5, 0.75, 0.9, 0.95, 0.99]) AS loads, \
     avg(CASE WHEN ttfb > 0 THEN ttfb END) AS mean_ttfb, \
     quantile_cont(CASE WHEN ttfb > 0 THEN CAST(ttfb AS DOUBLE) END, 0.95) AS late_ttfb, \
     avg(CASE WHEN dom_ready_time > 0 THEN dom_ready_time END) AS mean_dom, \
     avg(CASE WHEN render_time > 0 THEN render_time END) AS mean_render",
);

const fn ms(names: &'static [&'static str], sql: &'static str) -> Measure {
    measure(names, sql, Show::MaybeFloat(2)).unit("ms")
}

const MEAN: Measure = ms(&["avg_load_time"], "mean_load");
const SAYS: &[Measure] = &[
    VISITORS,
    PAGEVIEWS,
    MEAN,
    ms(&["p50_load_time"], "loads[1]"),
    ms(&["p75_load_time"], "loads[2]"),
    ms(&["p90_load_time"], "loads[3]"),
    ms(&["p95_load_time"], "loads[4]"),
    ms(&["p99_load_time"], "loads[5]"),
    ms(&["avg_ttfb"], "mean_ttfb"),
    ms(&["p95_ttfb"], "late_ttfb"),
    ms(&["avg_dom_ready_time"], "mean_dom"),
    ms(&["avg_render_time"], "mean_render"),
];

const fn loads(name: &'static str, by: By) -> QueryType {
    QueryType::new(name, Category::Performance, LOADS, by, SAYS)
}

const fn measured(name: &'static str, keys: &'static [Key]) -> QueryType {
    loads(name, By::Keys(keys)).keep("mean_load IS NOT NULL")
}

pub(super) const TYPES: &[QueryType] = &[
    measured("slow_pages", PAGE)
        .ordered("avg_load_time", true)
        .titled(
            "Slow pages",
            "Pages with measured load times, slowest first",
        ),
    measured("load_time_performance", PAGE)
        .titled("Load times", "Load times of the pages, most visited first"),
    measured("performance_by_browser", BROWSER)
        .titled("Load times by browser", "Load times by browser"),
    measured("performance_by_country", COUNTRY)
        .titled("Load times by country", "Load times by country"),
    measured("performance_by_region", REGION)
        .titled("Load times by region", "Load times by region"),
    measured("performance_by_os", SYSTEM)
        .titled("Load times by system", "Load times by operating system"),
    loads("performance_time_series", By::Time)
        .titled("Load times over time", "Load times of every day or hour"),
];
