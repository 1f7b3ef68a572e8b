//! Running and compiling queries.

use actix_web::{HttpRequest, HttpResponse, http::header::ContentType, web};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    segments,
    target::{self, TargetQuery},
};
use crate::{
    access::Principal,
    analytics::{self, run},
    fault::{Fault, Issue},
    http::{Shared, auth::Caller, edge::RequestId},
};

/// Rows that are written where they come.
const FEW: usize = 1_000;

#[derive(Deserialize)]
pub(super) struct TypesQuery {
    include_meta: Option<String>,
}

pub(super) async fn types(request: HttpRequest, query: web::Query<TypesQuery>) -> HttpResponse {
    let include_meta = matches!(query.include_meta.as_deref(), Some("true" | "1" | ""));
    answer(&request, analytics::types(include_meta))
}

/// Answers a body. Who may not ask is refused before the body is looked at.
pub(in crate::http) async fn answered(
    shared: &Shared,
    caller: &Principal,
    query: &TargetQuery,
    body: impl FnOnce() -> Result<Value, Fault>,
) -> Result<Value, Fault> {
    let target = target::resolve(shared, caller, query).await?;
    let body = segments::applied(shared, &target, body()?).await?;
    let call = run::Call {
        body: &body,
        timezone: query.timezone(),
        now_ms: shared.clock.now_ms(),
    };
    run::execute(&shared.events, &target, call).await
}

pub(super) async fn execute(
    request: HttpRequest,
    caller: Caller,
    shared: web::Data<Shared>,
    query: web::Query<TargetQuery>,
    body: Bytes,
) -> Result<HttpResponse, Fault> {
    let body = answered(&shared, &caller.principal, &query, || parse(&body)).await?;
    if rows(&body) <= FEW {
        return Ok(answer(&request, body));
    }
    // Writing so much would keep everybody else on this thread waiting.
    let body = identified(&request, body);
    let written = web::block(move || serde_json::to_vec(&body)).await;
    let written = written.ok().and_then(Result::ok);
    let written = written.ok_or_else(|| Fault::unavailable("The answer could not be written"))?;
    Ok(HttpResponse::Ok()
        .content_type(ContentType::json())
        .body(written))
}

/// Rows of an answer or of all answers of a batch.
fn rows(body: &Value) -> usize {
    let of = |answer: &Value| {
        let outcomes = answer["data"].as_array().into_iter().flatten();
        let rows = outcomes.filter_map(|outcome| outcome["data"].as_array());
        rows.map(Vec::len).sum::<usize>()
    };
    let members = body["results"].as_array().into_iter().flatten();
    of(body) + members.map(of).sum::<usize>()
}

pub(super) async fn compile(
    request: HttpRequest,
    caller: Caller,
    shared: web::Data<Shared>,
    query: web::Query<TargetQuery>,
    body: Bytes,
) -> Result<HttpResponse, Fault> {
    let body = parse(&body);
    // The low-level shape names its website in the body (wire.md 4.4).
    let project = body
        .as_ref()
        .ok()
        .and_then(|body| body.get("projectId")?.as_str());
    let query = query.into_inner().or_website(project);
    let target = target::resolve(&shared, &caller.principal, &query).await?;
    let body = segments::applied(&shared, &target, body?).await?;
    let call = run::Call {
        body: &body,
        timezone: query.timezone(),
        now_ms: shared.clock.now_ms(),
    };
    Ok(answer(
        &request,
        run::compile(&shared.events, &target, call).await?,
    ))
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
    use actix_web::HttpMessage as _;
    if let Some(id) = request.extensions().get::<RequestId>() {
        body["requestId"] = json!(id.as_str());
    }
    body
}
