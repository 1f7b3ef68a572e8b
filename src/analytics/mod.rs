//! From a request to rows: validated requests, query types as data, statements, answers.
//!
//! Follow a query: [`request`] validates the body, [`range`] turns dates and zones into instants and buckets,
//! [`catalogue`] says what the asked type is, [`compile`] writes a statement over logical relations, [`run`]
//! executes it, asks [`people`] who is in the rows, and shapes them. Goals and funnels ([`funnel`]) take the same way. Nothing here knows HTTP or actors, and nothing runs without a
//! [`ReadAccess`](crate::access::ReadAccess).
//!
//! Invariants: a value from a request is only ever bound, never written into statement text; identifiers come from
//! the registries in [`catalogue`]; times are Unix milliseconds and zones are resolved here, never by an engine.

pub mod catalogue;
mod cohorts;
mod compile;
pub mod dialect;
pub mod export;
pub mod funnel;
pub mod insight;
mod numbers;
pub mod people;
pub mod range;
pub mod request;
mod rows;
pub mod run;

pub use catalogue::types;
pub use request::nearest;
pub use run::{Call, Source, find_visitors};
pub use target::{ErrorTracking, Target};

pub mod target;
#[cfg(test)]
mod tests;
