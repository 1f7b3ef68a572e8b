//! What a browser keeps in cookies of its own: the theme, and what a person has dismissed.

use actix_web::{HttpRequest, HttpResponseBuilder, http::header::SET_COOKIE};

use crate::{
    http::{Shared, auth},
    pages::frame::Theme,
};

/// The cookie of the theme.
pub(super) const THEME: &str = "pharos_theme";
const YEAR_S: u32 = 31_536_000;

/// The theme that the person chose in this browser.
pub(super) fn theme(request: &HttpRequest) -> Theme {
    let chosen = read(request, THEME).and_then(Theme::parse);
    chosen.unwrap_or_default()
}

pub(super) fn read<'a>(request: &'a HttpRequest, name: &str) -> Option<&'a str> {
    auth::cookie(request.headers(), name)
}

/// Adds a cookie to an answer, for a year. No script needs it.
pub(super) fn keep<'a>(
    shared: &Shared,
    answer: &'a mut HttpResponseBuilder,
    (name, value): (&str, &str),
) -> &'a mut HttpResponseBuilder {
    let secure = if shared.urls.is_https() {
        "; Secure"
    } else {
        ""
    };
    let cookie =
        format!("{name}={value}; Path=/; Max-Age={YEAR_S}; SameSite=Lax; HttpOnly{secure}");
    answer.append_header((SET_COOKIE, cookie))
}
