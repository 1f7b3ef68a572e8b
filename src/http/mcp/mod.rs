//! The Model Context Protocol at `{base_url}/v1/mcp`: the procedure table once more, for agents.
//!
//! Streamable HTTP without sessions: every message is a POST and every answer is JSON, for the revisions 2025-03-26 to
//! 2026-07-28 ([`revision`]). [`guard`] decides who may speak at all, [`message`] reads JSON-RPC, [`methods`] answers.
//!
//! A tool is a procedure ([`mod@tools`]): its name, input, output, rights and hints follow from the declaration that serves it over
//! HTTP, and calling it goes the same way ([`mod@call`]). There is no second authorization here, and no rule of a domain. What a
//! tool gives back was written by visitors of websites, too: it leaves as JSON, cut and without control characters ([`sanitize`]).

mod call;
mod guard;
mod message;
mod methods;
mod prompts;
mod revision;
mod sanitize;
mod tools;

use actix_web::{HttpMessage, HttpRequest, HttpResponse, http::Method, web};
use bytes::Bytes;
use serde_json::{Value, json};

pub(super) use call::outcome;
pub(super) use guard::challenge;
pub(super) use prompts::{prompts, resources};
pub(super) use tools::{Tool, all as tools};

use self::message::{Message, RpcError};
use super::{
    Host, Shared,
    auth::Caller,
    procedures::Call,
    routes::{Access, ErrorFormat, Route},
};
use crate::{access::Principal, fault::Fault};

/// Where agents speak to us.
pub(super) const PATH: &str = super::audience::MCP;
/// Messages in a batch, which the first revision knows.
const MAX_MESSAGES: usize = 20;

pub(super) fn routes() -> Vec<Route> {
    vec![
        at(PATH)
            .also("/v1/mcp/")
            .also("/mcp")
            .says(
                "MCP endpoint",
                "Streamable HTTP without sessions: JSON-RPC messages of the Model Context Protocol. The tools that a caller sees \
                 are those that its key's scopes, or its role, allow.",
            ),
    ]
}

/// The endpoint at a path.
pub(super) fn at(path: &'static str) -> Route {
    Route::new(Method::POST, Host::Base, path, |route| route.to(post))
        .needs(Access::Known)
        .error_format(ErrorFormat::As("JsonRpcError"))
        .or(202)
        .or(406)
        .body(one_or_several(
            &json!({ "type": "object", "required": ["jsonrpc"], "properties": {
                "jsonrpc": { "const": "2.0" }, "id": { "type": ["string", "number", "null"] },
                "method": { "type": "string" },
                "params": { "type": ["object", "null"], "additionalProperties": {} },
                "result": { "type": "object", "additionalProperties": {} },
                "error": { "type": "object", "additionalProperties": {} },
            } }),
        ))
        .answers(one_or_several(&json!({ "anyOf": [
                {
                    "type": "object", "required": ["jsonrpc", "id", "result"],
                    "properties": {
                        "jsonrpc": { "const": "2.0" }, "id": { "type": ["string", "number"] },
                        "result": { "type": "object", "additionalProperties": {} },
                    },
                },
                { "$ref": "#/components/schemas/JsonRpcError" },
            ] })))
}

/// A message, or a batch of them.
fn one_or_several(message: &Value) -> Value {
    json!({ "anyOf": [
        message, { "type": "array", "minItems": 1, "maxItems": MAX_MESSAGES, "items": message },
    ] })
}

/// One message, or several in a batch.
pub(super) async fn post(
    request: HttpRequest,
    caller: Caller,
    body: Bytes,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    guard::check_origin(&request, &shared)?;
    if matches!(caller.principal, Principal::Anonymous) {
        return Err(Fault::unauthenticated());
    }
    if let Err(refusal) = guard::media(request.headers()) {
        return Ok(refusal.answer(&Value::Null));
    }
    let sent: Value = match serde_json::from_slice(&body) {
        Ok(sent) => sent,
        Err(error) => {
            let refusal = RpcError::parse(format!("the body is not JSON: {error}"));
            return Ok(refusal.answer(&Value::Null));
        }
    };
    let call = Call {
        shared: shared.into_inner(),
        caller: caller.principal,
        address: request.extensions().get().copied(),
    };
    Ok(match sent {
        Value::Array(messages) => several(&request, &call, messages).await,
        message => single(&request, &call, message).await,
    })
}

async fn single(request: &HttpRequest, call: &Call, sent: Value) -> HttpResponse {
    let message = match message::read(sent) {
        Ok(message) => message,
        Err(refusal) => return refusal.answer(&Value::Null),
    };
    let id = message.id().clone();
    match answered(request, call, message).await {
        Ok(Some(result)) => HttpResponse::Ok().json(message::success(&id, &result)),
        Ok(None) => HttpResponse::Accepted().finish(),
        Err(refusal) => refusal.answer(&id),
    }
}

/// A batch, one after another; only the first revision has them.
async fn several(request: &HttpRequest, call: &Call, sent: Vec<Value>) -> HttpResponse {
    let refused = |why: &str| RpcError::request(why).answer(&Value::Null);
    if !revision::takes_batches(request.headers()) {
        return refused("this protocol version has no batches: send each message by itself");
    }
    if sent.is_empty() || sent.len() > MAX_MESSAGES {
        return refused("a batch has 1 to 20 messages");
    }
    let mut answers = Vec::new();
    for one in sent {
        let (id, outcome) = match message::read(one) {
            Ok(message) => (message.id().clone(), answered(request, call, message).await),
            Err(refusal) => (Value::Null, Err(refusal)),
        };
        match outcome {
            Ok(Some(result)) => answers.push(message::success(&id, &result)),
            Ok(None) => {}
            Err(refusal) => answers.push(refusal.body(&id)),
        }
    }
    if answers.is_empty() {
        return HttpResponse::Accepted().finish();
    }
    HttpResponse::Ok().json(answers)
}

/// The result of a request; nothing for what asks for nothing.
async fn answered(
    request: &HttpRequest,
    call: &Call,
    message: Message,
) -> Result<Option<Value>, RpcError> {
    let revision = revision::negotiate(request.headers(), &message)?;
    match message {
        Message::Request(asked) => {
            let result = methods::answer(call, revision, &asked).await?;
            Ok(Some(revision.finished(&asked.method, result)))
        }
        Message::Notification(_) | Message::Response => Ok(None),
    }
}
