//! Query types as data: validation, compilation, documentation and tests all derive from [`all`].
//!
//! To add a type, add one line to the `TYPES` of its family (or a family, and its table to [`all`]):
//!
//! ```text
//! "entry_titles": "Titles", "Page titles by pageviews" => top(VIEWS, &[TITLE], &[PAGEVIEWS, VISITORS]);
//! ```
//!
//! - What is counted is the [`BaseAggregate`]: which rows, and how they are grouped. Several types share one.
//! - What the columns say are [`Measure`]s: expressions over what the fold yields. The first one is what rows are
//!   ordered by and what `percentage` is a share of.
//! - What a row is about is [`By`]: the whole range, a bucket of time, or a value of one or more [`Key`]s.
//! - [`Shape::Custom`] is for the few that fit no fold. When a third of a family needs it, a fold is missing.
//!
//! Then run the tests: they execute every type on seeded rows, compare its columns with the promise and its
//! statement with the snapshot. Texts in these tables are SQL that no request can influence.

mod ai;
mod category;
mod cohorts;
mod comparison;
mod conversions;
mod custom_events;
mod data_quality;
mod describe;
mod devices;
mod engagement;
mod errors;
mod field;
mod fold;
mod journeys;
mod links;
mod load_times;
mod mcp;
mod measure;
mod outbound;
mod pages;
mod people;
mod places;
mod profiles;
mod properties;
mod query_type;
mod realtime;
mod revenue;
mod sessions;
mod steps;
mod summary;
mod traffic;
mod uptime;
mod vitals;
mod window;

pub use crate::events::countries::{codes_by_name, country_code, country_codes, country_name};
pub use category::{Category, Subject, Visual};
pub use cohorts::RETENTION;
pub use comparison::{COMPARED, COMPARISON};
pub use describe::types;
pub use field::{BOT_VERDICT, FIELDS, Field, TRAIT, Values};
pub use fold::{BaseAggregate, Each, Extracted, From, How, VisitParts};
pub use measure::{Key, Measure, ProfileField, Show};
pub use query_type::{About, By, Column, DEFAULT_LIMIT, MAX_LIMIT, Order, QueryType, Shape};
pub use steps::STEPS;
pub use window::Window;

/// The tables of the families, in the order that `/v1/query/types` lists them.
pub const FAMILIES: &[&[QueryType]] = &[
    summary::TYPES,
    realtime::TYPES,
    pages::TYPES,
    traffic::TYPES,
    devices::TYPES,
    errors::TYPES,
    vitals::TYPES,
    load_times::TYPES,
    sessions::TYPES,
    custom_events::TYPES,
    properties::TYPES,
    profiles::TYPES,
    people::TYPES,
    cohorts::TYPES,
    journeys::TYPES,
    comparison::TYPES,
    revenue::TYPES,
    outbound::TYPES,
    engagement::TYPES,
    ai::TYPES,
    mcp::TYPES,
    data_quality::TYPES,
    links::TYPES,
    conversions::TYPES,
    uptime::TYPES,
];

pub fn all() -> impl Iterator<Item = &'static QueryType> {
    FAMILIES.iter().copied().flatten()
}

pub fn find(name: &str) -> Option<&'static QueryType> {
    all().find(|kind| kind.name == name)
}
