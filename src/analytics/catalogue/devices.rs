//! What visitors use, and where they are.

use super::{
    category::{Category, Visual},
    fold::VIEWS,
    measure::{Key, PAGEVIEWS, Show, VISITORS, key},
    query_type::{By, QueryType},
};

const UNKNOWN: Show = Show::Label("Unknown");
const BROWSER: Key = key(
    "coalesce(browser_name, '')",
    &[("name", UNKNOWN), ("browser_name", UNKNOWN)],
);
const SYSTEM: Key = key(
    "coalesce(os_name, '')",
    &[("name", UNKNOWN), ("os_name", UNKNOWN)],
);
const DEVICE: Key = key(
    "coalesce(device_type, '')",
    &[("name", UNKNOWN), ("device_type", UNKNOWN)],
);
const COUNTRY: Key = key(
    "coalesce(country, '')",
    &[
        ("name", Show::CountryName),
        ("country_code", Show::CountryCode),
        ("country_name", Show::CountryName),
    ],
);
const CITY: Key = key(
    "coalesce(city, '')",
    &[("name", UNKNOWN), ("city", UNKNOWN)],
);
const CITY_COUNTRY: Key = key(
    "coalesce(country, '')",
    &[
        ("country_code", Show::CountryCode),
        ("country_name", Show::CountryName),
    ],
);

const fn top(name: &'static str, category: Category, keys: &'static [Key]) -> QueryType {
    QueryType::new(
        name,
        category,
        VIEWS,
        By::Keys(keys),
        &[PAGEVIEWS, VISITORS],
    )
    .share()
    .customizable()
}

pub(super) const TYPES: &[QueryType] = &[
    top("browser_name", Category::Devices, &[BROWSER])
        .drawn(Visual::Pie)
        .titled("Browsers", "Browsers by views"),
    top("os_name", Category::Devices, &[SYSTEM])
        .drawn(Visual::Pie)
        .titled("Operating systems", "Operating systems by views"),
    top("device_types", Category::Devices, &[DEVICE])
        .public()
        .drawn(Visual::Pie)
        .titled("Device types", "Kinds of device by views"),
    top("country", Category::Geo, &[COUNTRY])
        .public()
        .titled("Countries", "Countries by views"),
    top("city", Category::Geo, &[CITY, CITY_COUNTRY]).titled("Cities", "Cities by views"),
];
