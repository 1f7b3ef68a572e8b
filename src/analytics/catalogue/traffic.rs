//! Where visitors come from: a view belongs to the source of its session (columns `session_…`).

use super::{
    category::{Category, Visual},
    fold::{BaseAggregate, VIEWS, extracted_views, views},
    measure::{Key, PAGEVIEWS, Show, VISITORS, key},
    query_type::{By, QueryType, measured, query_types},
};

const DIRECT: Show = Show::Label("Direct");
const NONE: Show = Show::Label("");
const SOURCE: Key = key("session_source", &[("source", DIRECT), ("name", DIRECT)]);
pub(super) const REFERRER: Key = key(
    "session_referrer_domain",
    &[("name", DIRECT), ("referrer", DIRECT), ("domain", DIRECT)],
);
const CHANNEL: Key = key("session_channel", &[("name", DIRECT), ("channel", DIRECT)]);
const UTM_SOURCE: Key = key(
    "session_utm_source",
    &[("name", NONE), ("utm_source", NONE)],
);
const UTM_MEDIUM: Key = key(
    "session_utm_medium",
    &[("name", NONE), ("utm_medium", NONE)],
);
const UTM_CAMPAIGN: Key = key(
    "session_utm_campaign",
    &[("name", NONE), ("utm_campaign", NONE)],
);
const UTM_TERM: Key = key("session_utm_term", &[("name", NONE), ("utm_term", NONE)]);
const UTM_CONTENT: Key = key(
    "session_utm_content",
    &[("name", NONE), ("utm_content", NONE)],
);
const PARAMETERS: &[Key] = &[
    key("session_utm_source", &[("utm_source", NONE)]),
    key("session_utm_medium", &[("utm_medium", NONE)]),
    key("session_utm_campaign", &[("utm_campaign", NONE)]),
    key("session_utm_term", &[("utm_term", NONE)]),
    key("session_utm_content", &[("utm_content", NONE)]),
];

/// Views that meet a further condition.
macro_rules! views {
    ($($rows:literal),* $(,)?) => {
        views(
            concat!("is_view() AND ", $($rows),*),
            &extracted_views(concat!("seen > 0 AND ", $($rows),*)),
        )
    };
}

const fn traffic(fold: BaseAggregate, keys: &'static [Key]) -> QueryType {
    measured(
        Category::Traffic,
        fold,
        By::Keys(keys),
        &[PAGEVIEWS, VISITORS],
    )
    .share()
    .customizable()
    .drawn(Visual::Bar)
}

query_types! {
    "traffic_sources": "Traffic sources",
        "Sources (campaigns, search engines, networks, sites), by views of the sessions that came \
         from them"
        => traffic(VIEWS, &[SOURCE]).public();
    "top_referrers": "Top referrers",
        "Sites that link here, by views of the sessions that came from them"
        => traffic(VIEWS, &[REFERRER]).public();
    "traffic_channels": "Channels",
        "Kinds of source (search, social, AI assistants, paid, …), by views of the sessions that \
         came from them"
        => traffic(VIEWS, &[CHANNEL]).public();
    "social_referrals": "Social networks",
        "Views of sessions that came from social networks, by network"
        => traffic(views!("session_channel = 'social'"), &[SOURCE]);
    "ai_referrals": "AI assistants", "Views of sessions that came from AI assistants, by assistant"
        => traffic(views!("session_channel = 'ai'"), &[SOURCE]);
    "utm_sources": "Campaign sources", "Views of sessions that came with `utm_source`, by its value"
        => traffic(views!("session_utm_source <> ''"), &[UTM_SOURCE]).public();
    "utm_mediums": "Campaign media", "Views of sessions that came with `utm_medium`, by its value"
        => traffic(views!("session_utm_medium <> ''"), &[UTM_MEDIUM]).public();
    "utm_campaigns": "Campaigns", "Views of sessions that came with `utm_campaign`, by its value"
        => traffic(views!("session_utm_campaign <> ''"), &[UTM_CAMPAIGN]).public();
    "utm_terms": "Campaign terms", "Views of sessions that came with `utm_term`, by its value"
        => traffic(views!("session_utm_term <> ''"), &[UTM_TERM]);
    "utm_content": "Campaign content",
        "Views of sessions that came with `utm_content`, by its value"
        => traffic(views!("session_utm_content <> ''"), &[UTM_CONTENT]);
    "utm_parameters": "Campaign parameters",
        "Views of sessions that came with campaign parameters, by their combination"
        => traffic(
            views!("(session_utm_source <> '' OR session_utm_medium <> '' OR session_utm_campaign <> '' OR session_utm_term <> '' OR session_utm_content <> '')"),
            PARAMETERS).drawn(Visual::Table);
}
