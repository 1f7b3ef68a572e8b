//! Profiles: people whom websites have named by `/identify`, and what is known of them.
//!
//! Owns the tables `profiles`, `profile_traits` and `profile_erasures`, and writes the alias rows of the event store, which say that a
//! visitor is a profile. Start at `messages.rs`.
//!
//! Invariants:
//! - A call is answered when both halves are durable. Each half can be repeated, so that a client may send again
//!   whatever was not answered.
//! - Calls that wait together are written together, so that many of them cost one sync of each store.
//! - Nothing of this domain is kept in memory: readers go to storage through [`Directory`], its view.
//! - An e-mail address is on disk only sealed ([`seal`]), and can be found by a keyed hash alone.
//! - Of one process, a later call has a later alias, also within one millisecond.

mod actor;
mod directory;
mod erasure;
mod error;
mod messages;
mod repo;
mod rules;
mod seal;
#[cfg(test)]
mod tests;

pub use actor::{Profiles, ProfilesEnv};
pub use directory::Directory;
pub use error::ProfileError;
pub use messages::{DueForErasure, Forget, Forgotten, Identify};
