//! Which pages are seen, and how fast they are.

use super::{
    category::Category,
    fold::{Fold, VIEWS, once},
    measure::{Key, Measure, PAGEVIEWS, Show, VISITORS, float, key},
    query_type::{By, QueryType},
};

const UNKNOWN: Show = Show::Label("Unknown");

/// A page, under the spec's name and upstream's.
pub(super) const PAGE: Key = key("path", &[("path", UNKNOWN), ("name", UNKNOWN)]);

// Wide rows: a set of visitors per page is cheaper here than a group per page and visitor.
const LOADING: Fold = once(
    "kind = 1 AND name IN ('screen_view', 'page_exit')",
    "count(CASE WHEN name = 'screen_view' THEN 1 END) AS pageviews, \
     count(DISTINCT CASE WHEN name = 'screen_view' AND visitor <> 0 THEN visitor END) AS visitors, \
     avg(CASE WHEN name = 'page_exit' AND time_on_page > 0 THEN time_on_page END) AS time_on_page, \
     avg(CASE WHEN load_time > 0 THEN load_time END) AS load_time, avg(CASE WHEN ttfb > 0 THEN ttfb END) AS ttfb",
);

const PERFORMANCE: &[Measure] = &[
    PAGEVIEWS,
    VISITORS,
    float(&["avg_time_on_page"], "time_on_page", 2).unit("seconds"),
    float(&["avg_load_time"], "load_time", 2).unit("ms"),
    float(&["avg_ttfb"], "ttfb", 2).unit("ms"),
];

pub(super) const TYPES: &[QueryType] = &[
    QueryType::new(
        "top_pages",
        Category::Pages,
        VIEWS,
        By::Keys(&[PAGE]),
        &[PAGEVIEWS, VISITORS],
    )
    .share()
    .customizable()
    .public()
    .titled("Top pages", "Pages by views"),
    QueryType::new(
        "page_performance",
        Category::Pages,
        LOADING,
        By::Keys(&[PAGE]),
        PERFORMANCE,
    )
    .keep("pageviews > 0")
    .customizable()
    .titled(
        "Page performance",
        "Pages by views, with the time spent on them and their load times",
    ),
];
