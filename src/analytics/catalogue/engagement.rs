//! How pages are used. Rates have one decimal; pages seen too rarely are left out.

use super::{
    category::Category,
    fold::{BaseAggregate, Each, each, extracted, once},
    measure::{Key, Measure, PAGEVIEWS, SESSIONS, Show, VISITORS, float, int, key, measure},
    places::PAGE,
    query_type::{By, QueryType, measured, query_types},
};

const SCROLL: BaseAggregate = once(
    "kind = kind_of(page) AND name = 'page_exit' AND scroll_depth > 0",
    "sum(scroll_depth) / nullif(count(*), 0) AS depth, sessions() AS sessions, visitors() AS visitors",
)
.extracted(&extracted(
    "scroll_count > 0",
    "sum(scroll_sum) / nullif(sum(scroll_count), 0) AS depth, sessions() AS sessions, visitors() AS visitors",
));

/// The deepest scroll position of each session.
const DEEPEST: Each = Each {
    of_people: false,
    rows: "kind = kind_of(page) AND name = 'page_exit' AND scroll_depth > 0 AND session <> 0",
    identity: "session",
    columns: "max(scroll_depth) AS depth, earliest(visitor) AS visitor",
    having: "",
};
const DEPTHS: BaseAggregate = each(DEEPEST, "", "count(*) AS sessions, visitors() AS visitors");
/// How deep: what the numbers of [`DEPTH`] mean.
const RANGES: &[&str] = &["0-25%", "25-50%", "50-75%", "75-100%", "100%"];
const DEPTH: Key = key(
    "CASE WHEN depth < 25 THEN 0 WHEN depth < 50 THEN 1 WHEN depth < 75 THEN 2 WHEN depth < 100 THEN 3 ELSE 4 END",
    &[("depth_range", Show::Pick(RANGES))],
);

const PAGE_SCROLL: BaseAggregate = once(
    "kind = kind_of(page) AND (name = 'screen_view' OR name = 'page_exit' AND scroll_depth > 0)",
    "avg(CASE WHEN name = 'page_exit' THEN scroll_depth END) AS depth, count_if(name = 'screen_view') AS pageviews, \
     visitors(name = 'page_exit') AS visitors, sessions(name = 'page_exit') AS sessions",
)
.extracted(&extracted(
    "(seen > 0 OR scroll_count > 0)",
    "sum(scroll_sum) / nullif(sum(scroll_count), 0) AS depth, coalesce(sum(seen), 0) AS pageviews, visitors(scroll_count > 0) AS visitors, \
     sessions(scroll_count > 0) AS sessions",
));

// The tracker counts interactions when a page is left; other senders do so with the view.
const INTERACTIONS: BaseAggregate = once(
    "kind = kind_of(page) AND one_of(name, 'screen_view', 'page_exit') AND interactions IS NOT NULL",
    "1.0 * sum(interactions) / nullif(count(*), 0) AS mean, sessions() AS sessions, \
     sessions(interactions > 0) AS active",
)
.extracted(&extracted(
    "interaction_count > 0",
    "1.0 * sum(interaction_sum) / nullif(sum(interaction_count), 0) AS mean, sessions() AS sessions, \
     sessions(interaction_sum > 0) AS active",
));

const SPANS: BaseAggregate = once(
    "kind = kind_of(engagement)",
    "count(*) AS views, visitors() AS visitors, count_if(rage_clicks > 0) AS raged, count_if(dead_clicks > 0) AS \
     dead, count_if(error_count > 0) AS failed, count_if(rage_clicks > 0 OR dead_clicks > 0 OR error_count > 0) AS \
     frustrated, most_common(CASE WHEN dead_clicks > 0 THEN nullif(dead_target, '') \
     END) AS dead_target, most_common(CASE WHEN rage_clicks > 0 THEN nullif(rage_target, '') END) AS rage_target",
);

const FORMS: BaseAggregate = once(
    "kind = kind_of(engagement) AND form_fields >= 1",
    "count(*) AS starts, count_if(form_submits > 0) AS submits, count_if(coalesce(form_submits, 0) = 0) AS \
     abandoned, most_common(CASE WHEN coalesce(form_submits, 0) = 0 THEN nullif(last_field, '') END) AS last_field",
);

const QUALITY: BaseAggregate = once(
    "kind = kind_of(engagement)",
    "count(*) AS views, avg(time_on_page) AS time_on_page, avg(active_time) AS active_time, \
     sum(active_time) AS active, sum(time_on_page) AS spent, avg(scroll_depth) AS depth, \
     avg(interactions) AS interactions, quantile_cont(CAST(first_interaction AS DOUBLE), 0.5) AS first_interaction",
);

