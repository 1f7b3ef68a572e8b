//! Web vitals and load times. Percentiles are exact.

use super::{
    category::Category,
    field::METRIC_NAME,
    fold::{BaseAggregate, once},
    measure::{Key, Measure, Show, VISITORS, float, int, key, measure},
    places::{BROWSER, CITY, COUNTRY, DEVICE, PAGE, REGION, SYSTEM},
    query_type::{By, QueryType, measured, query_types},
};

const METRIC: Key = key("name", &[("metric_name", Show::Text)]);
const VITAL_PAGE: Key = key(
    "path",
    &[
        ("page", Show::Label("Unknown")),
        ("path", Show::Label("Unknown")),
    ],
);

const VITALS: BaseAggregate = once(
    "kind = kind_of(vital) AND value IS NOT NULL",
    "quantile_cont(value, [0.5, 0.75, 0.9, 0.95, 0.99]) AS quantiles, avg(value) AS mean, count(*) AS samples",
);

// Four decimals: CLS is a plain number around 0.1.
const PERCENTILES: &[Measure] = &[
    int("samples", "samples"),
    float("p50", "quantiles[1]", 4),
    float("p75", "quantiles[2]", 4),
    float("p90", "quantiles[3]", 4),
    float("p95", "quantiles[4]", 4),
    float("p99", "quantiles[5]", 4),
    float("avg_value", "mean", 4),
];

const MEDIANS: BaseAggregate = once(
    "kind = kind_of(vital) AND value IS NOT NULL",
    "visitors() AS visitors, count(*) AS samples, quantile_cont(CASE WHEN name = 'LCP' THEN value END, 0.5) AS lcp, \
     quantile_cont(CASE WHEN name = 'FCP' THEN value END, 0.5) AS fcp, quantile_cont(CASE WHEN name = 'CLS' THEN \
     value END, 0.5) AS cls, quantile_cont(CASE WHEN name = 'INP' THEN value END, 0.5) AS inp, quantile_cont(CASE \
     WHEN name = 'TTFB' THEN value END, 0.5) AS first_byte, quantile_cont(CASE WHEN name = 'FPS' THEN value END, \
     0.5) AS fps",
);

// Google's thresholds, in ms: https://web.dev/articles/vitals. CLS has no unit.
const RATINGS: BaseAggregate = once(
    "kind = kind_of(vital) AND name IN ('LCP', 'INP', 'CLS', 'FCP', 'TTFB') AND value IS NOT NULL",
    "count(*) AS samples, count_if(value <= CASE WHEN name = 'LCP' THEN 2500 WHEN name = 'INP' THEN 200 WHEN name = \
     'CLS' THEN 0.1 WHEN name = 'FCP' THEN 1800 ELSE 800 END) AS good, count_if(value > CASE WHEN name = 'LCP' THEN \
     4000 WHEN name = 'INP' THEN 500 WHEN name = 'CLS' THEN 0.25 WHEN name = 'FCP' THEN 3000 ELSE 1800 END) AS poor",
);

const fn value(name: &'static str, sql: &'static str) -> Measure {
    measure(name, sql, Show::MaybeFloat(4))
}

const BY_MEDIAN: &[Measure] = &[
    VISITORS,
    value("p50_lcp", "lcp").unit("ms"),
    value("p50_fcp", "fcp").unit("ms"),
    value("p50_cls", "cls"),
    value("p50_inp", "inp").unit("ms"),
    value("p50_ttfb", "first_byte").unit("ms"),
    value("p50_fps", "fps"),
    int("samples", "samples"),
];

const AVERAGES: BaseAggregate = once(
    "kind = kind_of(vital) AND value IS NOT NULL",
    "count(*) AS measurements, visitors() AS visitors, avg(CASE WHEN name = 'LCP' THEN value END) AS lcp, \
     quantile_cont(CASE WHEN name = 'LCP' THEN value END, 0.75) AS lcp75, avg(CASE WHEN name = 'FCP' THEN value END) \
     AS fcp, quantile_cont(CASE WHEN name = 'FCP' THEN value END, 0.75) AS fcp75, avg(CASE WHEN name = 'CLS' THEN \
     value END) AS cls, quantile_cont(CASE WHEN name = 'CLS' THEN value END, 0.75) AS cls75, avg(CASE WHEN name = \
     'INP' THEN value END) AS inp, quantile_cont(CASE WHEN name = 'INP' THEN value END, 0.75) AS inp75, avg(CASE \
     WHEN name = 'TTFB' THEN value END) AS first_byte, quantile_cont(CASE WHEN name = 'TTFB' THEN value END, 0.75) \
     AS first_byte75, avg(CASE WHEN name = 'FPS' THEN value END) AS fps, quantile_cont(CASE WHEN name = 'FPS' THEN \
     value END, 0.75) AS fps75",
);

