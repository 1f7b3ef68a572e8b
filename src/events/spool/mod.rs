//! The spool: the append-only log that makes an answered event durable.
//!
//! One thread ([`writer`]) owns the log. It takes whatever requests have queued up, drops duplicates, appends one
//! frame per request, syncs once, shows the rows to the tail and only then answers (group commit). While many come at once it gives them a
//! fraction of a millisecond to gather; a lone request is never kept waiting.
//! [`super::log`] is the format on disk.
//!
//! Invariants: a success is answered after `fdatasync`; after a failed sync the file is never written again; log
//! positions (LSN) grow by one per frame and are never reused for a frame that may be on disk.

pub mod command;
mod counters;
pub mod health;
pub mod outcome;
pub mod writer;
