//! The hosts as a client sees them, in process: real domains, a real event store, a clock that does not move by itself.

mod access;
mod flags;
mod harness;
mod ingestion;
mod limits;
mod links;
mod ofrep;
mod paths;
mod procedures;
mod queries;
mod redirect;
mod sessions;
mod slice;
