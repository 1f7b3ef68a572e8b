//! Links that lead away from the website.

use super::{
    category::Category,
    field::{HREF, LINK_TEXT},
    fold::{BaseAggregate, once},
    measure::{Key, Measure, Show, int, key, measure},
    query_type::{By, QueryType},
};

/// Broken markup sends addresses that are none.
const SANE: &str = "kind = 3 AND starts_with(href, 'http') AND contains(href, '.') AND char_length(href) > 7 \
    AND NOT contains(href, 'undefined') AND NOT contains(href, 'null') \
    AND coalesce(link_text, '') NOT IN ('undefined', 'null')";

const CLICKS: BaseAggregate = once(
    SANE,
    "count(*) AS clicks, count(DISTINCT CASE WHEN visitor <> 0 THEN visitor END) AS visitors, \
     count(DISTINCT CASE WHEN session <> 0 THEN session END) AS sessions, count(DISTINCT href) AS links, \
     max(time) AS newest",
);

const ADDRESS: Key = key("coalesce(href, '')", &[("href", Show::Text)]);
const TEXT: Key = key("coalesce(link_text, '')", &[("text", Show::Label(""))]);
const DOMAIN: Key = key(
    "lower(regexp_extract(href, '(?i)^https?://(?:[^/?#@]*@)?(?:www[.])?([^/:?#]+)', 1))",
    &[("domain", Show::Label("Unknown"))],
);

const CLICKED: Measure = int(&["total_clicks"], "clicks");
const USERS: Measure = int(&["unique_users"], "visitors");

pub(super) const TYPES: &[QueryType] = &[
    QueryType::new(
        "outbound_links",
        Category::Behavior,
        CLICKS,
        By::Keys(&[ADDRESS, TEXT]),
        &[
            CLICKED,
            USERS,
            int(&["unique_sessions"], "sessions"),
            measure(&["last_clicked"], "newest", Show::Time),
        ],
    )
    .filters(&[HREF, LINK_TEXT])
    .share()
    .customizable()
    .public()
    .titled("Outbound links", "Links to other sites by clicks"),
    QueryType::new(
        "outbound_domains",
        Category::Behavior,
        CLICKS,
        By::Keys(&[DOMAIN]),
        &[CLICKED, USERS, int(&["unique_links"], "links")],
    )
    .filters(&[HREF, LINK_TEXT])
    .share()
    .customizable()
    .public()
    .titled("Outbound domains", "Sites that are linked to by clicks"),
];
