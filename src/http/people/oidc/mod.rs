//! `/api/auth/oidc/*`: to a provider and back.
//!
//! A sign-in is kept in a sealed cookie of the browser that began it: an answer that another browser brings is worth nothing (threat
//! T60). Failures are pages, because a person looks at them.

mod callback;
mod logout;
mod start;

pub(in crate::http) use start::link_path;

use super::{cookie::Cookie, get, post};
use crate::{
    fault::{Fault, Kind},
    http::{
        Shared,
        routes::{ErrorFormat, Route},
        schema::schema,
    },
    oidc::Failure,
};

/// Seconds for which the browser keeps a sign-in.
const ATTEMPT_S: i64 = 10 * 60;

pub(super) fn routes() -> Vec<Route> {
    let page = |route: Route| {
        let route = route.or(400).or(403).or(409).or(500);
        route.redirects().error_format(ErrorFormat::Page)
    };
    vec![
        page(get("/api/auth/oidc/{provider}", |route| route.to(start::start)))
            .says(
                "Sign in with a provider",
                "Leads the browser to an OpenID Connect provider of `auth.oidc`.",
            )
            .takes("next", "The path of this site to come back to.")
            .takes("link", "From the account page: links an account instead of signing in."),
        page(get("/api/auth/oidc/{provider}/callback", |route| {
            route.to(callback::callback)
        }))
        .or(402)
        .says(
            "Callback of a provider",
            "Where the provider sends the browser back to. Opens a session and sets its cookie.",
        )
        .takes("code", "The code of the sign-in.")
        .takes("state", "What the sign-in began with.")
        .takes("iss", "The issuer that answers.")
        .takes("session_state", "Ignored.")
        .takes("error", "Why the provider refused.")
        .takes("error_description", "Ignored.")
        .takes("error_uri", "Ignored."),
        post("/api/auth/oidc/{provider}/logout", |route| {
            route.to(logout::back_channel)
        })
        .says(
            "Sign out from the provider's side",
            "OpenID Connect Back-Channel Logout: ends the sessions that the provider opened, at once.",
        )
        .body(schema::<logout::LogoutBody>())
        .or_form(schema::<logout::LogoutBody>())
        .answers(schema::<logout::LogoutOut>()),
        get("/api/auth/oidc/{provider}/logout", |route| {
            route.to(logout::front_channel)
        })
        .says(
            "Sign out in the browser",
            "OpenID Connect Front-Channel Logout: ends the sessions of one session at the provider, at once.",
        )
        .takes("iss", "The provider's issuer.")
        .takes("sid", "The provider's session.")
        .answers(schema::<logout::LogoutOut>()),
    ]
}

/// The address that the provider sends people back to.
pub(in crate::http) fn return_address(shared: &Shared, provider: &str) -> String {
    format!("{}/api/auth/oidc/{provider}/callback", shared.urls.base)
}

/// A sign-in on its way.
const ATTEMPT: Cookie = Cookie {
    name: "pharos_oidc",
    guarded: "__Host-pharos_oidc",
};

/// What a failure is to the browser; it is logged with the provider's name.
pub(super) fn refuse(provider: &str, failure: &Failure) -> Fault {
    tracing::warn!(provider, %failure, "a sign-in at a provider failed");
    let message = failure.to_string();
    if failure.is_upstream() {
        return Fault::unavailable(message);
    }
    if matches!(failure, Failure::Refused(_) | Failure::TooManyGroups) {
        return Fault::new(Kind::Forbidden, message);
    }
    Fault::invalid(message)
}
