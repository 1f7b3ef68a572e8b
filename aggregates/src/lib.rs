//! Aggregates of the embedded query engine, which has none that do this in one pass over the rows.
//!
//! | aggregate | gives |
//! |---|---|
//! | `distinct_ids(id UBIGINT)` | how many different ids there are; 0 and null are none |
//! | `session_sums(session UBIGINT, views INTEGER, seconds DOUBLE, actions INTEGER)` | of the sessions with a view: `sessions`, `bounces`, and `median_duration` and `mean_duration` in seconds, null if there are none |
//! | `earliest_by(value, at BIGINT)`, `latest_by(value, at BIGINT)` | the value (`UBIGINT`, `BIGINT` or `VARCHAR`) of the row with the least or greatest `at`; of several the least or greatest value; null if there is none |
//! | `quantiles(number DOUBLE, portions DOUBLE[])` | the numbers at these portions of all in order, between two in proportion, such as the median at `[0.5]`; null if there is none |
//!
//! The last argument of each is the number of the run, which follows below.
//!
//! A bounce is a session with one view, less than ten seconds and no action. Rows with a null, or of session 0, don't count.
//!
//! All are exact. The first two keep a table of ids for each group: one access of memory a row, where the engine's own
//! `count(DISTINCT)` makes a row of a hash table that it can write to disk. Percentiles are found among whole numbers, where the
//! engine's own take a call for each comparison. Tables, numbers and long texts can't be written, so all of them together have a
//! limit. A statement that goes beyond it fails with [`FULL`], and can be asked again with what the engine has itself.
//!
//! The engine doesn't say when it forgets a state, so what states point to belongs to the run of their statement
//! ([`Handle::run`]). Its number stands in the text in place of [`RUN`].

use std::ffi::CStr;

mod arena;
mod database;
mod distinct;
mod extreme;
mod function;
mod quantiles;
mod sessions;
mod table;

#[cfg(test)]
mod tests;

pub use database::{Database, Handle};

/// What the error says of a statement whose tables of ids took more memory than they may.
pub const FULL: &str = match SAID_FULL.to_str() {
    Ok(text) => text,
    Err(_) => "",
};
const SAID_FULL: &CStr = c"tables of ids are full";

/// Where a statement's text has the number of its run, which is the last parameter of each of these aggregates.
pub const RUN: &str = "{run}";
