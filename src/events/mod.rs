//! From an accepted event to a durable, queryable row.

pub mod event;
pub mod statement;
pub mod store;
pub mod tables;
