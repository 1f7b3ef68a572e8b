//! Where visitors come from.

use super::{
    category::{Category, Visual},
    fold::{Fold, VIEWS, extracted_views, views},
    measure::{Key, PAGEVIEWS, Show, VISITORS, key},
    query_type::{By, QueryType},
};

const DIRECT: Show = Show::Label("Direct");
const NONE: Show = Show::Label("");
const SOURCE: Key = key(
    "coalesce(source, '')",
    &[("source", DIRECT), ("name", DIRECT)],
);
pub(super) const REFERRER: Key = key(
    "coalesce(referrer_domain, '')",
    &[("name", DIRECT), ("referrer", DIRECT), ("domain", DIRECT)],
);
const CHANNEL: Key = key(
    "coalesce(channel, '')",
    &[("name", DIRECT), ("channel", DIRECT)],
);
const UTM_SOURCE: Key = key("utm_source", &[("name", NONE), ("utm_source", NONE)]);
const UTM_MEDIUM: Key = key("utm_medium", &[("name", NONE), ("utm_medium", NONE)]);
const UTM_CAMPAIGN: Key = key("utm_campaign", &[("name", NONE), ("utm_campaign", NONE)]);
const UTM_TERM: Key = key("utm_term", &[("name", NONE), ("utm_term", NONE)]);
const UTM_CONTENT: Key = key("utm_content", &[("name", NONE), ("utm_content", NONE)]);
const PARAMETERS: &[Key] = &[
    key("coalesce(utm_source, '')", &[("utm_source", NONE)]),
    key("coalesce(utm_medium, '')", &[("utm_medium", NONE)]),
    key("coalesce(utm_campaign, '')", &[("utm_campaign", NONE)]),
    key("coalesce(utm_term, '')", &[("utm_term", NONE)]),
    key("coalesce(utm_content, '')", &[("utm_content", NONE)]),
];

/// Views that meet a further condition.
macro_rules! views {
    ($($rows:literal),* $(,)?) => {
        views(
            concat!("kind = 1 AND name = 'screen_view' AND ", $($rows),*),
            &extracted_views(concat!("seen > 0 AND ", $($rows),*)),
        )
    };
}

const fn traffic(name: &'static str, fold: Fold, keys: &'static [Key]) -> QueryType {
    QueryType::new(
        name,
        Category::Traffic,
        fold,
        By::Keys(keys),
        &[PAGEVIEWS, VISITORS],
    )
    .share()
    .customizable()
    .drawn(Visual::Bar)
}

pub(super) const TYPES: &[QueryType] = &[
    traffic("traffic_sources", VIEWS, &[SOURCE])
        .public()
        .titled(
            "Traffic sources",
            "Sources (campaigns, search engines, networks, sites) by views",
        ),
    traffic("top_referrers", VIEWS, &[REFERRER])
        .without_own_domain()
        .public()
        .titled(
            "Top referrers",
            "Sites that link here by views, without the website itself",
        ),
    traffic("traffic_channels", VIEWS, &[CHANNEL])
        .public()
        .titled(
            "Channels",
            "Kinds of source (search, social, AI assistants, paid, …) by views",
        ),
    traffic("social_referrals", views!("channel = 'social'"), &[SOURCE]).titled(
        "Social networks",
        "Views that come from social networks, by network",
    ),
    traffic("ai_referrals", views!("channel = 'ai'"), &[SOURCE]).titled(
        "AI assistants",
        "Views that come from AI assistants, by assistant",
    ),
    traffic("utm_sources", views!("utm_source <> ''"), &[UTM_SOURCE])
        .public()
        .titled(
            "Campaign sources",
            "Views that carry `utm_source`, by its value",
        ),
    traffic("utm_mediums", views!("utm_medium <> ''"), &[UTM_MEDIUM])
        .public()
        .titled(
            "Campaign media",
            "Views that carry `utm_medium`, by its value",
        ),
    traffic(
        "utm_campaigns",
        views!("utm_campaign <> ''"),
        &[UTM_CAMPAIGN],
    )
    .public()
    .titled("Campaigns", "Views that carry `utm_campaign`, by its value"),
    traffic("utm_terms", views!("utm_term <> ''"), &[UTM_TERM]).titled(
        "Campaign terms",
        "Views that carry `utm_term`, by its value",
    ),
    traffic("utm_content", views!("utm_content <> ''"), &[UTM_CONTENT]).titled(
        "Campaign content",
        "Views that carry `utm_content`, by its value",
    ),
    traffic(
        "utm_parameters",
        views!(
            "(utm_source <> '' OR utm_medium <> '' OR utm_campaign <> '' \
             OR utm_term <> '' OR utm_content <> '')",
        ),
        PARAMETERS,
    )
    .drawn(Visual::Table)
    .titled(
        "Campaign parameters",
        "Views that carry campaign parameters, by their combination",
    ),
];
