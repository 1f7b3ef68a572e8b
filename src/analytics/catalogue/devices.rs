//! What visitors use, and where they are.

use super::{
    category::{Category, Visual},
    fold::{BaseAggregate, VIEWS, once},
    measure::{Key, Measure, PAGEVIEWS, SESSIONS, Show, UNKNOWN, VISITORS, key, text_key},
    places::{BROWSER, CITY, COUNTRY, DEVICE, REGION, SYSTEM},
    query_type::{By, Column, QueryType, column, custom, detail, measured, query_types},
};

const BROWSER_OF: Key = text_key!("browser_name", UNKNOWN, "browser_name");
const BROWSER_VERSION: Key = text_key!("browser_version", UNKNOWN, "name", "browser_version");
const SYSTEM_OF: Key = text_key!("os_name", UNKNOWN, "os_name");
const SYSTEM_VERSION: Key = text_key!("os_version", UNKNOWN, "name", "os_version");
const DEVICE_OF: Key = text_key!("device_type", UNKNOWN, "device_type");
const SCREEN: Key = text_key!("screen", UNKNOWN, "name", "screen_resolution");
const CONNECTION: Key = text_key!("connection", UNKNOWN, "name", "connection_type");
const SCREEN_OF: Key = text_key!("screen", UNKNOWN, "screen_resolution");
const VIEWPORT_OF: Key = text_key!("viewport", UNKNOWN, "viewport_size");
const TIMEZONE: Key = text_key!("timezone", UNKNOWN, "name", "timezone");
const LANGUAGE: Key = text_key!("language", UNKNOWN, "name", "language");

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
    "is_view()",
    "count(*) AS pageviews, visitors() AS visitors, sessions() AS sessions",
);

/// Each browser with its versions: their views first, because lists sort by their first field.
const GROUPED: &str = "WITH viewed AS (SELECT coalesce(browser_name, '') AS browser, coalesce(browser_version, '') \
    AS version, visitor, session FROM {events} WHERE {where} AND is_view()), parts AS (SELECT browser, version, \
    count(*) AS pageviews, visitors() AS visitors FROM viewed GROUP BY browser, version), lists AS (SELECT browser, \
    records(place := -pageviews, version := version, pageviews := pageviews, visitors := visitors) AS versions FROM \
    parts GROUP BY browser), browsers AS (SELECT browser, count(*) AS pageviews, visitors() AS visitors, sessions() \
    AS sessions FROM viewed GROUP BY browser) SELECT browser, browser AS browser_name, CAST(pageviews AS BIGINT) AS \
    pageviews, CAST(visitors AS BIGINT) AS visitors, CAST(visitors AS BIGINT) AS unique_visitors, CAST(sessions AS \
    BIGINT) AS sessions, round(100.0 * pageviews / nullif(sum(pageviews) OVER (), 0), 2) AS percentage, versions \
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

const fn top(category: Category, keys: &'static [Key]) -> QueryType {
    measured(category, VIEWS, By::Keys(keys), SEEN)
        .share()
        .customizable()
}

const fn device(keys: &'static [Key]) -> QueryType {
    top(Category::Devices, keys).visual(Visual::Pie)
}

query_types! {
    "browser_name": "Browsers", "Browsers by pageviews"
        => device(BROWSER);
    "browsers": "Browsers", "Browsers by pageviews, public"
        => device(BROWSER).public();
    "browser_versions": "Browser versions", "Versions of browsers by pageviews"
        => device(&[BROWSER_VERSION, BROWSER_OF]).public().visual(Visual::Table);
    "browsers_grouped": "Browsers with versions", "Browsers by pageviews, each with its versions"
        => custom(Category::Devices, GROUPED, GROUPED_COLUMNS, "browser")
            .ordered("pageviews", true);
    "os_name": "Operating systems", "Operating systems by pageviews"
        => device(SYSTEM);
    "operating_systems": "Operating systems", "Operating systems by pageviews, public"
        => device(SYSTEM).public();
    "os_versions": "Versions of operating systems", "Versions of operating systems by pageviews"
        => device(&[SYSTEM_VERSION, SYSTEM_OF]).visual(Visual::Table);
    "device_types": "Device types", "Device types by pageviews"
        => device(DEVICE).public();
    "screen_resolution": "Screen sizes", "Screen sizes by pageviews, public"
        => device(&[SCREEN]).public();
    "screen_resolutions": "Screen sizes", "Screen sizes by pageviews"
        => device(&[SCREEN]);
    "connection_type": "Connections", "How visitors' browsers are connected, by pageviews"
        => device(&[CONNECTION]);
    "viewport_vs_resolution": "Windows and screens",
        "Sizes of windows and of the screens they are on, by visitors"
        => measured(Category::Devices, WINDOWS,
            By::Keys(&[SCREEN_OF, VIEWPORT_OF, DEVICE_OF, PATTERN]), &[VISITORS, PAGEVIEWS])
            .limit(200);
    "viewport_patterns": "Use of screens", "How much of their screens visitors give to the website"
        => measured(Category::Devices, WINDOWS, By::Keys(&[PATTERN]), &[VISITORS, SESSIONS])
            .share().visual(Visual::Pie);
    "country": "Countries", "Countries by pageviews"
        => top(Category::Geo, COUNTRY).public();
    "region": "Regions", "Regions by pageviews"
        => top(Category::Geo, REGION);
    "city": "Cities", "Cities by pageviews"
        => top(Category::Geo, CITY);
    "timezone": "Time zones", "Visitors' time zones by pageviews"
        => top(Category::Geo, &[TIMEZONE]).public();
    "language": "Languages", "Visitors' languages by pageviews"
        => top(Category::Geo, &[LANGUAGE]).public();
}
