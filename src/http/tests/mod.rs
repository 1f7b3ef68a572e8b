//! The hosts as a client sees them, in process: real domains, a real event store, a clock that stands still.

mod access;
mod harness;
mod ingestion;
mod limits;
mod paths;
mod procedures;
mod queries;
mod sessions;
mod slice;
