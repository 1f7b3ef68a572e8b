//! Keys that several families share: pages, places, devices.

use super::measure::{Key, Show, UNKNOWN, key, text_key};

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
pub(super) const REGION: &[Key] = &[text_key!("region", UNKNOWN, "name", "region"), COUNTRY_OF];
pub(super) const CITY: &[Key] = &[text_key!("city", UNKNOWN, "name", "city"), COUNTRY_OF];
pub(super) const BROWSER: &[Key] = &[text_key!("browser_name", UNKNOWN, "name", "browser_name")];
pub(super) const SYSTEM: &[Key] = &[text_key!("os_name", UNKNOWN, "name", "os_name")];
pub(super) const DEVICE: &[Key] = &[text_key!("device_type", UNKNOWN, "name", "device_type")];
