//! Which pages are seen, where visits begin and end, and how fast pages are.

use super::{
    category::Category,
    fold::{BaseAggregate, Each, VIEWS, each, once},
    measure::{Key, Measure, PAGEVIEWS, Show, VISITORS, float, int, key},
    places::PAGE,
    query_type::{By, QueryType},
    sessions::VISIT,
};

const UNKNOWN: Show = Show::Label("Unknown");

const ENTRY: Key = key("entry", &[("path", UNKNOWN), ("name", UNKNOWN)]);
const EXIT: Key = key("exit_page", &[("path", UNKNOWN), ("name", UNKNOWN)]);

// Wide rows: a set of visitors per page is cheaper here than a group per page and visitor.
const LOADING: BaseAggregate = once(
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

const ENDS: Each = Each {
    columns: "earliest(CASE WHEN kind = 1 AND name = 'screen_view' THEN path END) AS entry, \
        latest(CASE WHEN kind = 1 AND name = 'screen_view' THEN path END) AS exit_page, \
        earliest(CASE WHEN kind = 1 AND name = 'screen_view' THEN visitor END) AS visitor",
    ..VISIT
};
const BY_END: BaseAggregate = each(
    ENDS,
    "",
    "count(*) AS visits, count(DISTINCT CASE WHEN visitor <> 0 THEN visitor END) AS visitors",
);
/// One view of the page for each visit that begins or ends with it.
const ENDED: &[Measure] = &[int(&["pageviews", "sessions"], "visits"), VISITORS];

/// Ends of views whose time is known, beside all views.
const STAYS: BaseAggregate = once(
    "kind = 1 AND (name = 'screen_view' OR name = 'page_exit' AND time_on_page > 0 AND session <> 0)",
    "count(DISTINCT CASE WHEN name = 'page_exit' THEN session END) AS sessions, \
     count(DISTINCT CASE WHEN name = 'page_exit' AND visitor <> 0 THEN visitor END) AS visitors, \
     count(CASE WHEN name = 'screen_view' THEN 1 END) AS pageviews, \
     quantile_cont(CASE WHEN name = 'page_exit' THEN CAST(time_on_page AS DOUBLE) END, 0.5) AS median_time",
);

const fn top(
    name: &'static str,
    fold: BaseAggregate,
    key: &'static [Key],
    says: &'static [Measure],
) -> QueryType {
    QueryType::new(name, Category::Pages, fold, By::Keys(key), says)
        .customizable()
        .public()
}

pub(super) const TYPES: &[QueryType] = &[
    top("top_pages", VIEWS, PAGE, &[PAGEVIEWS, VISITORS])
        .share()
        .titled("Top pages", "Pages by views"),
    top("entry_pages", BY_END, &[ENTRY], ENDED)
        .share()
        .titled("Entry pages", "The pages that visits begin with, by visits"),
    top("exit_pages", BY_END, &[EXIT], ENDED)
        .share()
        .titled("Exit pages", "The pages that visits end with, by visits"),
    QueryType::new(
        "page_performance",
        Category::Pages,
        LOADING,
        By::Keys(PAGE),
        PERFORMANCE,
    )
    .keep("pageviews > 0")
    .customizable()
    .titled(
        "Page performance",
        "Pages by views, with the time spent on them and their load times",
    ),
    top(
        "page_time_analysis",
        STAYS,
        PAGE,
        &[
            int(&["sessions_with_time"], "sessions"),
            PAGEVIEWS,
            VISITORS,
            float(&["median_time_on_page"], "median_time", 2).unit("seconds"),
        ],
    )
    .keep("sessions > 0")
    .share_as("percentage_of_sessions")
    .titled(
        "Time on pages",
        "How long visits stay on each page; shares are of all pairs of visit and page",
    ),
];
