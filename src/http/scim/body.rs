//! The bodies of requests.

use std::future::Future;

use actix_web::{
    FromRequest, HttpRequest,
    dev::Payload,
    http::header::{CONTENT_TYPE, HeaderMap},
    web::Bytes,
};
use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value};

use crate::{
    fault::{Fault, Kind},
    http::auth::has_type,
    scim::{ScimError, schemas::MEDIA},
};

/// A JSON object under the protocol's media type, or JSON's.
pub(super) struct Message(pub(super) Map<String, Value>);

impl FromRequest for Message {
    type Error = actix_web::Error;
    type Future = LocalBoxFuture<'static, Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let is_ours = is_ours(request.headers());
        let bytes = Bytes::from_request(request, payload);
        Box::pin(async move {
            let bytes = bytes.await?;
            if !is_ours {
                let why = "Send the body with `Content-Type: application/scim+json`";
                return Err(Fault::new(Kind::UnsupportedEncoding, why).into());
            }
            let read = serde_json::from_slice(&bytes).map_err(|error| {
                ScimError::Syntax(format!("The body isn't a JSON object: {error}"))
            });
            Ok(Self(read.map_err(Fault::from)?))
        })
    }
}

fn is_ours(headers: &HeaderMap) -> bool {
    let is = |media| has_type(headers, media);
    !headers.contains_key(CONTENT_TYPE) || is(MEDIA) || is("application/json")
}

/// Repeats a change that another change overtook.
pub(super) async fn repeat<T, F>(mut attempt: impl FnMut() -> F) -> Result<T, Fault>
where
    F: Future<Output = Result<T, Attempt>>,
{
    let mut left = 5;
    loop {
        match attempt().await {
            Ok(value) => return Ok(value),
            Err(Attempt::Overtaken(_)) if left > 0 => left -= 1,
            Err(Attempt::Overtaken(fault) | Attempt::Failed(fault)) => return Err(fault),
        }
    }
}

/// Why a change was not done.
pub(super) enum Attempt {
    /// The resource changed between reading and storing.
    Overtaken(Fault),
    Failed(Fault),
}

impl From<Fault> for Attempt {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

impl From<ScimError> for Attempt {
    fn from(error: ScimError) -> Self {
        Self::Failed(error.into())
    }
}
