//! What goes on right now: the last five minutes, whatever range was asked for.

use super::{
    category::Category,
    fold::{BaseAggregate, VIEWS, once},
    measure::{Key, Measure, PAGEVIEWS, Show, VISITORS, int, key, measure},
    places::{COUNTRY, DEVICE, PAGE},
    query_type::{By, QueryType, measured, query_types},
    summary::NOW,
    traffic::REFERRER,
};

const EVENT: Key = key("name", &[("name", Show::Text), ("event_name", Show::Text)]);

const EVENTS: BaseAggregate = once(
    "kind = kind_of(custom)",
    "count(*) AS events, visitors() AS visitors, max(time) AS newest",
);

const fn now(fold: BaseAggregate, keys: &'static [Key], measures: &'static [Measure]) -> QueryType {
    measured(Category::Realtime, fold, By::Keys(keys), measures)
        .within(NOW)
        .share()
}

const SEEN: &[Measure] = &[PAGEVIEWS, VISITORS];

query_types! {
    "realtime_pages": "Pages now", "Pages that are seen right now (last five minutes), by views"
        => now(VIEWS, PAGE, SEEN);
    "realtime_referrers": "Referrers now",
        "Sites that bring visitors right now (last five minutes), by views of the sessions that \
         came from them"
        => now(VIEWS, &[REFERRER], SEEN);
    "realtime_countries": "Countries now",
        "Where visitors are right now (last five minutes), by views"
        => now(VIEWS, COUNTRY, SEEN);
    "realtime_devices": "Devices now", "What visitors use right now (last five minutes), by views"
        => now(VIEWS, DEVICE, SEEN);
    "realtime_events": "Custom events now",
        "Custom events of right now (last five minutes), by number"
        => now(EVENTS, &[EVENT], &[int("total_events", "events"),
            int("unique_users", "visitors"),
            measure("last_occurrence", "newest", Show::Time)]);
}
