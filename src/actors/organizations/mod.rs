//! Organizations, people, memberships and sessions.
//!
//! Owns the tables `organizations`, `users`, `memberships` and `sessions`. Start at `messages.rs`.
//!
//! Invariants:
//! - Session tokens are 256 random bits and stored as SHA-256 only; every sign-in makes a new one.
//! - Passwords are Argon2id and never in memory longer than a check takes; at most four are hashed at once, and an
//!   unknown account costs as much as a wrong password.
//! - A session ends after 7 days without use and after 30 days in any case. Use is noted in memory and written at
//!   most every five minutes.

mod actor;
mod attempts;
mod error;
mod founding;
mod messages;
mod model;
mod password;
mod people;
mod repo;
mod rules;
mod sessions;
#[cfg(test)]
mod tests;
mod view;

pub use actor::{Organizations, OrganizationsEnv};
pub use error::OrganizationError;
pub use messages::{
    ChangePassword, DeleteAccount, EndSessions, Founded, Install, InstallAgain, Rename, SignIn,
    SignOut, SignUp, SignedIn, Which,
};
pub use model::{LiveSession, Organization, Person};
pub use view::OrganizationsView;
