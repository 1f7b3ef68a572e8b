//! Profiles: people that websites have identified by `/identify`, and their traits.
//!
//! Owns the tables `profiles`, `profile_traits` and `profile_erasures`, and writes the alias rows of the event store,
//! which say that a visitor is a profile. Start at `messages.rs`.
//!
//! It is an actor, because calls that wait in its mailbox share one sync of each store.
//!
//! Invariants:
//! - A call is answered when both halves are durable. Each half can be repeated: a client may resend what was not answered.
//! - Calls that wait together are written together, and cost one sync of each store.
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
pub use messages::{DueForErasure, FinishErasure, Forget, Identify};
