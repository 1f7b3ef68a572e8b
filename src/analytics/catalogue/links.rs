//! Clicks on short links. Rows are of kind 64; their website is the link.
//!
//! They take the filters of website types. A click is no visit, so each filter looks at the click itself; `bot_verdict` asks
//! for the clicks of machines, which count nowhere else.

use super::{
    category::{Category, Subject, Visual},
    field::COMMON,
    fold::{BaseAggregate, once},
    measure::{DIRECT, Key, Measure, Show, UNKNOWN, int, key, measure, text_key},
    places::{BROWSER, DEVICE},
    query_type::{By, QueryType, measured, query_types},
};

const CLICKS: BaseAggregate = once(
    "kind = kind_of(click)",
    "count(*) AS clicks, count(DISTINCT nullif(referrer_domain, '')) AS referrers, \
     count(DISTINCT nullif(country, '')) AS countries, most_common(nullif(source, '')) AS source_name, \
     most_common(nullif(channel, '')) AS source_kind",
);

const CLICKED: Measure = int("clicks", "clicks");

const REFERRER: Key = text_key!("referrer_domain", DIRECT, "name", "referrer", "domain");
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
const REGION: Key = text_key!("region", UNKNOWN, "name");
const CITY: Key = text_key!("city", UNKNOWN, "name");

const fn link(by: By, measures: &'static [Measure]) -> QueryType {
    measured(Category::Links, CLICKS, by, measures)
        .about_things(COMMON)
        .subject(Subject::Link)
}

const fn top(keys: &'static [Key]) -> QueryType {
    link(By::Keys(keys), &[CLICKED]).limit(10)
}

// Only buckets that have clicks are rows.
const fn days(says: &'static [Measure]) -> QueryType {
    link(By::TimeAnd(&[]), says)
}

query_types! {
    "link_total_clicks": "Clicks", "Clicks of the link"
        => link(By::Nothing, &[int("total", "clicks")]);
    "link_clicks_by_day": "Clicks over time", "Clicks of every day or hour that has any"
        => days(&[CLICKED]);
    "link_referrers_by_day": "Referrers over time",
        "How many different sites brought clicks, of every day or hour that has any"
        => days(&[int("value", "referrers")]);
    "link_countries_by_day": "Countries over time",
        "From how many countries clicks came, of every day or hour that has any"
        => days(&[int("value", "countries")]);
    "link_top_referrers": "Referrers of a link", "Sites on which the link was followed, by clicks"
        => link(By::Keys(&[REFERRER]), &[CLICKED, measure("source", "source_name", DIRECT),
            measure("referrer_type", "source_kind", DIRECT)]).limit(10);
    "link_top_countries": "Countries of a link", "Where the link was followed, by clicks"
        => top(&[COUNTRY]);
    "link_top_regions": "Regions of a link", "Regions in which the link was followed, by clicks"
        => top(&[REGION, COUNTRY_OF]);
    "link_top_cities": "Cities of a link", "Cities in which the link was followed, by clicks"
        => top(&[CITY, COUNTRY_OF]);
    "link_top_devices": "Devices of a link", "Device types that followed the link, by clicks"
        => top(DEVICE).unlimited().visual(Visual::Pie);
    "link_top_browsers": "Browsers of a link", "Browsers that followed the link, by clicks"
        => top(BROWSER);
}
