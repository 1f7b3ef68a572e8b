//! What agents of artificial intelligence read, and who is suspected to be no person. (Whom assistants send is
//! `ai_referrals`.)
//!
//! A row of kind 8 is one page that an agent fetched: reported by the website's own server, or seen by the tracker when
//! an agent ran it. Nobody's visit contains it.

use super::{
    category::{Category, Visual},
    field::{AGENT, OPERATOR, PRODUCT, PURPOSE},
    fold::{BaseAggregate, once},
    measure::{Key, Measure, PAGEVIEWS, Show, VISITORS, int, key, measure},
    query_type::{By, QueryType},
};

const UNKNOWN: Show = Show::Label("Unknown");

const REQUESTS: BaseAggregate = once(
    "kind = 8",
    "count(*) AS requests, count(DISTINCT path) AS pages, count(DISTINCT name) AS agents, \
     count(CASE WHEN agent_purpose = 'ai_training' THEN 1 END) AS training, \
     count(CASE WHEN agent_purpose = 'ai_search' THEN 1 END) AS search_index, \
     count(CASE WHEN agent_purpose IN ('ai_user', 'ai_agent') THEN 1 END) AS on_demand, max(time) AS newest",
);

const COUNT: Measure = int(&["requests"], "requests");
const PAGES: Measure = int(&["pages"], "pages");
const AGENTS: Measure = int(&["agents"], "agents");
const TRAINING: Measure = int(&["training"], "training");
const SEARCH: Measure = int(&["search_index"], "search_index");
const ON_DEMAND: Measure = int(&["on_demand"], "on_demand");
const LAST: Measure = measure(&["last_seen"], "newest", Show::Time);

const BY_AGENT: Key = key("name", &[("name", Show::Text), ("agent", Show::Text)]);
const BY_PRODUCT: Key = key("coalesce(agent_product, '')", &[("product", UNKNOWN)]);
const BY_OPERATOR: Key = key("coalesce(agent_operator, '')", &[("operator", UNKNOWN)]);
const BY_PURPOSE: Key = key("coalesce(agent_purpose, '')", &[("purpose", UNKNOWN)]);
const BY_PAGE: Key = key("path", &[("page", Show::Text), ("path", Show::Text)]);

const DOUBTED: BaseAggregate = once(
    "kind <= 7 AND bot > 0",
    "count(*) AS events, count(CASE WHEN kind = 1 AND name = 'screen_view' THEN 1 END) AS pageviews, \
     count(DISTINCT CASE WHEN visitor <> 0 THEN visitor END) AS visitors, max(time) AS newest",
);
const VERDICT: Key = key(
    "CASE bot WHEN 1 THEN 'suspected' ELSE 'declared' END",
    &[("verdict", Show::Text)],
);
const SIGNALS: Key = key("coalesce(bot_signals, 0)", &[("reasons", Show::Signals)]);

const fn requests(name: &'static str, by: By, measures: &'static [Measure]) -> QueryType {
    QueryType::new(name, Category::Agents, REQUESTS, by, measures)
        .filters(&[AGENT, PRODUCT, OPERATOR, PURPOSE])
        .of_everyone()
}

pub(super) const TYPES: &[QueryType] = &[
    requests(
        "ai_traffic_summary",
        By::Range,
        &[COUNT, AGENTS, PAGES, TRAINING, SEARCH, ON_DEMAND, LAST],
    )
    .titled(
        "AI traffic",
        "Pages that AI crawlers and agents fetched: for training, for a search index, on demand of a person",
    ),
    requests(
        "ai_traffic_over_time",
        By::Time,
        &[COUNT, AGENTS, PAGES, TRAINING, SEARCH, ON_DEMAND],
    )
    .titled("AI traffic over time", "Pages that AI crawlers and agents fetched, by day or hour"),
    requests(
        "ai_traffic_agents",
        By::Keys(&[BY_AGENT, BY_PRODUCT, BY_OPERATOR, BY_PURPOSE]),
        &[COUNT, PAGES, LAST],
    )
    .share()
    .titled(
        "AI agents",
        "Crawlers and agents by pages fetched, with their product, operator and purpose",
    ),
    requests(
        "ai_traffic_products",
        By::Keys(&[BY_PRODUCT, BY_OPERATOR]),
        &[COUNT, AGENTS, PAGES, TRAINING, SEARCH, ON_DEMAND, LAST],
    )
    .share()
    .titled("AI products", "Products such as ChatGPT or Claude by pages that their agents fetched"),
    requests(
        "ai_traffic_purposes",
        By::Keys(&[BY_PURPOSE]),
        &[COUNT, AGENTS, PAGES, LAST],
    )
    .share()
    .drawn(Visual::Pie)
    .titled("AI traffic by purpose", "What pages were fetched for"),
    requests(
        "ai_traffic_pages",
        By::Keys(&[BY_PAGE]),
        &[COUNT, AGENTS, TRAINING, SEARCH, ON_DEMAND, LAST],
    )
    .share()
    .titled("Pages that AI reads", "Pages by how often crawlers and agents fetched them"),
    QueryType::new(
        "suspected_bots",
        Category::DataQuality,
        DOUBTED,
        By::Keys(&[VERDICT, SIGNALS]),
        &[int(&["events"], "events"), PAGEVIEWS, VISITORS, LAST],
    )
    .of_everyone()
    .share()
    .titled(
        "Suspected bots",
        "Stored events that are left out of answers, by verdict and reasons. The filter `bot_verdict` includes them, \
         the website's botRules decide about them",
    ),
];
