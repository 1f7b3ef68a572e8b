//! What people are like: one row each, made of everything they did ([`crate::events::relations`]).

use super::{
    category::{Category, Visual},
    field::EVENT_NAME,
    fold::{BaseAggregate, Each, each},
    measure::{Key, Measure, Show, float, int, key},
    query_type::{By, QueryType},
    sessions::DURATION,
};

/// A person is a profile, or a visitor of whom no profile is known.
const PERSON: Each = Each {
    of_people: true,
    rows: "kind <= 3 AND (visitor <> 0 OR profile <> '')",
    identity: "coalesce(profile, ''), CASE WHEN coalesce(profile, '') = '' THEN visitor ELSE 0 END",
    columns: "max(CASE WHEN profile <> '' THEN 1 ELSE 0 END) AS known, count(*) AS events, \
        count(CASE WHEN kind = 1 AND name = 'screen_view' THEN 1 END) AS views, \
        count(DISTINCT CASE WHEN kind = 1 AND name = 'screen_view' AND session <> 0 THEN session END) AS visits, \
        coalesce(sum(CASE WHEN kind = 1 AND name = 'page_exit' AND time_on_page > 0 THEN time_on_page END), 0) AS spent, \
        latest(device_type) AS device_type, latest(browser_name) AS browser_name",
    having: "",
};

const PEOPLE: BaseAggregate = each(
    PERSON,
    "",
    "count(*) AS people, count(CASE WHEN known = 1 THEN 1 END) AS identified, \
     count(CASE WHEN visits > 1 THEN 1 END) AS returned, coalesce(sum(CASE WHEN visits > 1 THEN visits END), 0) AS returns, \
     coalesce(sum(visits), 0) AS sessions, coalesce(sum(events), 0) AS events, coalesce(sum(views), 0) AS pageviews, \
     avg(spent) AS mean_spent, quantile_cont(spent, 0.5) AS median_spent",
);

const PROFILES: Measure = int(&["profiles", "visitors"], "people");
const IDENTIFIED: Measure = int(&["identified_profiles"], "identified");
const SESSIONS: Measure = int(&["sessions"], "sessions");
const EVENTS: Measure = int(&["total_events"], "events");
const VIEWS: Measure = int(&["pageviews"], "pageviews");
const RETURNED: Measure = int(&["returning_visitors"], "returned");
const RATE: Measure = float(
    &["returning_rate"],
    "100.0 * returned / nullif(people, 0)",
    2,
)
.unit("%");

const UNKNOWN: Show = Show::Label("Unknown");
const DEVICE: Key = key(
    "coalesce(device_type, '')",
    &[("name", UNKNOWN), ("device_type", UNKNOWN)],
);
const BROWSER: Key = key(
    "coalesce(browser_name, '')",
    &[("name", UNKNOWN), ("browser_name", UNKNOWN)],
);

const fn people(name: &'static str, by: By, says: &'static [Measure]) -> QueryType {
    QueryType::new(name, Category::Profiles, PEOPLE, by, says).filters(&[EVENT_NAME])
}

pub(super) const TYPES: &[QueryType] = &[
    people(
        "profile_metrics",
        By::Nothing,
        &[
            int(&["total_profiles", "profiles"], "people"),
            IDENTIFIED,
            int(&["anonymous_profiles"], "people - identified"),
            RETURNED,
            RATE,
            SESSIONS,
            VIEWS,
            EVENTS,
            float(
                &["avg_sessions_per_profile"],
                "1.0 * sessions / nullif(people, 0)",
                2,
            ),
            float(
                &["avg_events_per_profile"],
                "1.0 * events / nullif(people, 0)",
                2,
            ),
            float(&["avg_duration"], "mean_spent", 2).unit("seconds"),
            float(&["median_duration"], "median_spent", 2).unit("seconds"),
        ],
    )
    .titled(
        "People",
        "How many people there were, who of them is known, and how much they did",
    ),
    people(
        "profile_duration_distribution",
        By::Keys(&[DURATION]),
        &[PROFILES, SESSIONS],
    )
    .share()
    .ordered("duration_range", false)
    .drawn(Visual::Bar)
    .titled(
        "Time of people",
        "People by the time that they spent on pages in the range",
    ),
    people(
        "profiles_by_device",
        By::Keys(&[DEVICE]),
        &[PROFILES, IDENTIFIED, SESSIONS, EVENTS],
    )
    .share()
    .drawn(Visual::Pie)
    .titled(
        "People by device",
        "People by the kind of device that they used last",
    ),
    people(
        "profiles_by_browser",
        By::Keys(&[BROWSER]),
        &[PROFILES, IDENTIFIED, SESSIONS, EVENTS],
    )
    .share()
    .drawn(Visual::Pie)
    .titled(
        "People by browser",
        "People by the browser that they used last",
    ),
    people(
        "profiles_time_series",
        By::Time,
        &[PROFILES, IDENTIFIED, SESSIONS, EVENTS],
    )
    .titled("People over time", "People of every day or hour"),
    people(
        "returning_visitors",
        By::Nothing,
        &[
            RETURNED,
            PROFILES,
            RATE,
            float(
                &["avg_sessions_per_returning_visitor"],
                "1.0 * returns / nullif(returned, 0)",
                2,
            ),
        ],
    )
    .titled(
        "Returning visitors",
        "People with more than one session in the range",
    ),
];
