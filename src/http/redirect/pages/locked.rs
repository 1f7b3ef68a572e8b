//! The page that asks for a link's password. It says nothing of the link.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, RETRY_AFTER},
    },
};

use super::{super::Answering, Shell, failure, page};

/// What came before the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Said {
    /// Nothing: somebody wants to follow the link.
    Nothing,
    /// Another password.
    Wrong,
    /// Too many passwords; in so many seconds one more may be tried.
    TooMany(u64),
    /// Nobody can look at the password now; again in so many seconds.
    Busy(u64),
    /// Something that is no password.
    Nonsense,
}

impl Said {
    fn status(self) -> StatusCode {
        match self {
            Self::Nothing | Self::Wrong => StatusCode::FORBIDDEN,
            Self::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Nonsense => StatusCode::BAD_REQUEST,
        }
    }

    /// The code and the text of the failure.
    fn told(self) -> (&'static str, &'static str) {
        match self {
            Self::Nothing => (
                "PASSWORD_REQUIRED",
                "This link has a password: send it as `password` with POST",
            ),
            Self::Wrong => ("WRONG_PASSWORD", "That is not the password"),
            Self::TooMany(_) => ("RATE_LIMITED", "Too many passwords were tried, please wait"),
            Self::Busy(_) => ("SERVICE_UNAVAILABLE", "Please try again in a moment"),
            Self::Nonsense => (
                "INVALID_REQUEST_BODY",
                "Send a `password`, as a form or as JSON",
            ),
        }
    }
}

/// Asks for the password, as a page or as JSON.
pub(in super::super) fn asks(answering: &Answering<'_>, said: Said) -> HttpResponse {
    let mut response = HttpResponse::build(said.status());
    response.insert_header((CACHE_CONTROL, "private, no-store"));
    if let Said::TooMany(seconds) | Said::Busy(seconds) = said {
        response.insert_header((RETRY_AFTER, seconds));
    }
    let (code, text) = said.told();
    if answering.wants_json() {
        return failure(response, answering, text, code);
    }
    let alert = match said {
        Said::Nothing => String::new(),
        _ => format!("<p role=\"alert\">{text}.</p>"),
    };
    let body = format!(
        "<h1>This link has a password</h1>{alert}<p>Whoever gave you the link knows it.</p><form method=\"post\">\
         <label>Password <input type=\"password\" name=\"password\" required autofocus autocomplete=\"off\" \
         maxlength=\"128\"></label><button>Go on</button></form>"
    );
    page(response, &Shell::of("Password needed"), &body)
}
