//! What visitors use, and where they are.

use super::{
    category::{Category, Visual},
    fold::{BaseAggregate, VIEWS, once},
    measure::{Key, Measure, PAGEVIEWS, SESSIONS, Show, VISITORS, key},
    places::{BROWSER, CITY, COUNTRY, DEVICE, REGION, SYSTEM},
    query_type::{By, Column, QueryType, column, detail},
};

const UNKNOWN: Show = Show::Label("Unknown");
const BROWSER_OF: Key = key("coalesce(browser_name, '')", &[("browser_name", UNKNOWN)]);
const BROWSER_VERSION: Key = key(
    "coalesce(browser_version, '')",
    &[("name", UNKNOWN), ("browser_version", UNKNOWN)],
);
const SYSTEM_OF: Key = key("coalesce(os_name, '')", &[("os_name", UNKNOWN)]);
const SYSTEM_VERSION: Key = key(
    "coalesce(os_version, '')",
    &[("name", UNKNOWN), ("os_version", UNKNOWN)],
);
const DEVICE_OF: Key = key("coalesce(device_type, '')", &[("device_type", UNKNOWN)]);
const SCREEN: Key = key(
    "coalesce(screen, '')",
    &[("name", UNKNOWN), ("screen_resolution", UNKNOWN)],
);
const CONNECTION: Key = key(
    "coalesce(connection, '')",
    &[("name", UNKNOWN), ("connection_type", UNKNOWN)],
);
const SCREEN_OF: Key = key("coalesce(screen, '')", &[("screen_resolution", UNKNOWN)]);
const VIEWPORT_OF: Key = key("coalesce(viewport, '')", &[("viewport_size", UNKNOWN)]);
const TIMEZONE: Key = key(
    "coalesce(timezone, '')",
    &[("name", UNKNOWN), ("timezone", UNKNOWN)],
);
const LANGUAGE: Key = key(
    "coalesce(language, '')",
    &[("name", UNKNOWN), ("language", UNKNOWN)],
);

/// How much of the screen the window takes: what the numbers of [`PATTERN`] mean.
const PATTERNS: &[&str] = &[
    "unknown",
    "larger than the screen",
    "maximized",
    "full width",
    "partial",
    "small",
];
const PATTERN: Key = key(
    "CASE WHEN coalesce(screen, '') = '' OR coalesce(viewport, '') = '' THEN 0 \
     WHEN number_in(split_part(viewport, 'x', 1)) > number_in(split_part(screen, 'x', 1)) THEN 1 \
     WHEN number_in(split_part(viewport, 'x', 1)) >= 0.95 * number_in(split_part(screen, 'x', 1)) \
     AND number_in(split_part(viewport, 'x', 2)) >= 0.75 * number_in(split_part(screen, 'x', 2)) THEN 2 \
     WHEN number_in(split_part(viewport, 'x', 1)) >= 0.95 * number_in(split_part(screen, 'x', 1)) THEN 3 \
     WHEN number_in(split_part(viewport, 'x', 1)) >= 0.45 * number_in(split_part(screen, 'x', 1)) THEN 4 \
     ELSE 5 END",
    &[("usage_pattern", Show::Pick(PATTERNS))],
);

const WINDOWS: BaseAggregate = once(
    "kind = 1 AND name = 'screen_view'",
    "count(*) AS pageviews, count(DISTINCT CASE WHEN visitor <> 0 THEN visitor END) AS visitors, \
     count(DISTINCT CASE WHEN session <> 0 THEN session END) AS sessions",
);

/// Each browser with its versions: their views first, so that the list sorts by them.
const GROUPED: &str = "WITH viewed AS (SELECT coalesce(browser_name, '') AS browser, \
    coalesce(browser_version, '') AS version, visitor, session FROM {events} \
    WHERE {where} AND kind = 1 AND name = 'screen_view'), \
    parts AS (SELECT browser, version, count(*) AS pageviews, \
    count(DISTINCT CASE WHEN visitor <> 0 THEN visitor END) AS visitors FROM viewed GROUP BY browser, version), \
    lists AS (SELECT browser, records(place := -pageviews, version := version, pageviews := pageviews, visitors := visitors) AS versions FROM parts GROUP BY browser), \
    browsers AS (SELECT browser, count(*) AS pageviews, \
    count(DISTINCT CASE WHEN visitor <> 0 THEN visitor END) AS visitors, \
    count(DISTINCT CASE WHEN session <> 0 THEN session END) AS sessions FROM viewed GROUP BY browser) \
    SELECT browser, browser AS browser_name, CAST(pageviews AS BIGINT) AS pageviews, CAST(visitors AS BIGINT) AS visitors, \
    CAST(visitors AS BIGINT) AS unique_visitors, CAST(sessions AS BIGINT) AS sessions, \
    round(100.0 * pageviews / nullif(sum(pageviews) OVER (), 0), 2) AS percentage, versions \
    FROM browsers JOIN lists USING (browser) {page}";

