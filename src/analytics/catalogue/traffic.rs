//! Where visitors come from: a view belongs to the source of its session (columns `session_…`).

use super::{
    category::{Category, Visual},
    fold::{BaseAggregate, VIEWS, extracted_views, views},
    measure::{DIRECT, Key, PAGEVIEWS, Show, VISITORS, session_key},
    query_type::{By, QueryType, measured, query_types},
};

const NONE: Show = Show::Label("");
const SOURCE: Key = session_key!("source", DIRECT, "source", "name");
pub(super) const REFERRER: Key =
    session_key!("referrer_domain", DIRECT, "name", "referrer", "domain");
const CHANNEL: Key = session_key!("channel", DIRECT, "name", "channel");
const UTM_SOURCE: Key = session_key!("utm_source", NONE, "name", "utm_source");
const UTM_MEDIUM: Key = session_key!("utm_medium", NONE, "name", "utm_medium");
const UTM_CAMPAIGN: Key = session_key!("utm_campaign", NONE, "name", "utm_campaign");
const UTM_TERM: Key = session_key!("utm_term", NONE, "name", "utm_term");
const UTM_CONTENT: Key = session_key!("utm_content", NONE, "name", "utm_content");
const PARAMETERS: &[Key] = &[
    session_key!("utm_source", NONE, "utm_source"),
    session_key!("utm_medium", NONE, "utm_medium"),
    session_key!("utm_campaign", NONE, "utm_campaign"),
    session_key!("utm_term", NONE, "utm_term"),
    session_key!("utm_content", NONE, "utm_content"),
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
    .visual(Visual::Bar)
}

query_types! {
    "traffic_sources": "Traffic sources",
        "Sources (campaigns, search engines, networks, sites), by pageviews of the sessions that came \
         from them"
        => traffic(VIEWS, &[SOURCE]).public();
    "top_referrers": "Top referrers",
        "Sites that link here, by pageviews of the sessions that came from them"
        => traffic(VIEWS, &[REFERRER]).public();
    "traffic_channels": "Channels",
        "Source types (search, social, AI assistants, paid, …), by pageviews of the sessions that came from them"
        => traffic(VIEWS, &[CHANNEL]).public();
    "social_referrals": "Social networks",
        "Pageviews of sessions that came from social networks, by network"
        => traffic(views!("session_channel = 'social'"), &[SOURCE]);
    "ai_referrals": "AI assistants", "Pageviews of sessions that came from AI assistants, by assistant"
        => traffic(views!("session_channel = 'ai'"), &[SOURCE]);
    "utm_sources": "Campaign sources", "Pageviews of sessions that came with `utm_source`, by its value"
        => traffic(views!("session_utm_source <> ''"), &[UTM_SOURCE]).public();
    "utm_mediums": "Campaign media", "Pageviews of sessions that came with `utm_medium`, by its value"
        => traffic(views!("session_utm_medium <> ''"), &[UTM_MEDIUM]).public();
    "utm_campaigns": "Campaigns", "Pageviews of sessions that came with `utm_campaign`, by its value"
        => traffic(views!("session_utm_campaign <> ''"), &[UTM_CAMPAIGN]).public();
    "utm_terms": "Campaign terms", "Pageviews of sessions that came with `utm_term`, by its value"
        => traffic(views!("session_utm_term <> ''"), &[UTM_TERM]);
    "utm_content": "Campaign content",
        "Pageviews of sessions that came with `utm_content`, by its value"
        => traffic(views!("session_utm_content <> ''"), &[UTM_CONTENT]);
    "utm_parameters": "Campaign parameters",
        "Pageviews of sessions that came with campaign parameters, by their combination"
        => traffic(
            views!("(session_utm_source <> '' OR session_utm_medium <> '' OR session_utm_campaign <> '' OR session_utm_term <> '' OR session_utm_content <> '')"),
            PARAMETERS).visual(Visual::Table);
}
