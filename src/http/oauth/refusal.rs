//! Failures in the words of RFC 6749, section 5.2, and RFC 7591, section 3.2.2.

use std::borrow::Cow;

use actix_web::{HttpResponse, http::StatusCode};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    actors::oauth::{GrantRefusal, OAuthError},
    fault::{Classify as _, Fault},
};

/// What an endpoint for apps refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    status: StatusCode,
    pub(super) error: &'static str,
    description: Cow<'static, str>,
}

#[derive(Serialize)]
struct Body<'a> {
    error: &'a str,
    error_description: &'a str,
}

/// Why there is no answer: a refusal in the protocol's words, or a fault.
#[derive(Debug)]
pub(super) enum Stopped {
    Refused(Refusal),
    Fault(Fault),
}

impl From<Refusal> for Stopped {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<OAuthError> for Stopped {
    fn from(error: OAuthError) -> Self {
        let description = error.to_string();
        let error = match error {
            OAuthError::Refused(GrantRefusal::UnknownApp) => {
                return Self::Refused(Refusal {
                    status: StatusCode::UNAUTHORIZED,
                    ..Refusal::new("invalid_client", description)
                });
            }
            OAuthError::Refused(GrantRefusal::Invalid(_)) => "invalid_grant",
            OAuthError::Refused(GrantRefusal::BeyondScope) => "invalid_scope",
            OAuthError::Refused(GrantRefusal::OtherResource) => "invalid_target",
            OAuthError::Metadata(_) => "invalid_client_metadata",
            OAuthError::RedirectUri(_) => "invalid_redirect_uri",
            other => return Self::Fault(other.classify()),
        };
        Self::Refused(Refusal::new(error, description))
    }
}

impl Refusal {
    pub(super) fn new(error: &'static str, description: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            error,
            description: description.into(),
        }
    }

    pub(super) fn request(description: impl Into<Cow<'static, str>>) -> Self {
        Self::new("invalid_request", description)
    }

    pub(super) fn answer(&self) -> HttpResponse {
        HttpResponse::build(self.status).json(Body {
            error: self.error,
            error_description: &self.description,
        })
    }
}

/// The schema of a failure.
pub(in crate::http) fn error_schema() -> Value {
    json!({
        "type": "object", "required": ["error"],
        "properties": {
            "error": { "type": "string", "description": "Such as `invalid_grant`" },
            "error_description": { "type": "string", "description": "What is wrong, and what to do" },
        },
    })
}
