//! The caller's own events.

use super::{
    category::Category,
    field::{EVENT_NAME, NAMESPACE, PROPERTY_KEY},
    fold::{Fold, once},
    measure::{Key, Measure, Show, int, key, measure},
    query_type::{By, QueryType},
};

const EVENT: Key = key("name", &[("name", Show::Text), ("event_name", Show::Text)]);

const EVENTS: Fold = once(
    "kind = 2",
    "count(*) AS events, count(DISTINCT CASE WHEN visitor <> 0 THEN visitor END) AS visitors, \
     count(DISTINCT CASE WHEN session <> 0 THEN session END) AS sessions, max(time) AS newest, min(time) AS oldest, \
     count(CASE WHEN coalesce(properties, '') NOT IN ('', '{}', 'null') THEN 1 END) AS described",
);

const MEASURES: &[Measure] = &[
    int(&["total_events"], "events"),
    int(&["unique_users"], "visitors"),
    int(&["unique_sessions"], "sessions"),
    measure(&["last_occurrence"], "newest", Show::Time),
    measure(&["first_occurrence"], "oldest", Show::Time),
    int(&["events_with_properties"], "described"),
];

pub(super) const TYPES: &[QueryType] = &[QueryType::new(
    "custom_events",
    Category::CustomEvents,
    EVENTS,
    By::Keys(&[EVENT]),
    MEASURES,
)
.filters(&[EVENT_NAME, PROPERTY_KEY, NAMESPACE])
.share()
.customizable()
.public()
.titled(
    "Custom events",
    "Custom events by number, with who sent them and when",
)];
