//! The session cookie: never for scripts, never on cross-site posts; on https under a name that browsers guard.

use actix_web::{
    HttpRequest, HttpResponseBuilder,
    http::header::{HeaderName, SET_COOKIE},
};
use secrecy::{ExposeSecret, SecretString};

use crate::{
    actors::organizations::SignedIn,
    http::{
        Shared,
        auth::{self, session_cookie},
    },
};

/// A cookie of ours beside the session's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cookie {
    pub(super) name: &'static str,
    /// Its name on https, which browsers guard.
    pub(super) guarded: &'static str,
}

impl Cookie {
    fn name(self, https: bool) -> &'static str {
        if https { self.guarded } else { self.name }
    }

    /// Hands it to the browser for this long.
    pub(super) fn set(self, shared: &Shared, value: &str, seconds: i64) -> (HeaderName, String) {
        let https = shared.urls.is_https();
        let cookie = written(self.name(https), https, value, Some(seconds));
        (SET_COOKIE, cookie)
    }

    /// Takes it from the browser.
    pub(super) fn remove(self, shared: &Shared) -> (HeaderName, String) {
        self.set(shared, "", 0)
    }

    pub(super) fn read<'a>(self, shared: &Shared, request: &'a HttpRequest) -> Option<&'a str> {
        auth::cookie(request.headers(), self.name(shared.urls.is_https()))
    }
}

/// By which a browser is a known device.
const DEVICE: Cookie = Cookie {
    name: "pharos_device",
    guarded: "__Host-pharos_device",
};
/// For how long a device is known, seconds: a year.
const DEVICE_S: i64 = 365 * 24 * 60 * 60;

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

/// Hands the browser of a person who has just shown the password a session, and a token by which it is a known device from now on.
pub(in crate::http) fn sign_in<'a>(
    answer: &'a mut HttpResponseBuilder,
    shared: &Shared,
    signed_in: &SignedIn,
    remember: bool,
) -> &'a mut HttpResponseBuilder {
    answer.append_header(set(shared, signed_in, remember));
    // Without a token the device stays unknown.
    if let Ok(token) = shared.devices.issue(&signed_in.person) {
        answer.append_header(DEVICE.set(shared, token.expose_secret(), DEVICE_S));
    }
    answer
}

/// What a browser shows to be a known device.
pub(super) fn device(shared: &Shared, request: &HttpRequest) -> Option<SecretString> {
    DEVICE.read(shared, request).map(Into::into)
}

/// Takes the session from the browser.
pub(in crate::http) fn removed(shared: &Shared) -> (HeaderName, String) {
    let https = shared.urls.is_https();
    let cookie = written(session_cookie(https), https, "", Some(0));
    (SET_COOKIE, cookie)
}

/// A cookie of this name as it is set, locked down.
fn written(name: &str, https: bool, value: &str, seconds: Option<i64>) -> String {
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
