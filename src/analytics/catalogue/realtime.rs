//! What goes on right now: the last minutes, whatever range was asked for.

use super::{
    category::Category,
    fold::{BaseAggregate, VIEWS, once},
    measure::{Key, Measure, PAGEVIEWS, Show, VISITORS, int, key, measure},
    places::{COUNTRY, DEVICE, PAGE},
    query_type::{By, Column, QueryType, column, list, measured, query_types},
    sessions::KINDS,
    summary::NOW,
    traffic::REFERRER,
    window::Window,
};

const EVENT: Key = key("name", &[("name", Show::Text), ("event_name", Show::Text)]);

const EVENTS: BaseAggregate = once(
    "kind = kind_of(custom)",
    "count(*) AS events, visitors() AS visitors, max(time) AS newest",
);

/// The last half hour.
const HALF_HOUR: Window = Window::Minutes(30);

const MINUTES: BaseAggregate = once("is_view()", "count(*) AS pageviews, visitors() AS visitors");
const MINUTE: Key = key("whole_div(time, 60000) * 60000", &[("minute", Show::Time)]);

const FEED: &[Column] = &[
    column("timestamp", "time", Show::Time),
    column("kind", "kind", Show::Pick(KINDS)),
    column("event_name", "name", Show::Text),
    column("path", "path", Show::Text),
    column("country", "country", Show::CountryName),
    column("country_code", "country", Show::CountryCode),
    column("device_type", "device_type", Show::Text),
    column("browser_name", "browser_name", Show::Text),
    column("anonymous_id", "visitor", Show::Hash),
    column("session_id", "session", Show::Hash),
];

const fn now(fold: BaseAggregate, keys: &'static [Key], measures: &'static [Measure]) -> QueryType {
    measured(Category::Realtime, fold, By::Keys(keys), measures)
        .within(NOW)
        .share()
}

const SEEN: &[Measure] = &[PAGEVIEWS, VISITORS];

query_types! {
    "realtime_pages": "Pages now", "Pages that are seen right now (last five minutes), by pageviews"
        => now(VIEWS, PAGE, SEEN);
    "realtime_minutes": "Pageviews by minute",
        "Pageviews and visitors of every minute of the last half hour that has any"
        => measured(Category::Realtime, MINUTES, By::Keys(&[MINUTE]), SEEN)
            .within(HALF_HOUR).ordered("minute", false);
    "realtime_feed": "Latest events",
        "The newest events of the last half hour: pageviews, custom events, outbound links and errors"
        => list(Category::Realtime, "kind <= kind_of(error) AND kind <> kind_of(vital) AND name <> 'page_exit'",
            FEED, &["received", "session", "name"]).within(HALF_HOUR);
    "realtime_referrers": "Referrers now",
        "Sites that bring visitors right now (last five minutes), by pageviews of the sessions that \
         came from them"
        => now(VIEWS, &[REFERRER], SEEN);
    "realtime_countries": "Countries now",
        "Where visitors are right now (last five minutes), by pageviews"
        => now(VIEWS, COUNTRY, SEEN);
    "realtime_devices": "Devices now", "What visitors use right now (last five minutes), by pageviews"
        => now(VIEWS, DEVICE, SEEN);
    "realtime_events": "Custom events now",
        "Custom events of right now (last five minutes), by number"
        => now(EVENTS, &[EVENT], &[int("total_events", "events"),
            int("unique_users", "visitors"),
            measure("last_occurrence", "newest", Show::Time)]);
}
