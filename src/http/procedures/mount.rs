//! Serves the table on both mounts.

use std::sync::Arc;

use actix_web::{HttpMessage, HttpRequest, HttpResponse, http::header, web};
use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::{Call, Procedure, all};
use crate::{
    fault::{Fault, Issue},
    http::{Shared, auth::Caller, wire::Enveloped},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mount {
    /// `/<group>/<name>`: plain JSON.
    Plain,
    /// `/rpc/<router>/<name>`: plain JSON or the envelope.
    Rpc,
}

/// Registers every procedure twice.
pub(in crate::http) fn mount(config: &mut web::ServiceConfig, shared: &Arc<Shared>) {
    for procedure in all() {
        let paths = [
            (
                Mount::Plain,
                format!("/{}/{}", procedure.group, procedure.name),
            ),
            (
                Mount::Rpc,
                format!("/rpc/{}/{}", procedure.router, procedure.name),
            ),
        ];
        for (mount, path) in paths {
            let (shared, procedure) = (Arc::clone(shared), procedure.clone());
            let serve = move |request: HttpRequest, caller: Caller, body: Bytes| {
                let call = Call {
                    shared: Arc::clone(&shared),
                    caller: caller.principal,
                    address: request.extensions().get().copied(),
                };
                answer(mount, procedure.clone(), call, request, body)
            };
            let post = || async {
                HttpResponse::MethodNotAllowed()
                    .insert_header((header::ALLOW, "POST"))
                    .finish()
            };
            config.service(
                web::resource(path)
                    .route(web::post().to(serve))
                    .default_service(web::to(post)),
            );
        }
    }
}

async fn answer(
    mount: Mount,
    procedure: Procedure,
    call: Call,
    request: HttpRequest,
    body: Bytes,
) -> Result<HttpResponse, Fault> {
    let (input, enveloped) = match parse(&body) {
        Ok(value) if mount == Mount::Rpc => {
            let (input, enveloped) = unwrap(value);
            (Ok(input), enveloped)
        }
        parsed => (parsed, false),
    };
    if enveloped {
        request.extensions_mut().insert(Enveloped);
    }
    procedure.needs.admit(&call.caller)?;
    let output = (procedure.run)(call, input?).await?;
    Ok(HttpResponse::Ok().json(if enveloped {
        json!({ "json": output })
    } else {
        output
    }))
}

/// The body as JSON; an empty one is an empty input.
fn parse(body: &[u8]) -> Result<Value, Fault> {
    if body.trim_ascii().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    serde_json::from_slice(body).map_err(|error| {
        Fault::issues(
            "Input validation failed",
            vec![Issue::new(
                "invalid_json",
                "",
                format!("the body is not JSON: {error}"),
            )],
        )
    })
}

/// Whether a body is an envelope: an object with nothing but `json` and perhaps `meta` (wire.md 5.1).
pub(in crate::http) fn is_enveloped(body: &Value) -> bool {
    body.as_object().is_some_and(|object| {
        object.contains_key("json") && object.keys().all(|key| key == "json" || key == "meta")
    })
}

/// Takes the input out of its envelope.
fn unwrap(value: Value) -> (Value, bool) {
    let enveloped = is_enveloped(&value);
    match value {
        Value::Object(mut object) if enveloped => {
            let input = object.remove("json").unwrap_or_default();
            (
                if input.is_null() {
                    Value::Object(Map::new())
                } else {
                    input
                },
                true,
            )
        }
        value => (value, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_object_of_json_and_meta_is_an_envelope() {
        for (body, input, enveloped) in [
            (json!({"json": {"id": 1}}), json!({"id": 1}), true),
            (
                json!({"json": {"id": 1}, "meta": []}),
                json!({"id": 1}),
                true,
            ),
            (json!({"json": null}), json!({}), true),
            (
                json!({"json": 1, "id": 2}),
                json!({"json": 1, "id": 2}),
                false,
            ),
            (json!({"meta": []}), json!({"meta": []}), false),
            (json!([1]), json!([1]), false),
        ] {
            assert_eq!(unwrap(body), (input, enveloped));
        }
    }

    #[test]
    fn an_empty_body_is_an_empty_input_and_anything_else_must_be_json() {
        assert_eq!(parse(b" \n").unwrap(), json!({}));
        assert!(parse(b"{").is_err());
    }
}
