//! Keys that several families share: pages, places, devices.

use super::measure::{Key, Show, key};

const UNKNOWN: Show = Show::Label("Unknown");

/// The country beside something that lies in it.
pub(super) const COUNTRY_OF: Key = key(
    "coalesce(country, '')",
    &[
        ("country_code", Show::CountryCode),
        ("country_name", Show::CountryName),
    ],
);

/// A page, under both names that clients ask it by.
pub(super) const PAGE: &[Key] = &[key("path", &[("path", UNKNOWN), ("name", UNKNOWN)])];
pub(super) const COUNTRY: &[Key] = &[key(
    "coalesce(country, '')",
    &[
        ("name", Show::CountryName),
        ("country_code", Show::CountryCode),
        ("country_name", Show::CountryName),
    ],
)];
/// A region and its country.
pub(super) const REGION: &[Key] = &[
    key(
        "coalesce(region, '')",
        &[("name", UNKNOWN), ("region", UNKNOWN)],
    ),
    COUNTRY_OF,
];
/// A city and its country.
pub(super) const CITY: &[Key] = &[
    key(
        "coalesce(city, '')",
        &[("name", UNKNOWN), ("city", UNKNOWN)],
    ),
    COUNTRY_OF,
];
pub(super) const BROWSER: &[Key] = &[key(
    "coalesce(browser_name, '')",
    &[("name", UNKNOWN), ("browser_name", UNKNOWN)],
)];
/// An operating system.
pub(super) const SYSTEM: &[Key] = &[key(
    "coalesce(os_name, '')",
    &[("name", UNKNOWN), ("os_name", UNKNOWN)],
)];
/// A kind of device.
pub(super) const DEVICE: &[Key] = &[key(
    "coalesce(device_type, '')",
    &[("name", UNKNOWN), ("device_type", UNKNOWN)],
)];
