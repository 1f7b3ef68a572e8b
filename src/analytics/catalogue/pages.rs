//! Which pages are seen, where visits begin and end, and how fast pages are.

use super::{
    category::Category,
    fold::{BaseAggregate, Each, VIEWS, each, extracted, once},
    measure::{Key, Measure, PAGEVIEWS, UNKNOWN, VISITORS, float, int, key},
    places::PAGE,
    query_type::{By, QueryType, measured, query_types},
    sessions::VISIT,
};

const ENTRY: Key = key("entry", &[("path", UNKNOWN), ("name", UNKNOWN)]);
const EXIT: Key = key("exit_page", &[("path", UNKNOWN), ("name", UNKNOWN)]);

// Rows of a page that was not seen are dropped by the types.
const LOADING: BaseAggregate = once(
    "kind = kind_of(page) AND one_of(name, 'screen_view', 'page_exit')",
    "count_if(one_of(name, 'screen_view')) AS pageviews, visitors(one_of(name, 'screen_view')) AS visitors, avg(CASE WHEN \
     one_of(name, 'page_exit') AND time_on_page > 0 THEN time_on_page END) AS stay, avg(CASE WHEN load_time > 0 \
     THEN load_time END) AS load, avg(CASE WHEN ttfb > 0 THEN ttfb END) AS first_byte",
)
.extracted(&extracted(
    "happened > 0",
    "coalesce(sum(seen), 0) AS pageviews, visitors(seen > 0) AS visitors, sum(stayed) / nullif(sum(stay_count), 0) AS stay, \
     sum(load_sum) / nullif(sum(load_count), 0) AS load, sum(first_byte_sum) / nullif(sum(first_byte_count), 0) AS first_byte",
));

const PERFORMANCE: &[Measure] = &[
    PAGEVIEWS,
    VISITORS,
    float("avg_time_on_page", "stay", 2).unit("seconds"),
    float("avg_load_time", "load", 2).unit("ms"),
    float("avg_ttfb", "first_byte", 2).unit("ms"),
];

const ENDS: Each = Each {
    columns: "earliest(CASE WHEN is_view() THEN path END) AS entry, latest(CASE WHEN is_view() THEN path END) AS \
        exit_page, earliest(CASE WHEN is_view() THEN visitor END) AS visitor",
    ..VISIT
};
const BY_END: BaseAggregate = each(ENDS, "", "count(*) AS visits, visitors() AS visitors");
/// One view of the page for each visit that begins or ends with it.
const ENDED: &[Measure] = &[int("pageviews", "visits").alias("sessions"), VISITORS];

/// Ends of views whose time is known, beside all views.
const STAYS: BaseAggregate = once(
    "kind = kind_of(page) AND (name = 'screen_view' OR name = 'page_exit' AND time_on_page > 0 AND session <> 0)",
    "sessions(name = 'page_exit') AS sessions, visitors(name = 'page_exit') AS \
     visitors, count_if(name = 'screen_view') AS pageviews, quantile_cont(CASE WHEN name = 'page_exit' THEN \
     CAST(time_on_page AS DOUBLE) END, 0.5) AS median_time",
);

const fn top(fold: BaseAggregate, key: &'static [Key], says: &'static [Measure]) -> QueryType {
    measured(Category::Pages, fold, By::Keys(key), says)
        .customizable()
        .public()
}

query_types! {
    "top_pages": "Top pages", "Pages by pageviews"
        => top(VIEWS, PAGE, &[PAGEVIEWS, VISITORS]).share();
    "entry_pages": "Entry pages", "The pages that visits begin with, by visits"
        => top(BY_END, &[ENTRY], ENDED).share();
    "exit_pages": "Exit pages", "The pages that visits end with, by visits"
        => top(BY_END, &[EXIT], ENDED).share();
    "page_performance": "Page performance",
        "Pages by pageviews, with the time spent on them and their load times"
        => measured(Category::Pages, LOADING, By::Keys(PAGE), PERFORMANCE)
            .keep("pageviews > 0").customizable();
    "page_time_analysis": "Time on pages",
        "How long visits stay on each page; shares are of all pairs of visit and page"
        => top(STAYS, PAGE, &[int("sessions_with_time", "sessions"), PAGEVIEWS, VISITORS,
            float("median_time_on_page", "median_time", 2).unit("seconds")])
            .keep("sessions > 0").share_as("percentage_of_sessions");
}
