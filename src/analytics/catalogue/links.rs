//! Clicks on short links. Rows are of kind 64; their website is the link.
//!
//! They take the filters of website types. A click is no visit, so each filter looks at the click itself; `bot_verdict` asks
//! for the clicks of machines, which count nowhere else.

use super::{
    category::{Category, Subject, Visual},
    field::COMMON,
    fold::{BaseAggregate, once},
    measure::{Key, Measure, Show, int, key, measure},
    places::{BROWSER, DEVICE},
    query_type::{By, QueryType},
};

const UNKNOWN: Show = Show::Label("Unknown");
const DIRECT: Show = Show::Label("Direct");

const CLICKS: BaseAggregate = once(
    "kind = 64",
    "count(*) AS clicks, count(DISTINCT nullif(referrer_domain, '')) AS referrers, \
     count(DISTINCT nullif(country, '')) AS countries, most_common(nullif(source, '')) AS source_name, \
     most_common(nullif(channel, '')) AS source_kind",
);

const CLICKED: Measure = int(&["clicks"], "clicks");

const REFERRER: Key = key(
    "coalesce(referrer_domain, '')",
    &[("name", DIRECT), ("referrer", DIRECT), ("domain", DIRECT)],
);
const COUNTRY: Key = key(
    "coalesce(country, '')",
    &[
        ("name", Show::CountryName),
        ("country", Show::CountryName),
        ("country_code", Show::CountryCode),
        ("country_name", Show::CountryName),
    ],
);
const COUNTRY_OF: Key = key(
    "coalesce(country, '')",
    &[
        ("country", Show::CountryName),
        ("country_code", Show::CountryCode),
        ("country_name", Show::CountryName),
    ],
);
const REGION: Key = key("coalesce(region, '')", &[("name", UNKNOWN)]);
const CITY: Key = key("coalesce(city, '')", &[("name", UNKNOWN)]);

const fn link(name: &'static str, by: By, measures: &'static [Measure]) -> QueryType {
    QueryType::new(name, Category::Links, CLICKS, by, measures)
        .of_things(COMMON)
        .of(Subject::Link)
}

const fn top(name: &'static str, keys: &'static [Key]) -> QueryType {
    link(name, By::Keys(keys), &[CLICKED]).limit(10)
}

// Only buckets that have clicks are rows.
const fn days(name: &'static str, says: &'static [Measure]) -> QueryType {
    link(name, By::TimeAnd(&[]), says)
}

pub(super) const TYPES: &[QueryType] = &[
    link(
        "link_total_clicks",
        By::Nothing,
        &[int(&["total"], "clicks")],
    )
    .titled("Clicks", "How often the link was followed"),
    days("link_clicks_by_day", &[CLICKED]).titled(
        "Clicks over time",
        "Clicks of every day or hour that has any",
    ),
    days("link_referrers_by_day", &[int(&["value"], "referrers")]).titled(
        "Referrers over time",
        "How many different sites brought clicks, of every day or hour that has any",
    ),
    days("link_countries_by_day", &[int(&["value"], "countries")]).titled(
        "Countries over time",
        "From how many countries clicks came, of every day or hour that has any",
    ),
    link(
        "link_top_referrers",
        By::Keys(&[REFERRER]),
        &[
            CLICKED,
            measure(&["source"], "source_name", DIRECT),
            measure(&["referrer_type"], "source_kind", DIRECT),
        ],
    )
    .limit(10)
    .titled(
        "Referrers of a link",
        "Sites on which the link was followed, by clicks",
    ),
    top("link_top_countries", &[COUNTRY]).titled(
        "Countries of a link",
        "Where the link was followed, by clicks",
    ),
    top("link_top_regions", &[REGION, COUNTRY_OF]).titled(
        "Regions of a link",
        "Regions in which the link was followed, by clicks",
    ),
    top("link_top_cities", &[CITY, COUNTRY_OF]).titled(
        "Cities of a link",
        "Cities in which the link was followed, by clicks",
    ),
    top("link_top_devices", DEVICE)
        .unlimited()
        .drawn(Visual::Pie)
        .titled(
            "Devices of a link",
            "Kinds of device that followed the link, by clicks",
        ),
    top("link_top_browsers", BROWSER).titled(
        "Browsers of a link",
        "Browsers that followed the link, by clicks",
    ),
];