/// How attentively pages are used, over all views.
const ATTENTION: &[Measure] = &[
    PAGE_VIEWS,
    average("avg_time_on_page", "time_on_page").unit("seconds"),
    average("avg_active_time", "active_time").unit("seconds"),
    average("attention_ratio", "100.0 * active / nullif(spent, 0)").unit("%"),
    average("avg_scroll_depth", "depth").unit("%"),
    average("avg_interactions", "interactions"),
];

const fn average(name: &'static str, sql: &'static str) -> Measure {
    measure(name, sql, Show::MaybeFloat(1))
}

const fn rate(name: &'static str, sql: &'static str) -> Measure {
    float(name, sql, 1).unit("%")
}

const fn engagement(fold: BaseAggregate, by: By, measures: &'static [Measure]) -> QueryType {
    measured(Category::Engagement, fold, by, measures)
}

const BY_PAGE: By = By::Keys(PAGE);
const PAGE_VIEWS: Measure = int("page_views", "views");

query_types! {
    "scroll_depth_summary": "Scroll depth", "How far pages are scrolled"
        => engagement(SCROLL, By::Nothing,
            &[float("avg_scroll_depth", "coalesce(depth, 0)", 1).unit("%"),
            int("total_sessions", "sessions"), int("visitors", "visitors")]);
    "scroll_depth_distribution": "Depths of scrolling",
        "Sessions by how far they scrolled on any page"
        => engagement(DEPTHS, By::Keys(&[DEPTH]), &[SESSIONS, VISITORS])
            .share().ordered("depth_range", false);
    "page_scroll_performance": "Scroll depth by page",
        "Pages by how far they are scrolled, with the visitors who scrolled and all pageviews"
        => engagement(PAGE_SCROLL, BY_PAGE, &[float("avg_scroll_depth", "depth", 1).unit("%"),
            VISITORS, SESSIONS, PAGEVIEWS]).keep("depth IS NOT NULL");
    "interaction_summary": "Interactions",
        "How many clicks, keys and touches pages get, and in how many sessions"
        => engagement(INTERACTIONS, By::Nothing,
            &[float("avg_interactions", "coalesce(mean, 0)", 1),
            int("interactive_sessions", "active"),
            rate("interaction_rate", "coalesce(100.0 * active / nullif(sessions, 0), 0)"),
            int("total_sessions", "sessions")]);
    "frustration_by_page": "Frustration",
        "Pages with rage clicks, dead clicks and errors (5 pageviews and more)"
        => engagement(SPANS, BY_PAGE, &[PAGE_VIEWS, VISITORS,
            rate("rage_click_rate", "100.0 * raged / views"),
            rate("dead_click_rate", "100.0 * dead / views"),
            rate("error_rate", "100.0 * failed / views"),
            measure("top_dead_click_target", "dead_target", Show::Text),
            measure("top_rage_click_target", "rage_target", Show::Text),
            int("frustrated_views", "frustrated")])
            .keep("views >= 5").ordered("rage_click_rate + dead_click_rate", true);
    "form_abandonment_by_page": "Abandoned forms",
        "Pages whose forms are begun and not submitted (5 starts and more)"
        => engagement(FORMS, BY_PAGE, &[int("form_starts", "starts"),
            int("form_submits", "submits"),
            rate("abandonment_rate", "100.0 * abandoned / starts"),
            measure("top_abandoned_field", "last_field", Show::Text)]).keep("starts >= 5");
    "engagement_summary": "Engagement", "How attentively pages are used, over all measured pageviews"
        => engagement(QUALITY, By::Nothing, ATTENTION);
    "engagement_time_series": "Engagement over time",
        "How attentively pages are used, of every day or hour"
        => engagement(QUALITY, By::Time, ATTENTION);
    "engagement_quality_by_page": "Engagement quality",
        "How attentively pages are used (5 pageviews and more)"
        => engagement(QUALITY, BY_PAGE, &[PAGE_VIEWS,
            float("avg_time_on_page", "time_on_page", 1).unit("seconds"),
            float("avg_active_time", "active_time", 1).unit("seconds"),
            rate("attention_ratio", "coalesce(100.0 * active / nullif(spent, 0), 0)"),
            float("avg_scroll_depth", "depth", 1).unit("%"),
            float("avg_interactions", "interactions", 1),
            measure("median_time_to_first_interaction", "first_interaction", Show::MaybeFloat(1)).unit("ms")])
            .keep("views >= 5");
}
