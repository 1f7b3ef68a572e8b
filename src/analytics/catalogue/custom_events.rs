//! The caller's own events.

use super::{
    category::{Category, Visual},
    field::{EVENT_NAME, Field, NAMESPACE, PROPERTY_KEY},
    fold::{BaseAggregate, once},
    measure::{Key, Measure, Show, int, key, measure},
    places::PAGE,
    query_type::{By, Column, QueryType, column, list, measured, query_types},
};

pub(super) const FILTERS: &[Field] = &[EVENT_NAME, PROPERTY_KEY, NAMESPACE];

pub(super) const EVENT: Key = key("name", &[("name", Show::Text), ("event_name", Show::Text)]);
const EVENT_OF: Key = key("name", &[("event_name", Show::Text)]);

const EVENTS: BaseAggregate = once(
    "kind = kind_of(custom)",
    "count(*) AS events, visitors() AS visitors, sessions() AS sessions, max(time) AS newest, min(time) AS oldest, \
     count_if(coalesce(properties, '') NOT IN ('', '{}', 'null')) AS described",
);

const ALL: BaseAggregate = once(
    "kind = kind_of(custom)",
    "count(*) AS events, count(DISTINCT name) AS names, visitors() AS visitors, sessions() AS sessions, \
     count(DISTINCT CASE WHEN path <> '' THEN path END) AS pages",
);

const TOTAL: Measure = int("total_events", "events");
const USERS: Measure = int("unique_users", "visitors");
const VISITS: Measure = int("unique_sessions", "sessions");
const NAMES: Measure = int("unique_event_types", "names");
const PAGES: Measure = int("unique_pages", "pages");
const LAST: Measure = measure("last_occurrence", "newest", Show::Time);
const FIRST: Measure = measure("first_occurrence", "oldest", Show::Time);

const MEASURES: &[Measure] = &[
    TOTAL,
    USERS,
    VISITS,
    LAST,
    FIRST,
    int("events_with_properties", "described"),
];

const RECENT: &[Column] = &[
    column("timestamp", "time", Show::Time),
    column("event_name", "name", Show::Text),
    column("path", "path", Show::Text),
    column("properties", "properties", Show::Json),
    column("namespace", "namespace", Show::Text),
    column("source", "sender", Show::Text),
    column("anonymous_id", "visitor", Show::Hash),
    column("session_id", "session", Show::Hash),
    column("profile_id", "profile", Show::Text),
];

const fn events(fold: BaseAggregate, by: By, measures: &'static [Measure]) -> QueryType {
    measured(Category::CustomEvents, fold, by, measures)
        .filters(FILTERS)
        .customizable()
        .public()
}

query_types! {
    "custom_events": "Custom events", "Custom events by number, with who sent them and when"
        => events(EVENTS, By::Keys(&[EVENT]), MEASURES).share();
    "custom_events_summary": "Custom events in total",
        "Custom events in total, with their names, users, sessions and pages"
        => events(ALL, By::Nothing, &[TOTAL, NAMES, USERS, VISITS, PAGES]);
    "custom_events_trends": "Custom events over time",
        "Custom events and who sent them, of every day or hour"
        => events(ALL, By::Time, &[TOTAL, USERS, NAMES, VISITS, PAGES]);
    "custom_events_trends_by_event": "Each custom event over time",
        "Number of each custom event of every day or hour that has any"
        => events(EVENTS, By::TimeAnd(&[EVENT_OF]), &[TOTAL, USERS, VISITS]);
    "custom_events_recent": "Recent custom events", "The newest custom events with their properties"
        => list(Category::CustomEvents, "kind = kind_of(custom)", RECENT, &["received", "session", "name"])
            .filters(FILTERS);
    "custom_events_by_path": "Custom events by page", "Pages by the custom events on them"
        => events(ALL, By::Keys(PAGE), &[TOTAL, NAMES, USERS, VISITS]).share().visual(Visual::Table);
}
