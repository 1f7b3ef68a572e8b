//! Running and compiling queries.

use actix_web::{
    HttpMessage as _, HttpRequest, HttpResponse, body::BoxBody, http::header::ContentType, web,
};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    segments,
    target::{self, TargetQuery},
};
use crate::{
    access::Principal,
    analytics::{
        self, Target,
        run::{self, Answers, Json},
    },
    events::answer_budget::Account,
    fault::{Fault, Issue},
    http::{
        Shared,
        auth::Caller,
        edge::RequestId,
        response_bodies::{GuardedBody, PiecesBody},
    },
};

/// Bytes of memory that a byte of JSON takes when it is parsed, about: most of a query are objects of a few fields.
const PARSED: usize = 16;

/// What names the website in a body of the low-level shape.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Project<'a> {
    #[serde(borrow)]
    project_id: Option<std::borrow::Cow<'a, str>>,
}

#[derive(Deserialize)]
pub(super) struct TypesQuery {
    include_meta: Option<String>,
}

pub(super) async fn types(request: HttpRequest, query: web::Query<TypesQuery>) -> HttpResponse {
    let include_meta = matches!(query.include_meta.as_deref(), Some("true" | "1" | ""));
    answer(&request, analytics::types(include_meta))
}

/// Answers a body for a page. Who may not ask is refused before the body is looked at.
pub(in crate::http) async fn answered(
    shared: &Shared,
    caller: &Principal,
    query: &TargetQuery,
    body: Value,
) -> Result<Answers, Fault> {
    let target = target::resolve(shared, caller, query).await?;
    answered_about(shared, &target, query, body).await
}

/// The same about a target that may be read.
pub(in crate::http) async fn answered_about(
    shared: &Shared,
    target: &Target,
    query: &TargetQuery,
    body: Value,
) -> Result<Answers, Fault> {
    let body = segments::apply(shared, target, body).await?;
    run::execute(&shared.events, target, call(shared, query, &body)).await
}

pub(super) async fn execute(
    request: HttpRequest,
    caller: Caller,
    shared: web::Data<Shared>,
    query: web::Query<TargetQuery>,
    body: Bytes,
) -> Result<HttpResponse, Fault> {
    let target = target::resolve(&shared, &caller.principal, &query).await?;
    let (body, account) = read(&shared, &target, &body).await?;
    let call = call(&shared, &query, &body);
    let answer = run::answer(&shared.events, &target, call, account).await?;
    Ok(write_response(&request, answer))
}

/// Sends an answer in pieces; each is gone when it is sent, and what they are charged to with the last one.
fn write_response(request: &HttpRequest, answer: Json) -> HttpResponse {
    let id = request
        .extensions()
        .get::<RequestId>()
        .map(|id| json!(id.as_str()));
    let (mut pieces, account) = answer.finish(id.as_ref().map(|id| ("requestId", id)));
    let mut answer = HttpResponse::Ok();
    answer.content_type(ContentType::json());
    match (pieces.pop(), &pieces[..]) {
        (Some(whole), []) => answer.body(whole),
        (last, _) => {
            pieces.extend(last);
            answer.body(GuardedBody::boxed(
                BoxBody::new(PiecesBody::new(pieces)),
                account,
            ))
        }
    }
}

pub(super) async fn compile(
    request: HttpRequest,
    caller: Caller,
    shared: web::Data<Shared>,
    query: web::Query<TargetQuery>,
    body: Bytes,
) -> Result<HttpResponse, Fault> {
    // The low-level shape, which is an object, names its website in the body.
    let is_object = body.trim_ascii_start().starts_with(b"{");
    let project = serde_json::from_slice::<Project<'_>>(&body);
    let project = project.ok().filter(|_| is_object);
    let project = project.and_then(|named| named.project_id);
    let query = query.into_inner().or_website(project.as_deref());
    let target = target::resolve(&shared, &caller.principal, &query).await?;
    let (body, account) = read(&shared, &target, &body).await?;
    let call = call(&shared, &query, &body);
    let answer = run::explain(&shared.events, &target, call, account).await?;
    Ok(write_response(&request, answer))
}

/// A body with its segments, and the account that it is charged to: a list of fifty bodies takes megabytes.
async fn read(shared: &Shared, target: &Target, body: &[u8]) -> Result<(Value, Account), Fault> {
    let account = run::account(&shared.events, target);
    if !account.reserve(body.len() * PARSED).await {
        return Err(Fault::unavailable(
            "Too many large requests are in progress: ask again in a few seconds",
        ));
    }
    let body = segments::apply(shared, target, parse(body)?).await?;
    Ok((body, account))
}

fn call<'a>(shared: &Shared, query: &'a TargetQuery, body: &'a Value) -> run::Call<'a> {
    run::Call {
        body,
        timezone: query.timezone(),
        now_ms: shared.clock.now_ms(),
    }
}

fn parse(body: &[u8]) -> Result<Value, Fault> {
    serde_json::from_slice(body).map_err(|error| {
        let message = format!("the body is not JSON: {error}");
        Fault::issues(
            message.clone(),
            vec![Issue::new("invalid_json", "", message)],
        )
    })
}

/// Every answer of the family repeats the request id.
pub(super) fn answer(request: &HttpRequest, body: Value) -> HttpResponse {
    HttpResponse::Ok().json(identified(request, body))
}

fn identified(request: &HttpRequest, mut body: Value) -> Value {
    if let Some(id) = request.extensions().get::<RequestId>() {
        body["requestId"] = json!(id.as_str());
    }
    body
}