const GROUPED_COLUMNS: &[Column] = &[
    column("name", "browser", UNKNOWN),
    column("browser_name", "browser", UNKNOWN),
    column("pageviews", "pageviews", Show::Int),
    column("visitors", "visitors", Show::Int),
    column("unique_visitors", "visitors", Show::Int),
    column("sessions", "sessions", Show::Int),
    column("percentage", "percentage", Show::Float(2)),
    detail(
        "versions",
        Show::Items(&[
            ("version", UNKNOWN),
            ("pageviews", Show::Int),
            ("visitors", Show::Int),
        ]),
    ),
];

const SEEN: &[Measure] = &[PAGEVIEWS, VISITORS];

const fn top(name: &'static str, category: Category, keys: &'static [Key]) -> QueryType {
    QueryType::new(name, category, VIEWS, By::Keys(keys), SEEN)
        .share()
        .customizable()
}

const fn device(name: &'static str, keys: &'static [Key]) -> QueryType {
    top(name, Category::Devices, keys).drawn(Visual::Pie)
}

pub(super) const TYPES: &[QueryType] = &[
    device("browser_name", BROWSER).titled("Browsers", "Browsers by views"),
    device("browsers", BROWSER)
        .public()
        .titled("Browsers", "Browsers by views, for everybody"),
    device("browser_versions", &[BROWSER_VERSION, BROWSER_OF])
        .public()
        .drawn(Visual::Table)
        .titled("Browser versions", "Versions of browsers by views"),
    QueryType::custom(
        "browsers_grouped",
        Category::Devices,
        GROUPED,
        GROUPED_COLUMNS,
        "browser",
    )
    .ordered("pageviews", true)
    .titled(
        "Browsers with versions",
        "Browsers by views, each with its versions",
    ),
    device("os_name", SYSTEM).titled("Operating systems", "Operating systems by views"),
    device("operating_systems", SYSTEM).public().titled(
        "Operating systems",
        "Operating systems by views, for everybody",
    ),
    device("os_versions", &[SYSTEM_VERSION, SYSTEM_OF])
        .drawn(Visual::Table)
        .titled(
            "Versions of operating systems",
            "Versions of operating systems by views",
        ),
    device("device_types", DEVICE)
        .public()
        .titled("Device types", "Kinds of device by views"),
    device("screen_resolution", &[SCREEN])
        .public()
        .titled("Screen sizes", "Screen sizes by views, for everybody"),
    device("screen_resolutions", &[SCREEN]).titled("Screen sizes", "Screen sizes by views"),
    device("connection_type", &[CONNECTION]).titled(
        "Connections",
        "How visitors' browsers are connected, by views",
    ),
    QueryType::new(
        "viewport_vs_resolution",
        Category::Devices,
        WINDOWS,
        By::Keys(&[SCREEN_OF, VIEWPORT_OF, DEVICE_OF, PATTERN]),
        &[VISITORS, PAGEVIEWS],
    )
    .limit(200)
    .titled(
        "Windows and screens",
        "Sizes of windows and of the screens they are on, by visitors",
    ),
    QueryType::new(
        "viewport_patterns",
        Category::Devices,
        WINDOWS,
        By::Keys(&[PATTERN]),
        &[VISITORS, SESSIONS],
    )
    .share()
    .drawn(Visual::Pie)
    .titled(
        "Use of screens",
        "How much of their screens visitors give to the website",
    ),
    top("country", Category::Geo, COUNTRY)
        .public()
        .titled("Countries", "Countries by views"),
    top("region", Category::Geo, REGION).titled("Regions", "Regions by views"),
    top("city", Category::Geo, CITY).titled("Cities", "Cities by views"),
    top("timezone", Category::Geo, &[TIMEZONE])
        .public()
        .titled("Time zones", "Visitors' time zones by views"),
    top("language", Category::Geo, &[LANGUAGE])
        .public()
        .titled("Languages", "Visitors' languages by views"),
];
