//! What agents of artificial intelligence read, and who is suspected to be no person. (Visitors from
//! assistants are in `ai_referrals`.)
//!
//! A row of kind 8 is one page that an agent fetched: reported by the website's own server, or seen by the tracker when
//! an agent ran it. No visit contains it.

use super::{
    category::{Category, Visual},
    field::{AGENT, OPERATOR, PRODUCT, PURPOSE},
    fold::{BaseAggregate, once},
    measure::{Key, Measure, PAGEVIEWS, Show, UNKNOWN, VISITORS, int, key, measure, text_key},
    query_type::{By, QueryType, measured, query_types},
};

const REQUESTS: BaseAggregate = once(
    "kind = kind_of(agent)",
    "count(*) AS requests, count(DISTINCT path) AS pages, count(DISTINCT name) AS agents, count_if(agent_purpose = \
     'ai_training') AS training, count_if(agent_purpose = 'ai_search') AS search_index, count_if(agent_purpose IN \
     ('ai_user', 'ai_agent')) AS on_demand, max(time) AS newest",
);

const COUNT: Measure = int("requests", "requests");
const PAGES: Measure = int("pages", "pages");
const AGENTS: Measure = int("agents", "agents");
const TRAINING: Measure = int("training", "training");
const SEARCH: Measure = int("search_index", "search_index");
const ON_DEMAND: Measure = int("on_demand", "on_demand");
const LAST: Measure = measure("last_seen", "newest", Show::Time);

const BY_AGENT: Key = key("name", &[("name", Show::Text), ("agent", Show::Text)]);
const BY_PRODUCT: Key = text_key!("agent_product", UNKNOWN, "product");
const BY_OPERATOR: Key = text_key!("agent_operator", UNKNOWN, "operator");
const BY_PURPOSE: Key = text_key!("agent_purpose", UNKNOWN, "purpose");
const BY_PAGE: Key = key("path", &[("page", Show::Text), ("path", Show::Text)]);

const DOUBTED: BaseAggregate = once(
    "kind <= kind_of(call) AND bot > 0",
    "count(*) AS events, count_if(is_view()) AS pageviews, visitors() AS visitors, max(time) AS newest",
);
const VERDICT: Key = key(
    "CASE bot WHEN 1 THEN 'suspected' ELSE 'declared' END",
    &[("verdict", Show::Text)],
);
const SIGNALS: Key = key("coalesce(bot_signals, 0)", &[("reasons", Show::Signals)]);

const fn requests(by: By, measures: &'static [Measure]) -> QueryType {
    measured(Category::Agents, REQUESTS, by, measures)
        .filters(&[AGENT, PRODUCT, OPERATOR, PURPOSE])
        .about_everyone()
}

query_types! {
    "ai_traffic_summary": "AI traffic",
        "Pages that AI crawlers and agents fetched: for training, for a search index, on demand of \
         a person"
        => requests(By::Range, &[COUNT, AGENTS, PAGES, TRAINING, SEARCH, ON_DEMAND, LAST]);
    "ai_traffic_over_time": "AI traffic over time",
        "Pages that AI crawlers and agents fetched, by day or hour"
        => requests(By::Time, &[COUNT, AGENTS, PAGES, TRAINING, SEARCH, ON_DEMAND]);
    "ai_traffic_agents": "AI agents",
        "Crawlers and agents by pages fetched, with their product, operator and purpose"
        => requests(By::Keys(&[BY_AGENT, BY_PRODUCT, BY_OPERATOR, BY_PURPOSE]),
            &[COUNT, PAGES, LAST]).share();
    "ai_traffic_products": "AI products",
        "Products such as ChatGPT or Claude by pages that their agents fetched"
        => requests(By::Keys(&[BY_PRODUCT, BY_OPERATOR]),
            &[COUNT, AGENTS, PAGES, TRAINING, SEARCH, ON_DEMAND, LAST]).share();
    "ai_traffic_purposes": "AI traffic by purpose", "What pages were fetched for"
        => requests(By::Keys(&[BY_PURPOSE]), &[COUNT, AGENTS, PAGES, LAST])
            .share().visual(Visual::Pie);
    "ai_traffic_pages": "Pages that AI reads", "Pages by how often crawlers and agents fetched them"
        => requests(By::Keys(&[BY_PAGE]), &[COUNT, AGENTS, TRAINING, SEARCH, ON_DEMAND, LAST])
            .share();
    "suspected_bots": "Suspected bots",
        "Stored events that are left out of answers, by verdict and reasons. The filter \
         `bot_verdict` includes them, the website's botRules decide about them"
        => measured(Category::DataQuality, DOUBTED, By::Keys(&[VERDICT, SIGNALS]),
            &[int("events", "events"), PAGEVIEWS, VISITORS, LAST]).about_everyone().share();
}
