//! The page that asks for a link's password. It says nothing of the link.

use std::{borrow::Cow, time::Duration};

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, HeaderValue},
    },
};

use super::{super::Answering, Shell, failure, page};
use crate::{
    fault::{Fault, Kind, Window},
    http::wire::Wire,
    locale::Texts,
};

const NEVER: HeaderValue = HeaderValue::from_static("private, no-store");

/// What came before the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum UnlockOutcome {
    /// Nothing: a visitor wants to follow the link.
    Nothing,
    /// Another password.
    Wrong,
    /// Too many passwords.
    TooMany(Window),
    /// The password cannot be checked now; again after this long.
    Busy(Duration),
    /// Something that is no password.
    Nonsense,
}

impl UnlockOutcome {
    /// Status of what is no failure of every route.
    fn status(self) -> StatusCode {
        match self {
            Self::Nonsense => StatusCode::BAD_REQUEST,
            _ => StatusCode::FORBIDDEN,
        }
    }

    /// The failure of every route that it is.
    fn fault(self) -> Option<Fault> {
        let kind = match self {
            Self::TooMany(window) => Kind::RateLimited(window),
            Self::Busy(retry_after) => Kind::Unavailable { retry_after },
            _ => return None,
        };
        Some(Fault::new(kind, self.texts().1))
    }

    /// What the page says of it; nothing of a visitor who has just come.
    fn alert(self, texts: Texts) -> Option<Cow<'static, str>> {
        Some(match self {
            Self::Nothing => return None,
            Self::Wrong => texts.link_locked_wrong(),
            Self::TooMany(_) => texts.link_locked_limit(),
            Self::Busy(_) => texts.link_locked_busy(),
            Self::Nonsense => texts.link_locked_empty(),
        })
    }

    /// The code and the text of the failure, for programs.
    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Nothing => (
                "PASSWORD_REQUIRED",
                "This link requires a password. Send it as `password` with POST.",
            ),
            Self::Wrong => ("WRONG_PASSWORD", "Wrong password"),
            Self::TooMany(_) => ("RATE_LIMITED", "Too many attempts. Try again later"),
            Self::Busy(_) => ("SERVICE_UNAVAILABLE", "Try again in a moment"),
            Self::Nonsense => (
                "INVALID_REQUEST_BODY",
                "Send a `password`, as a form or as JSON",
            ),
        }
    }
}

/// Asks for the password, as a page or as JSON.
pub(in super::super) fn asks(answering: &Answering<'_>, said: UnlockOutcome) -> HttpResponse {
    let mut response = answer(answering, said);
    response.headers_mut().insert(CACHE_CONTROL, NEVER);
    response
}

fn answer(answering: &Answering<'_>, said: UnlockOutcome) -> HttpResponse {
    let (code, text) = said.texts();
    let response = match said.fault() {
        Some(fault) if answering.wants_json() => {
            return Wire::Rest.write(&fault, &answering.id, false);
        }
        Some(fault) => Wire::Rest.begin(&fault, &answering.id),
        None => HttpResponse::build(said.status()),
    };
    if answering.wants_json() {
        return failure(response, answering, text, code);
    }
    let texts = answering.texts();
    let alert = said.alert(texts);
    let alert = alert.map(|text| format!("<p role=\"alert\">{text}</p>"));
    let body = format!(
        "<h1>{}</h1>{}<p>{}</p><form method=\"post\"><label>{} <input type=\"password\" name=\"password\" required autofocus \
         autocomplete=\"off\" maxlength=\"128\"></label><button>{}</button></form>",
        texts.link_locked_heading(),
        alert.unwrap_or_default(),
        texts.link_locked_help(),
        texts.link_locked_password(),
        texts.link_locked_open(),
    );
    page(
        response,
        &Shell::titled(texts, &texts.link_locked_title()),
        &body,
    )
}
