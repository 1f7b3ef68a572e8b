//! The content of error pages.

use maud::{Markup, html};

use crate::locale::Texts;

/// Title and content for a failure of this status; `said` is safe to show, `request` finds it in the log.
pub fn failure(texts: Texts, status: u16, message: &str, request: &str) -> (&'static str, Markup) {
    let (title, next) = match status {
        400 | 413 | 415 => (
            "Request failed",
            "Go back, correct the form and send it again.",
        ),
        401 => ("Sign-in required", "Sign in to see this page."),
        402 => (
            "Not in your plan",
            "An owner of the organization can change the plan.",
        ),
        403 => (
            "No access",
            "Your role doesn't include this. Ask an owner or admin of the organization.",
        ),
        404 => (
            "Page not found",
            "It was deleted, or you don't have access to it.",
        ),
        405 => ("Method not allowed", "This address only accepts forms."),
        429 => ("Too many requests", "Wait, then reload the page."),
        503 => ("Temporarily unavailable", "Try again in a few seconds."),
        _ => (
            "Server error",
            "The error is in the server's log. Try again later.",
        ),
    };
    let [title, next] = [title, next].map(|english| texts.label(english));
    let page = html! {
        section.failure {
            p.status { (status) }
            h1 { (title) }
            p { (next) }
            // The hint already says that it is not there.
            @if status != 404 { p.dim { (message) } }
            p.actions { a.button href="/" { (texts.label("Go to Home")) } }
            p.dim.small { (texts.label("Request ID:")) " " code { (request) } }
        }
    };
    (title, page)
}

/// Title and content for a sign-in at a provider that failed. `message` says what to do.
pub fn sign_in_failure(texts: Texts, message: &str, request: &str) -> (&'static str, Markup) {
    let title = texts.label(SIGN_IN_FAILED);
    let page = html! {
        section.failure {
            h1 { (title) }
            p { (message) }
            p.actions { a.button href="/login" { (texts.label("Back to sign-in")) } }
            p.dim.small { (texts.label("Request ID:")) " " code { (request) } }
        }
    };
    (title, page)
}

const SIGN_IN_FAILED: &str = "Sign-in failed";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_says_what_to_do_and_names_its_request() {
        for status in [400, 401, 402, 403, 404, 405, 413, 415, 429, 500, 503] {
            let (title, page) = failure(Texts::ENGLISH, status, "<said>", "r-1");
            let page = page.into_string();
            assert!(
                !title.is_empty() && page.contains("&lt;said&gt;") == (status != 404),
                "{page}"
            );
            assert!(
                page.contains("r-1") && page.contains("href=\"/\""),
                "{page}"
            );
        }
    }
}
