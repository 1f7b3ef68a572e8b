//! Tokens with which identity providers send an organization's people (SCIM).
//!
//! Owns the table `scim_tokens`. No actor: nothing is kept in memory. Every request with a token reads it, so a token that was
//! revoked opens nothing anywhere once that was answered (threat T11). What a token does to people is in
//! [`organizations`](super::organizations).
//!
//! Invariants:
//! - A token is shown once and stored as SHA-256 only.
//! - A token opens one organization, and only SCIM there.
//! - A token works while the member who made it may manage members. It goes with the membership.

mod error;
mod model;
mod repo;
mod store;

pub use error::ScimTokenError;
pub use model::{NewScimToken, ScimToken};
pub use store::{ScimTokens, is_scim_token};
