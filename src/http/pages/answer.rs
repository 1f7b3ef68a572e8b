//! Responses: pages with their content security policy, and redirects after forms.

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::{
        StatusCode,
        header::{CONTENT_SECURITY_POLICY, ContentType, LOCATION, REFERRER_POLICY, VARY},
    },
};
use maud::Markup;

use crate::http::language;

/// A page loads files of its own origin and sends forms to it. Nothing inline, nothing of other origins.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'self'";

/// A page with a status.
pub(super) fn html(status: StatusCode, page: Markup) -> HttpResponse {
    finish(&mut HttpResponse::build(status), page)
}

/// A page with status 200.
pub(super) fn page(page: Markup) -> HttpResponse {
    html(StatusCode::OK, page)
}

/// A page in the language that the browser asks for.
pub(super) fn in_language(status: StatusCode, page: Markup) -> HttpResponse {
    let mut answer = HttpResponse::build(status);
    finish(answer.insert_header((VARY, language::VARIES)), page)
}

/// Adds a page to a response that has begun.
pub(super) fn finish(answer: &mut HttpResponseBuilder, page: Markup) -> HttpResponse {
    finish_embeddable(answer, page, &[])
}

/// The same for a page that pages of these origins may embed.
pub(super) fn finish_embeddable(
    answer: &mut HttpResponseBuilder,
    page: Markup,
    origins: &[String],
) -> HttpResponse {
    start_page(answer, origins).body(page.into_string())
}

/// The head of a page that pages of these origins may embed.
pub(super) fn start_page<'a>(
    answer: &'a mut HttpResponseBuilder,
    origins: &[String],
) -> &'a mut HttpResponseBuilder {
    let ancestors = match origins {
        [] => "'none'".to_owned(),
        origins => origins.join(" "),
    };
    start_with_policy(answer, &format!("{POLICY}; frame-ancestors {ancestors}"))
}

/// A page whose form is answered by leading elsewhere, which browsers check as well.
pub(super) fn page_that_leads_to(status: StatusCode, source: &str, page: Markup) -> HttpResponse {
    let policy = format!("{POLICY} {source}; frame-ancestors 'none'");
    let mut answer = HttpResponse::build(status);
    start_with_policy(&mut answer, &policy).body(page.into_string())
}

fn start_with_policy<'a>(
    answer: &'a mut HttpResponseBuilder,
    policy: &str,
) -> &'a mut HttpResponseBuilder {
    answer
        .content_type(ContentType::html())
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        // Browsers that send no referrer send no origin with forms either.
        .insert_header((REFERRER_POLICY, "same-origin"))
}

/// Leads to a path after a form.
pub(super) fn redirect(path: &str) -> HttpResponse {
    start_redirect(path).finish()
}

/// The same, for more headers.
pub(super) fn start_redirect(path: &str) -> HttpResponseBuilder {
    let mut answer = HttpResponse::SeeOther();
    answer
        .insert_header((LOCATION, path))
        .insert_header((REFERRER_POLICY, "same-origin"));
    answer
}
