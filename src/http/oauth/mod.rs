//! The authorization server (OAuth 2.1): apps register, a person allows them something, they get tokens.
//!
//! | route | |
//! |---|---|
//! | [`metadata`] | what clients read first (RFC 8414, RFC 9728) |
//! | [`register`](mod@register) | dynamic registration (RFC 7591) |
//! | [`authorize`] | leads to the consent page, and reads what it is asked |
//! | [`token`](mod@token) | codes and refresh tokens become tokens |
//! | [`revoke`](mod@revoke) | ends what a token came from (RFC 7009) |
//! | [`grants`] | what a person has allowed |
//!
//! Every app is public: it has no secret, so PKCE proves who asked for a code. What the tokens open is in
//! [`crate::actors::oauth`]. Failures of the three endpoints for apps have the form of RFC 6749 ([`refusal`]).

pub(super) mod authorize;
pub(super) mod grants;
mod metadata;
mod parameters;
mod refusal;
mod register;
mod revoke;
mod token;

pub(super) use refusal::error_schema;

use super::routes::Route;
use crate::{access::Scope, actors::oauth::OFFERED};

pub(super) const AUTHORIZE: &str = "/oauth/authorize";
pub(super) const TOKEN: &str = "/oauth/token";
pub(super) const REGISTER: &str = "/oauth/register";
pub(super) const REVOKE: &str = "/oauth/revoke";

pub(super) fn routes() -> Vec<Route> {
    [
        metadata::routes(),
        authorize::routes(),
        register::routes(),
        token::routes(),
        revoke::routes(),
        grants::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The scopes that a parameter lists, each once; `None` if one of them is unknown.
fn read_scopes(text: &str) -> Option<Vec<Scope>> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let offered: Vec<Scope> = OFFERED.into_iter().collect();
    let is_known = |word: &&str| offered.iter().any(|scope| scope.as_str() == *word);
    words.iter().all(is_known).then(|| {
        let asked = offered.into_iter();
        asked
            .filter(|scope| words.contains(&scope.as_str()))
            .collect()
    })
}
