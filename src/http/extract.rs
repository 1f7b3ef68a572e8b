//! What handlers of declared routes take: a JSON body whose mistakes are named, and a signed-in person.

use std::{future::Ready, sync::Arc};

use actix_web::{FromRequest, HttpRequest, dev::Payload, web::Bytes};
use futures_util::future::LocalBoxFuture;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::auth::Caller;
use crate::{
    access::{Principal, SessionGrant},
    fault::{Fault, Issue},
};

/// A JSON object as the body; no body at all is an empty one.
#[derive(Debug)]
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned + 'static> FromRequest for JsonBody<T> {
    type Error = actix_web::Error;
    type Future = LocalBoxFuture<'static, Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let bytes = Bytes::from_request(request, payload);
        Box::pin(async move { Ok(Self(read(&bytes.await?)?)) })
    }
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    const FAILED: &str = "Invalid request body";
    let wrong = |code: &'static str, field: String, message: String| {
        Fault::issues(FAILED, vec![Issue::new(code, field, message)])
    };
    let bytes = match bytes.trim_ascii() {
        [] => b"{}",
        bytes => bytes,
    };
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        wrong(
            "invalid_json",
            String::new(),
            format!("the body is not JSON: {error}"),
        )
    })?;
    if !value.is_object() {
        let message = "the body must be an object".to_owned();
        return Err(wrong("invalid_type", String::new(), message));
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { String::new() } else { path };
        let issue = issue(field, error.inner().to_string());
        Fault::issues(FAILED, vec![issue])
    })
}

/// What serde says of an input, in the words of the wire: a field that is missing or unknown is a place, too.
pub(super) fn issue(path: String, said: String) -> Issue {
    let below = |name: &str| match path.as_str() {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    };
    let named = |start: &str| Some(said.strip_prefix(start)?.split_once('`')?.0);
    if let Some(name) = named("missing field `") {
        return Issue::new("invalid_type", below(name), "required, and not there");
    }
    if let Some(name) = named("unknown field `") {
        // A map has come to its key by then.
        let is_there = path.rsplit('.').next() == Some(name);
        let field = if is_there { path.clone() } else { below(name) };
        return Issue::new("unrecognized_keys", field, said);
    }
    let code = if said.starts_with("unknown variant") {
        "invalid_value"
    } else {
        "invalid_type"
    };
    Issue::new(code, path, said)
}

/// The caller's session; strangers and keys are refused.
#[derive(Debug)]
pub(super) struct CurrentSession(pub(super) Arc<SessionGrant>);

impl FromRequest for CurrentSession {
    type Error = Fault;
    type Future = Ready<Result<Self, Fault>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let caller = Caller::from_request(request, payload).into_inner();
        let session = match caller.map(|caller| caller.principal) {
            Ok(Principal::Session(session)) => Ok(Self(session)),
            Ok(Principal::Key(_)) => {
                let mut fault = Fault::unauthenticated();
                fault.message = "Session required".into();
                Err(fault)
            }
            Ok(Principal::Anonymous) | Err(_) => Err(Fault::unauthenticated()),
        };
        std::future::ready(session)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Whole {
        name: String,
    }

    #[derive(Debug, Deserialize)]
    struct Body {
        name: Option<String>,
    }

    #[test]
    fn a_body_is_an_object_and_its_mistakes_have_a_place() {
        let name = |text: &str| read::<Body>(text.as_bytes()).map(|body| body.name);
        assert_eq!(name(r#"{"name":"a"}"#).unwrap().as_deref(), Some("a"));
        assert_eq!(name(" \n").unwrap(), None);
        let missing = read::<Whole>(b"{}").map(|body| body.name).unwrap_err();
        let crate::fault::Kind::Invalid { issues } = missing.kind else {
            panic!("{missing}")
        };
        assert_eq!(issues[0].field, "name");
        for (text, field) in [(r#"{"name":1}"#, "name"), ("[]", ""), ("{", ""), ("1", "")] {
            let fault = name(text).unwrap_err();
            let crate::fault::Kind::Invalid { issues } = fault.kind else {
                panic!("{fault}")
            };
            assert_eq!(issues[0].field, field, "{text}");
        }
    }
}
