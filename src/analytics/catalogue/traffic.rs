//! Where visitors come from.

use super::{
    category::{Category, Visual},
    fold::VIEWS,
    measure::{Key, PAGEVIEWS, Show, VISITORS, key},
    query_type::{By, QueryType},
};

const DIRECT: Show = Show::Label("Direct");
const SOURCE: Key = key(
    "coalesce(source, '')",
    &[("source", DIRECT), ("name", DIRECT)],
);
const REFERRER: Key = key(
    "coalesce(referrer_domain, '')",
    &[("name", DIRECT), ("referrer", DIRECT), ("domain", DIRECT)],
);

const fn traffic(name: &'static str, keys: &'static [Key]) -> QueryType {
    QueryType::new(
        name,
        Category::Traffic,
        VIEWS,
        By::Keys(keys),
        &[PAGEVIEWS, VISITORS],
    )
    .share()
    .customizable()
    .public()
    .drawn(Visual::Bar)
}

pub(super) const TYPES: &[QueryType] = &[
    traffic("traffic_sources", &[SOURCE]).titled(
        "Traffic sources",
        "Sources (campaigns, search engines, networks, sites) by views",
    ),
    traffic("top_referrers", &[REFERRER])
        .without_own_domain()
        .titled(
            "Top referrers",
            "Sites that link here by views, without the website itself",
        ),
];
