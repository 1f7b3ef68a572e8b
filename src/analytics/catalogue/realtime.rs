//! What goes on right now: the last five minutes, whatever range was asked for.

use super::{
    category::Category,
    fold::{BaseAggregate, VIEWS, once},
    measure::{Key, Measure, PAGEVIEWS, Show, VISITORS, int, key, measure},
    places::{COUNTRY, DEVICE, PAGE},
    query_type::{By, QueryType},
    summary::NOW,
    traffic::REFERRER,
};

const EVENT: Key = key("name", &[("name", Show::Text), ("event_name", Show::Text)]);

const EVENTS: BaseAggregate = once(
    "kind = 2",
    "count(*) AS events, count(DISTINCT CASE WHEN visitor <> 0 THEN visitor END) AS visitors, max(time) AS newest",
);

const fn now(
    name: &'static str,
    fold: BaseAggregate,
    keys: &'static [Key],
    measures: &'static [Measure],
) -> QueryType {
    QueryType::new(name, Category::Realtime, fold, By::Keys(keys), measures)
        .within(NOW)
        .share()
}

const SEEN: &[Measure] = &[PAGEVIEWS, VISITORS];

pub(super) const TYPES: &[QueryType] = &[
    now("realtime_pages", VIEWS, PAGE, SEEN).titled(
        "Pages now",
        "Pages that are seen right now (last five minutes), by views",
    ),
    now("realtime_referrers", VIEWS, &[REFERRER], SEEN).titled(
        "Referrers now",
        "Sites that bring visitors right now (last five minutes), by views of the sessions that came from them",
    ),
    now("realtime_countries", VIEWS, COUNTRY, SEEN).titled(
        "Countries now",
        "Where visitors are right now (last five minutes), by views",
    ),
    now("realtime_devices", VIEWS, DEVICE, SEEN).titled(
        "Devices now",
        "What visitors use right now (last five minutes), by views",
    ),
    now(
        "realtime_events",
        EVENTS,
        &[EVENT],
        &[
            int(&["total_events"], "events"),
            int(&["unique_users"], "visitors"),
            measure(&["last_occurrence"], "newest", Show::Time),
        ],
    )
    .titled(
        "Custom events now",
        "Custom events of right now (last five minutes), by number",
    ),
];
