//! Evaluation as the published clients ask for it.

use std::collections::BTreeMap;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, HeaderValue, VARY},
    },
    web,
};
use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::request;
use crate::{
    actors::flags::{
        ActiveFlags,
        engine::{Decision, Reason},
    },
    fault::{Fault, Kind},
    http::{Shared, edge::RequestId, procedures::flags::ContextBody, wire::Wire},
};

/// Keys in one request at most.
const MAX_KEYS: usize = 100;
const MAX_KEY: usize = 128;
/// For answers without personal data: everyone may cache them for a while.
const CACHEABLE: HeaderValue =
    HeaderValue::from_static("public, max-age=15, s-maxage=30, stale-while-revalidate=15");
const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-store");
const ORIGIN: HeaderValue = HeaderValue::from_static("Origin");

pub(super) async fn health() -> HttpResponse {
    HttpResponse::Ok().json(json!({ "service": "flags", "status": "ok", "version": "1.0.0" }))
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct EvaluationQuery {
    key: Option<String>,
    keys: Option<String>,
    client_id: Option<String>,
    user_id: Option<String>,
    email: Option<String>,
    organization_id: Option<String>,
    team_id: Option<String>,
    properties: Option<String>,
    environment: Option<String>,
}

impl EvaluationQuery {
    /// Whether no parameter says who asks, not even an empty one.
    const fn is_anonymous(&self) -> bool {
        self.user_id.is_none()
            && self.email.is_none()
            && self.organization_id.is_none()
            && self.team_id.is_none()
            && self.properties.is_none()
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BulkBody {
    #[schemars(with = "String")]
    client_id: Option<String>,
    #[schemars(length(max = 100), inner(length(max = 128)))]
    keys: Option<Vec<String>>,
    user_id: Option<String>,
    email: Option<String>,
    organization_id: Option<String>,
    team_id: Option<String>,
    #[schemars(with = "Option<Map<String, Value>>")]
    properties: Option<Value>,
    environment: Option<String>,
}

#[derive(Serialize)]
struct Decisions<'f> {
    flags: BTreeMap<&'f str, Decision<'f>>,
    count: usize,
}

/// A request for several flags, however it came.
struct BulkRequest {
    client: Option<String>,
    keys: Option<Vec<String>>,
    environment: Option<String>,
    person: ContextBody,
    /// Whether the request says nothing about a person: anyone may cache the answer.
    is_cacheable: bool,
}

pub(super) async fn evaluate(
    request: HttpRequest,
    asked: web::Query<EvaluationQuery>,
    shared: web::Data<Shared>,
) -> HttpResponse {
    let asked = asked.into_inner();
    let missing = |name| {
        let fault = Fault::invalid(format!("`{name}` is required"));
        refused(&request, &fault, single(Reason::MissingRequiredParams))
    };
    let Some(client) = non_empty(asked.client_id.clone()) else {
        return missing("clientId");
    };
    let Some(key) = non_empty(asked.key.clone()) else {
        return missing("key");
    };
    if let Err(fault) = request::admit(&shared, &client, &request).await {
        return refused(&request, &fault, single(Reason::RateLimited));
    }
    let shown = request::find_flags(&shared, &client).unwrap_or_default();
    let environment = non_empty(asked.environment.clone());
    let cache_control = cache_control(&shown, asked.is_anonymous());
    let person = person(asked);
    let body = person.ask((&shared, &shown), &request, |context| {
        let flag = shown.flags.get(key.as_str());
        let flag = flag.filter(|flag| flag.environment.as_deref() == environment.as_deref());
        let decision = match flag {
            Some(flag) => flag.evaluate(&shown.flags, context),
            None => Decision::off(Reason::FlagNotFound),
        };
        serde_json::to_vec(&decision)
    });
    answer(body, cache_control)
}

pub(super) async fn bulk(
    request: HttpRequest,
    asked: web::Query<EvaluationQuery>,
    shared: web::Data<Shared>,
) -> HttpResponse {
    let asked = asked.into_inner();
    let keys = asked.keys.as_deref().map(|keys| {
        let keys = keys.split(',').map(str::trim).filter(|key| !key.is_empty());
        keys.map(str::to_owned).collect()
    });
    let bulk = BulkRequest {
        client: asked.client_id.clone(),
        keys,
        environment: asked.environment.clone(),
        is_cacheable: asked.is_anonymous(),
        person: person(asked),
    };
    decide(&request, &shared, bulk).await
}

pub(super) async fn bulk_of_body(
    request: HttpRequest,
    body: Bytes,
    shared: web::Data<Shared>,
) -> HttpResponse {
    let asked: BulkBody = match serde_json::from_slice(&body) {
        Ok(asked) => asked,
        Err(error) => {
            let fault = Fault::invalid(format!("the body is not what is expected: {error}"));
            return refused(&request, &fault, none(None));
        }
    };
    let properties = match asked.properties {
        Some(Value::Object(properties)) => properties,
        _ => Map::new(),
    };
    let bulk = BulkRequest {
        client: asked.client_id,
        keys: asked.keys,
        environment: asked.environment,
        person: ContextBody {
            user_id: asked.user_id,
            email: asked.email,
            organization_id: asked.organization_id,
            team_id: asked.team_id,
            properties,
        },
        is_cacheable: false,
    };
    decide(&request, &shared, bulk).await
}

async fn decide(request: &HttpRequest, shared: &Shared, bulk: BulkRequest) -> HttpResponse {
    let Some(client) = non_empty(bulk.client) else {
        let fault = Fault::invalid("`clientId` is required");
        let reason = Some(Reason::MissingRequiredParams);
        return refused(request, &fault, none(reason));
    };
    let keys = bulk.keys;
    let wrong = keys.iter().flatten().any(|key| key.len() > MAX_KEY);
    if wrong || keys.as_ref().is_some_and(|keys| keys.len() > MAX_KEYS) {
        let fault = Fault::invalid("at most 100 keys of at most 128 characters each");
        return refused(request, &fault, none(None));
    }
    if let Err(fault) = request::admit(shared, &client, request).await {
        return refused(request, &fault, none(Some(Reason::RateLimited)));
    }
    let shown = request::find_flags(shared, &client).unwrap_or_default();
    let environment = non_empty(bulk.environment);
    let cache_control = cache_control(&shown, bulk.is_cacheable);
    let body = bulk.person.ask((shared, &shown), request, |context| {
        let all = shown.flags.values();
        let all = all.filter(|flag| flag.environment.as_deref() == environment.as_deref());
        let wanted = |key: &str| {
            let keys = keys.as_ref();
            keys.is_none_or(|keys| keys.iter().any(|wanted| wanted == key))
        };
        let flags: BTreeMap<_, _> = all
            .filter(|flag| wanted(&flag.key))
            .map(|flag| (&*flag.key, flag.evaluate(&shown.flags, context)))
            .collect();
        let count = flags.len();
        serde_json::to_vec(&Decisions { flags, count })
    });
    answer(body, cache_control)
}

fn person(asked: EvaluationQuery) -> ContextBody {
    let properties = asked.properties.as_deref();
    // What is no object says nothing.
    let properties = properties.and_then(|text| serde_json::from_str(text).ok());
    ContextBody {
        user_id: asked.user_id,
        email: asked.email,
        organization_id: asked.organization_id,
        team_id: asked.team_id,
        properties: properties.unwrap_or_default(),
    }
}

fn non_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// Who may cache an answer.
fn cache_control(shown: &ActiveFlags, is_cacheable: bool) -> HeaderValue {
    if is_cacheable && !shown.asks_request() {
        CACHEABLE
    } else {
        PRIVATE
    }
}

fn answer(body: serde_json::Result<Vec<u8>>, cache_control: HeaderValue) -> HttpResponse {
    match body {
        Ok(body) => HttpResponse::Ok()
            .content_type("application/json")
            .insert_header((CACHE_CONTROL, cache_control))
            .insert_header((VARY, ORIGIN))
            .body(body),
        Err(_) => HttpResponse::InternalServerError().json(Decision::off(Reason::EvaluationError)),
    }
}

/// What a flag is when it cannot be evaluated.
fn single(reason: Reason) -> Value {
    json!({ "enabled": false, "value": false, "payload": null, "reason": reason })
}

/// What flags are then.
fn none(reason: Option<Reason>) -> Value {
    let mut body = json!({ "flags": {}, "count": 0 });
    if let Some(reason) = reason {
        body["reason"] = json!(reason);
    }
    body
}

/// A refusal, with what clients of flags look for beside it.
fn refused(request: &HttpRequest, fault: &Fault, beside: Value) -> HttpResponse {
    let beside = match (beside, &fault.kind) {
        // Neither too many requests nor too little of one: it cannot be evaluated.
        (Value::Object(mut beside), Kind::Unavailable { .. } | Kind::Internal) => {
            beside.insert("reason".to_owned(), json!(Reason::EvaluationError));
            beside
        }
        (Value::Object(beside), _) => beside,
        _ => Map::new(),
    };
    let id = RequestId::from_request(request);
    let mut response = Wire::Rest.write_beside(fault, &id, beside);
    if response.status() != StatusCode::OK {
        response.headers_mut().insert(CACHE_CONTROL, PRIVATE);
    }
    response
}
