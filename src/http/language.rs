//! The language of whoever reads an answer.

use actix_web::{
    HttpRequest,
    http::header::{ACCEPT_LANGUAGE, HeaderMap},
};

use super::routes::Route;
use crate::locale::Language;

/// What the answer depends on (`Vary`) where people read it.
pub(super) const VARIES: &str = "accept-language";

/// Adds the parameter of [`chosen_language`] to a route.
pub(super) fn in_languages(route: Route) -> Route {
    route.takes(
        "lang",
        "The language: `en`, `de`, `fr`, `es`, `pt` or `ja`. Default: what `Accept-Language` prefers. A page with a `language` \
         of its own is in that one",
    )
}

/// The language that the browser asks for; English by default.
pub(super) fn browsers_language(headers: &HeaderMap) -> Language {
    let values = headers.get_all(ACCEPT_LANGUAGE);
    Language::negotiate(values.filter_map(|value| value.to_str().ok()))
}

/// The language that the browser asks for, if it asks for any.
pub(super) fn requested_language(headers: &HeaderMap) -> Option<Language> {
    let asks = headers.contains_key(ACCEPT_LANGUAGE);
    asks.then(|| browsers_language(headers))
}

/// The language of `?lang=`, or the one that the browser asks for.
pub(super) fn chosen_language(request: &HttpRequest) -> Language {
    let pairs = url::form_urlencoded::parse(request.query_string().as_bytes());
    let mut chosen = pairs.filter_map(|(name, value)| match name.as_ref() {
        "lang" => Language::parse(&value),
        _ => None,
    });
    chosen
        .next()
        .unwrap_or_else(|| browsers_language(request.headers()))
}
