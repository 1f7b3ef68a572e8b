//! The spool: the append-only log that makes an answered event durable.
//!
//! One thread ([`writer`]) owns the log. It takes whatever requests have queued up, drops duplicates, appends one
//! frame per request, syncs once, shows the rows to the tail and only then answers (group commit). While many come at once it gives them a
//! fraction of a millisecond to gather; a lone request is never kept waiting.
//! [`frame`] is the format on disk, [`mod@file`] one log file, [`recovery`] what is read back at start.
//!
//! Invariants: a success is answered after `fdatasync`; after a failed sync the file is never written again; log
//! positions (LSN) grow by one per frame and are never reused for a frame that may be on disk; a frame is valid only
//! in its own file and position, so stale bytes of a recycled block never count.

pub mod command;
mod counters;
pub mod file;
pub mod frame;
pub mod health;
#[cfg(test)]
mod hostile;
pub mod outcome;
pub mod recovery;
#[cfg(test)]
mod sim;
pub mod writer;

/// Position of a frame in a node's log.
pub type Lsn = u64;
