//! How pages are sent: the type, the policy that browsers hold them to, and the way on after a form.

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::{
        StatusCode,
        header::{CONTENT_SECURITY_POLICY, ContentType, LOCATION, REFERRER_POLICY},
    },
};
use maud::Markup;

/// What a page may do: its own stylesheet, script and pictures, questions and forms to where it came from. Nothing inline, nothing
/// of others.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A page.
pub(super) fn html(status: StatusCode, page: Markup) -> HttpResponse {
    finish(&mut HttpResponse::build(status), page)
}

/// A page that is there.
pub(super) fn shown(page: Markup) -> HttpResponse {
    html(StatusCode::OK, page)
}

/// The same for an answer that has begun.
pub(super) fn finish(answer: &mut HttpResponseBuilder, page: Markup) -> HttpResponse {
    answer
        .content_type(ContentType::html())
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        // Browsers that send no referrer send no origin with forms either.
        .insert_header((REFERRER_POLICY, "same-origin"))
        .body(page.into_string())
}

/// Done: the result is there.
pub(super) fn see(path: &str) -> HttpResponse {
    seeing(path).finish()
}

/// The same, with something more to send.
pub(super) fn seeing(path: &str) -> HttpResponseBuilder {
    let mut answer = HttpResponse::SeeOther();
    answer
        .insert_header((LOCATION, path))
        .insert_header((REFERRER_POLICY, "same-origin"));
    answer
}
