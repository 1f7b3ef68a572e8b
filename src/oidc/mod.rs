//! `OpenID` Connect: a provider's own description, the code that it hands out, and the tokens that come of it.
//!
//! Invariants:
//! - Every connection goes through [`Egress`](crate::egress::Egress), without redirects, with a deadline and a bound.
//! - A token counts when its signature is by a key of its issuer, under an algorithm with a public key. Keys are fetched anew for an
//!   unknown key ID, at most once a minute.
//! - Issuer, audience, nonce and times are compared with what the sign-in began with ([`Attempt`]). Clocks may differ by 60 seconds.
//! - No token, code or secret is part of a [`Failure`].

mod assertions;
mod attempt;
mod claims;
mod failure;
mod identity;
mod jose;
mod metadata;
mod options;
mod provider;
mod roles;
mod source;
#[cfg(test)]
mod tests;

pub use assertions::Assertions;
pub use attempt::Attempt;
pub use claims::Logout;
pub use failure::Failure;
pub use identity::Identity;
pub use jose::{Keys, Rejection};
pub use options::{CreateAccounts, ProviderOptions, SSO_PREFIX, is_sso_provider, label, trusts};
pub use provider::{Provider, Providers};
pub use roles::{RoleRule, assign};
