//! Failures that are not ours (actix's parsers and fallbacks), read as faults.

use std::ops::Deref;

use actix_web::{
    Error,
    body::{BodySize, MessageBody},
    dev::ServiceResponse,
    error::QueryPayloadError,
    http::StatusCode,
};

use crate::fault::{Fault, Issue, Kind};

/// A fault that the error holds, or one made here.
pub(super) enum Meaning<'a> {
    Ours(&'a Fault),
    Read(Fault),
}

impl Deref for Meaning<'_> {
    type Target = Fault;

    fn deref(&self) -> &Fault {
        match self {
            Self::Ours(fault) => fault,
            Self::Read(fault) => fault,
        }
    }
}

/// What an error means to the caller.
pub(super) fn meaning(error: &Error) -> Meaning<'_> {
    if let Some(fault) = error.as_error::<Fault>() {
        return Meaning::Ours(fault);
    }
    if let Some(QueryPayloadError::Deserialize(wrong)) = error.as_error() {
        return Meaning::Read(bad_request(&wrong.to_string()));
    }
    let status = error.as_response_error().status_code();
    let mut fault = from_status(status);
    if fault.kind == Kind::Internal {
        fault.cause = Some(anyhow::anyhow!("{error}"));
    } else if matches!(fault.kind, Kind::Invalid { .. }) {
        fault.message = error.to_string().into();
    }
    Meaning::Read(fault)
}

/// What is wrong with a query string. Its parser names a field only where one is missing.
fn bad_request(wrong: &str) -> Fault {
    let missing = wrong.strip_prefix("missing field `");
    match missing.and_then(|rest| rest.strip_suffix('`')) {
        Some(field) => {
            let message = format!("`{field}` is required");
            let issue = Issue::new("missing", field, message.clone());
            Fault::issues(message, vec![issue])
        }
        None => Fault::invalid(format!("A parameter of the query string is wrong: {wrong}")),
    }
}

/// The fault of a response that failed: its error, or an empty body under a failing status.
///
/// A handler that writes a failing body of its own (`/health/ready`) is left alone.
pub(super) fn read_response<B: MessageBody>(response: &ServiceResponse<B>) -> Option<Meaning<'_>> {
    if let Some(error) = response.response().error() {
        return Some(meaning(error));
    }
    let status = response.status();
    let empty = matches!(
        response.response().body().size(),
        BodySize::None | BodySize::Sized(0)
    );
    let failed = status.is_client_error() || status.is_server_error();
    (failed && empty).then(|| Meaning::Read(from_status(status)))
}

fn from_status(status: StatusCode) -> Fault {
    match status {
        StatusCode::UNAUTHORIZED => Fault::unauthenticated(),
        StatusCode::FORBIDDEN => Fault::forbidden("Forbidden"),
        StatusCode::NOT_FOUND => not_found(),
        StatusCode::METHOD_NOT_ALLOWED => Fault::new(Kind::MethodNotAllowed, "Method not allowed"),
        StatusCode::PAYLOAD_TOO_LARGE => Fault::new(Kind::TooLarge, "Payload too large"),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            Fault::new(Kind::UnsupportedEncoding, "Unsupported encoding")
        }
        StatusCode::SERVICE_UNAVAILABLE => Fault::unavailable("Service temporarily unavailable"),
        status if status.is_client_error() => Fault::invalid("Invalid request"),
        _ => Fault::new(Kind::Internal, "Internal server error"),
    }
}

/// Nothing is routed here.
fn not_found() -> Fault {
    Fault::new(
        Kind::NotFound {
            resource: "route",
            id: None,
        },
        "Not found",
    )
}
