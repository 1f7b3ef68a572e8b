//! The log on disk: its frames, its files, and what is read back of them at start.
//!
//! [`frame`] is the format, [`mod@file`] one log file, [`recovery`] what a start finds. [`super::spool`] writes it.
//!
//! Invariant: a frame is valid only in its own file and position, so stale bytes of a recycled block never count.

pub mod file;
pub mod frame;
#[cfg(test)]
mod hostile_tests;
pub mod recovery;
#[cfg(test)]
mod sim_tests;

/// Position of a frame in a node's log.
pub type Lsn = u64;

/// Keyed 128-bit hash of (organization, website, trust, eventId).
pub type Key = u128;
