//! What handlers of declared routes take: a JSON body whose mistakes are named, and a signed-in person.

use std::{future::Ready, sync::Arc};

use actix_web::{FromRequest, HttpRequest, dev::Payload, web::Bytes};
use futures_util::future::LocalBoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{auth::Caller, openapi::schema_settings, procedures};
use crate::{
    access::{Principal, SessionGrant},
    fault::{Fault, Issue},
};

/// A JSON object as the body; no body at all is an empty one.
#[derive(Debug)]
pub(super) struct Given<T>(pub(super) T);

impl<T: DeserializeOwned + 'static> FromRequest for Given<T> {
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
        let issue = procedures::issue(field, error.inner().to_string());
        Fault::issues(FAILED, vec![issue])
    })
}

/// The session of whoever calls; strangers and keys are refused.
#[derive(Debug)]
pub(super) struct Signed(pub(super) Arc<SessionGrant>);

impl FromRequest for Signed {
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

/// The schema of a type, whole and in one piece.
pub(super) fn schema<T: JsonSchema>() -> Value {
    let mut settings = schema_settings();
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.to_value()
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