const BY_AVERAGE: &[Measure] = &[
    int("measurements", "measurements"),
    VISITORS,
    value("avg_lcp", "lcp").unit("ms"),
    value("p75_lcp", "lcp75").unit("ms"),
    value("avg_fcp", "fcp").unit("ms"),
    value("p75_fcp", "fcp75").unit("ms"),
    value("avg_cls", "cls"),
    value("p75_cls", "cls75"),
    value("avg_inp", "inp").unit("ms"),
    value("p75_inp", "inp75").unit("ms"),
    value("avg_ttfb", "first_byte").unit("ms"),
    value("p75_ttfb", "first_byte75").unit("ms"),
    value("avg_fps", "fps"),
    value("p75_fps", "fps75"),
];

const fn vitals(fold: BaseAggregate, by: By, says: &'static [Measure]) -> QueryType {
    measured(Category::Performance, fold, by, says).filters(&[METRIC_NAME])
}

const fn medians(keys: &'static [Key]) -> QueryType {
    vitals(MEDIANS, By::Keys(keys), BY_MEDIAN).public()
}

const fn averages(keys: &'static [Key]) -> QueryType {
    vitals(AVERAGES, By::Keys(keys), BY_AVERAGE)
}

query_types! {
    "vitals_overview": "Web vitals", "Percentiles of FCP, LCP, CLS, INP, TTFB and FPS"
        => vitals(VITALS, By::Keys(&[METRIC]), PERCENTILES).ordered("metric_name", false).public();
    "vitals_ratings": "Ratings of web vitals",
        "How many measurements of FCP, LCP, CLS, INP and TTFB are good, need improvement or are poor"
        => vitals(RATINGS, By::Keys(&[METRIC]), &[int("samples", "samples"), int("good", "good"),
            int("needs_improvement", "samples - good - poor"), int("poor", "poor")])
            .ordered("metric_name", false).public();
    "vitals_time_series": "Web vitals over time",
        "Percentiles of each metric of every day or hour that has measurements"
        => vitals(VITALS, By::TimeAnd(&[METRIC]), PERCENTILES).public();
    "vitals_by_page": "Web vitals by page", "Percentiles of each metric on each page"
        => vitals(VITALS, By::Keys(&[VITAL_PAGE, METRIC]), PERCENTILES).limit(50).public();
    "vitals_by_country": "Web vitals by country", "Medians of each metric by country"
        => medians(COUNTRY);
    "vitals_by_region": "Web vitals by region", "Medians of each metric by region"
        => medians(REGION);
    "vitals_by_city": "Web vitals by city", "Medians of each metric by city"
        => medians(CITY);
    "vitals_by_browser": "Web vitals by browser", "Medians of each metric by browser"
        => medians(BROWSER);
    "vitals_by_os": "Web vitals by system", "Medians of each metric by operating system"
        => medians(SYSTEM);
    "vitals_by_device": "Web vitals by device", "Medians of each metric by kind of device"
        => medians(DEVICE);
    "web_vitals_by_page": "Vitals averages by page",
        "Mean and 75th percentile of each metric by page"
        => averages(PAGE);
    "web_vitals_by_browser": "Vitals averages by browser",
        "Mean and 75th percentile of each metric by browser"
        => averages(BROWSER);
    "web_vitals_by_country": "Vitals averages by country",
        "Mean and 75th percentile of each metric by country"
        => averages(COUNTRY);
    "web_vitals_by_os": "Vitals averages by system",
        "Mean and 75th percentile of each metric by operating system"
        => averages(SYSTEM);
    "web_vitals_by_region": "Vitals averages by region",
        "Mean and 75th percentile of each metric by region"
        => averages(REGION);
    "web_vitals_time_series": "Vitals averages over time",
        "Mean and 75th percentile of each metric of every day or hour"
        => vitals(AVERAGES, By::Time, BY_AVERAGE);
}
