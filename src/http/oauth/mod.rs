//! The authorization server (OAuth 2.1): apps register, a person allows them something, they get tokens.
//!
//! | route | |
//! |---|---|
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
mod parameters;
mod refusal;
mod register;
mod revoke;
mod token;

pub(super) use refusal::error_schema;

use super::{Urls, mcp, routes::Route};
use crate::{
    access::Scope,
    actors::oauth::{OFFERED, Resource},
};

pub(super) const AUTHORIZE: &str = "/oauth/authorize";
pub(super) const TOKEN: &str = "/oauth/token";
pub(super) const REGISTER: &str = "/oauth/register";
pub(super) const REVOKE: &str = "/oauth/revoke";

pub(super) fn routes() -> Vec<Route> {
    [
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

/// What apps may ask for.
pub(super) fn scopes() -> Vec<&'static str> {
    OFFERED.map(Scope::as_str).to_vec()
}

/// What a token is asked for (RFC 8707); `None` for what is not ours.
fn resource(urls: &Urls, text: &str) -> Option<Resource> {
    let path = text.trim_end_matches('/').strip_prefix(&urls.base)?;
    match path {
        "" => Some(Resource::Api),
        path if mcp::is_endpoint(path) => Some(Resource::Mcp),
        _ => None,
    }
}

/// What a request with a token is for, by its path.
pub(super) fn used_at(path: &str) -> Resource {
    if mcp::is_endpoint(path) {
        Resource::Mcp
    } else {
        Resource::Api
    }
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
