//! From an accepted event to a durable, queryable row.
//!
//! ```text
//! accept → spool (dedup, append, fdatasync) → tail generation → answer
//!                                                   └ seal → Parquet segment → compaction
//! query  → snapshot (segments + generations) → engine → rows
//! ```
//!
//! [`store::EventStore`] is the face of all this. Reading order: [`event`], [`record`] and [`tables`] (what a row is), [`spool`]
//! (what makes it durable), [`tail`], [`segments`], [`extracts`] and [`snapshot`] (where it lives), [`engine`] (how it is asked).
//! The module knows no actor, no HTTP and no state database: the ingest domain keeps its manifest.

pub mod accept;
pub mod answer_budget;
pub mod backup;
pub(in crate::events) mod batch;
pub mod clickhouse;
pub mod column;
pub mod columnar;
pub mod countries;
pub mod dedup;
pub mod deletion;
pub mod demo;
pub mod disk;
pub mod engine;
pub mod enrich;
pub mod error;
pub mod event;
pub mod extracts;
pub mod failpoint;
pub(in crate::events) mod files;
pub mod import;
pub mod ledger;
pub mod log;
mod positions;
pub mod record;
pub mod relations;
pub mod segments;
pub mod sessions;
pub mod snapshot;
pub mod spool;
pub mod statement;
pub mod store;
pub mod store_migration;
pub mod tables;
pub mod tail;
pub mod tenant;
mod tenant_limiter;
mod threads;
pub mod transfers;
pub mod tree;
pub mod usage;
pub mod versions;
pub mod words;
