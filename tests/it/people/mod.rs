//! People: accounts, sessions, and what foreign pages can make a browser do.

mod accounts;
pub mod browser;
mod erasure;
mod forgery;
mod guessing;
mod invitations;
mod lost_rights;
pub mod mails;
mod members;
pub mod oidc;
mod operator;
pub mod organizations;
pub mod passkeys;
mod pausing;
pub mod post;
pub mod second_factor;
mod sessions;
mod sso;
pub mod team;

/// Lets everybody make an account.
pub const OPEN: &str = "signup.open = true";
