//! Links that lead away from the website.

use super::{
    category::Category,
    field::{HREF, LINK_TEXT},
    fold::{BaseAggregate, once},
    measure::{Key, Measure, Show, int, key, measure, text_key},
    query_type::{By, measured, query_types},
};

/// Broken markup sends addresses that are none.
const SANE: &str = "kind = kind_of(outgoing) AND starts_with(href, 'http') AND contains(href, '.') AND \
    char_length(href) > 7 AND NOT contains(href, 'undefined') AND NOT contains(href, 'null') AND coalesce(link_text, \
    '') NOT IN ('undefined', 'null')";

const CLICKS: BaseAggregate = once(
    SANE,
    "count(*) AS clicks, visitors() AS visitors, sessions() AS sessions, count(DISTINCT href) AS links, max(time) AS \
     newest",
);

const ADDRESS: Key = text_key!("href", Show::Text, "href");
const TEXT: Key = text_key!("link_text", Show::Label(""), "text");
const DOMAIN: Key = key(
    "lower(regexp_extract(href, '(?i)^https?://(?:[^/?#@]*@)?(?:www[.])?([^/:?#]+)', 1))",
    &[("domain", Show::Label("Unknown"))],
);

const CLICKED: Measure = int("total_clicks", "clicks");
const USERS: Measure = int("unique_users", "visitors");

query_types! {
    "outbound_links": "Outbound links", "Links to other sites by clicks"
        => measured(Category::Behavior, CLICKS, By::Keys(&[ADDRESS, TEXT]), &[CLICKED, USERS,
            int("unique_sessions", "sessions"),
            measure("last_clicked", "newest", Show::Time)])
            .filters(&[HREF, LINK_TEXT]).share().customizable().public();
    "outbound_domains": "Outbound domains", "Sites that are linked to by clicks"
        => measured(Category::Behavior, CLICKS, By::Keys(&[DOMAIN]),
            &[CLICKED, USERS, int("unique_links", "links")])
            .filters(&[HREF, LINK_TEXT]).share().customizable().public();
}
