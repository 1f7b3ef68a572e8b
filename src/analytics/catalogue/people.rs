//! What people are like: one row each, made of everything they did ([`crate::events::relations`]).

use super::{
    category::{Category, Visual},
    field::EVENT_NAME,
    fold::{BaseAggregate, Each, each},
    measure::{Key, Measure, UNKNOWN, float, int, text_key},
    query_type::{By, QueryType, measured, query_types},
    sessions::DURATION,
};

/// A person is a profile, or a visitor without a known profile.
const PERSON: Each = Each {
    of_people: true,
    rows: "kind <= kind_of(outgoing) AND (visitor <> 0 OR profile <> '')",
    identity: "coalesce(profile, ''), CASE WHEN coalesce(profile, '') = '' THEN visitor ELSE 0 END",
    columns: "max(CASE WHEN profile <> '' THEN 1 ELSE 0 END) AS known, count(*) AS events, count_if(is_view()) AS \
        views, sessions(is_view()) AS visits, coalesce(sum(CASE WHEN kind = kind_of(page) AND name = 'page_exit' AND \
        time_on_page > 0 THEN time_on_page END), 0) AS spent, latest(device_type) AS device_type, \
        latest(browser_name) AS browser_name",
    having: "",
};

const PEOPLE: BaseAggregate = each(
    PERSON,
    "",
    "count(*) AS people, count_if(known = 1) AS identified, count_if(visits > 1) AS returned, coalesce(sum(CASE WHEN \
     visits > 1 THEN visits END), 0) AS returns, coalesce(sum(visits), 0) AS sessions, coalesce(sum(events), 0) AS \
     events, coalesce(sum(views), 0) AS pageviews, avg(spent) AS mean_spent, quantile_cont(spent, 0.5) AS \
     median_spent",
);

const PROFILES: Measure = int("profiles", "people").alias("visitors");
const IDENTIFIED: Measure = int("identified_profiles", "identified");
const SESSIONS: Measure = int("sessions", "sessions");
const EVENTS: Measure = int("total_events", "events");
const VIEWS: Measure = int("pageviews", "pageviews");
const RETURNED: Measure = int("returning_visitors", "returned");
const RATE: Measure = float("returning_rate", "100.0 * returned / nullif(people, 0)", 2).unit("%");

const DEVICE: Key = text_key!("device_type", UNKNOWN, "name", "device_type");
const BROWSER: Key = text_key!("browser_name", UNKNOWN, "name", "browser_name");

const fn people(by: By, says: &'static [Measure]) -> QueryType {
    measured(Category::Profiles, PEOPLE, by, says).filters(&[EVENT_NAME])
}

query_types! {
    "profile_metrics": "People",
        "How many people there were, who of them is known, and how much they did"
        => people(By::Nothing, &[int("total_profiles", "people").alias("profiles"), IDENTIFIED,
            int("anonymous_profiles", "people - identified"), RETURNED, RATE, SESSIONS, VIEWS,
            EVENTS, float("avg_sessions_per_profile", "1.0 * sessions / nullif(people, 0)", 2),
            float("avg_events_per_profile", "1.0 * events / nullif(people, 0)", 2),
            float("avg_duration", "mean_spent", 2).unit("seconds"),
            float("median_duration", "median_spent", 2).unit("seconds")]);
    "profile_duration_distribution": "Time of people",
        "People by the time that they spent on pages in the range"
        => people(By::Keys(&[DURATION]), &[PROFILES, SESSIONS])
            .share().ordered("duration_range", false).visual(Visual::Bar);
    "profiles_by_device": "People by device", "People by the kind of device that they used last"
        => people(By::Keys(&[DEVICE]), &[PROFILES, IDENTIFIED, SESSIONS, EVENTS])
            .share().visual(Visual::Pie);
    "profiles_by_browser": "People by browser", "People by the browser that they used last"
        => people(By::Keys(&[BROWSER]), &[PROFILES, IDENTIFIED, SESSIONS, EVENTS])
            .share().visual(Visual::Pie);
    "profiles_time_series": "People over time", "People of every day or hour"
        => people(By::Time, &[PROFILES, IDENTIFIED, SESSIONS, EVENTS]);
    "returning_visitors": "Returning visitors", "People with more than one session in the range"
        => people(By::Nothing, &[RETURNED, PROFILES, RATE,
            float("avg_sessions_per_returning_visitor", "1.0 * returns / nullif(returned, 0)", 2)]);
}
