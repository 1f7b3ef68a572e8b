//! People: accounts, sessions, and what foreign pages can make a browser do.

mod accounts;
pub mod browser;
mod forgery;
mod guessing;
mod sessions;

/// Lets everybody make an account.
pub const OPEN: &str = "signup.open = true";
