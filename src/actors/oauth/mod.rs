//! Apps that act for people: what registered, what people allowed it, and the tokens of that (OAuth 2.1).
//!
//! Owns the tables `oauth_apps`, `oauth_grants` and `oauth_tokens`. No actor: nothing is kept in memory. Every request with an
//! access token reads its grant, so an ended grant opens nothing anywhere once that was answered (threat T11).
//!
//! Invariants:
//! - Codes and tokens are shown once and stored as SHA-256 only.
//! - A code is good for one attempt, a refresh token for one use. A second use ends the grant.
//! - A grant opens what its scopes *and* the role of its person allow now, in one organization. It ends with the membership.
//! - A grant counts as the session in which it was allowed: where an organization requires a provider, only grants of such
//!   sessions work.
//! - Ending a grant deletes it with its code and tokens, in one transaction with the entry in the audit log.

mod apps;
mod authenticate;
mod documents;
mod error;
mod grants;
mod issue;
mod model;
mod redirect_uri;
mod repo;
mod rules;
mod store;
#[cfg(test)]
mod tests;

pub use authenticate::is_access_token;
pub use documents::is_address;
pub use error::{GrantRefusal, OAuthError};
pub use issue::{CodeExchange, Refresh, Revocation};
pub use model::{
    ACCESS_TOKEN_S, App, Approval, Grant, GrantsOf, ListedGrant, NewApp, PendingConsent, Resource,
    Tokens,
};
pub use redirect_uri::{Destination, RedirectUri};
pub use rules::{OFFERED, is_challenge};
pub use store::OAuthStore;
