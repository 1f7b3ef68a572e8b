//! The session cookie: never for scripts, never on cross-site posts; on https under a name that browsers guard.

use actix_web::http::header::{HeaderName, SET_COOKIE};
use secrecy::ExposeSecret;

use crate::{
    actors::organizations::SignedIn,
    http::{Shared, auth::session_cookie},
};

/// Hands the browser a session. With `remember` it outlives the browser, as long as the session does.
pub(in crate::http) fn set(
    shared: &Shared,
    signed_in: &SignedIn,
    remember: bool,
) -> (HeaderName, String) {
    let left_ms = signed_in.session.expires_ms - shared.clock.now_ms();
    let seconds = remember.then_some(left_ms / 1_000);
    let token = signed_in.token.expose_secret();
    let https = shared.urls.is_https();
    let cookie = written(session_cookie(https), https, token, seconds);
    (SET_COOKIE, cookie)
}

/// Takes the session from the browser.
pub(in crate::http) fn removed(shared: &Shared) -> (HeaderName, String) {
    let https = shared.urls.is_https();
    let cookie = written(session_cookie(https), https, "", Some(0));
    (SET_COOKIE, cookie)
}

/// A cookie of this name as it is set, locked down.
pub(super) fn written(name: &str, https: bool, value: &str, seconds: Option<i64>) -> String {
    let secure = if https { "; Secure" } else { "" };
    let age = seconds.map_or_else(String::new, |seconds| format!("; Max-Age={seconds}"));
    format!("{name}={value}; Path=/{age}; HttpOnly; SameSite=Lax{secure}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_locked_down() {
        let plain = written(session_cookie(false), false, "t", Some(60));
        assert_eq!(
            plain,
            "pharos_session=t; Path=/; Max-Age=60; HttpOnly; SameSite=Lax"
        );
        let secure = written(session_cookie(true), true, "t", None);
        assert_eq!(
            secure,
            "__Host-pharos_session=t; Path=/; HttpOnly; SameSite=Lax; Secure"
        );
    }
}
