//! The content of error pages.

use maud::{Markup, html};

/// Title and content for a failure of this status; `said` is safe to show, `request` finds it in the log.
pub fn failure(status: u16, message: &str, request: &str) -> (&'static str, Markup) {
    let (title, next) = match status {
        400 | 413 | 415 => (
            "That did not work",
            "Go back, correct it and send it again.",
        ),
        401 => ("Sign in first", "This is for people who are signed in."),
        402 => (
            "The plan does not include this",
            "An owner of the organization can change the plan.",
        ),
        403 => (
            "Not allowed",
            "Your role does not include this. An owner or admin of the organization can give you another one.",
        ),
        404 => (
            "Nothing is here",
            "It is not there any more, or it is not for you to see.",
        ),
        405 => (
            "Not like this",
            "This address is for a form of another page.",
        ),
        429 => ("Too many requests", "Wait a moment and try again."),
        503 => ("Not at the moment", "Try again in a few seconds."),
        _ => (
            "Something broke",
            "It is not your mistake, and it is in the log. Try again later.",
        ),
    };
    let page = html! {
        section.failure {
            p.status { (status) }
            h1 { (title) }
            p { (next) }
            // The hint already says that it is not there.
            @if status != 404 { p.dim { (message) } }
            p.actions { a.button href="/" { "To the websites" } }
            p.dim.small { "Request " code { (request) } }
        }
    };
    (title, page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_says_what_to_do_and_which_request_it_was() {
        for status in [400, 401, 402, 403, 404, 405, 413, 415, 429, 500, 503] {
            let (title, page) = failure(status, "<said>", "r-1");
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
