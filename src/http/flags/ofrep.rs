//! The Open Feature Remote Evaluation Protocol 0.3.0, by public id or by key.
//!
//! Clients differ in what they take: errors of single evaluation never come with 200, carry `key`, `errorCode` and
//! `errorDetails`, and every success has a `variant`.

use std::{borrow::Cow, sync::Arc};

use actix_web::{
    HttpRequest, HttpResponse,
    http::{Method, StatusCode},
    web,
};
use bytes::Bytes;
use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::{Map, Value, json};

use super::{etag, public, refer, request, stream};
use crate::{
    access::Principal,
    actors::flags::{
        ActiveFlags,
        engine::{Compiled, Context, Reason},
    },
    fault::Fault,
    http::{
        Shared,
        auth::Caller,
        edge::RequestId,
        procedures::flags::ContextBody,
        routes::{Access, ErrorFormat, Route},
        wire::Wire,
    },
};

/// Seconds without anything to say after which clients may look whether we are still there.
const INACTIVITY: u32 = 120;

pub(super) fn routes() -> Vec<Route> {
    let mut routes = by_client();
    routes.extend(by_key());
    routes
}

/// The body of an evaluation.
fn body_schema() -> Value {
    json!({
        "type": "object",
        "required": ["context"],
        "properties": { "context": {
            "type": "object", "additionalProperties": {}, "description": "Any other member is a property of the person.",
            "properties": {
                "targetingKey": { "description": "The caller's id of the person." },
                "email": { "description": "The person's address." },
                "organizationId": { "description": "The person's organization." },
                "teamId": { "description": "The person's team." },
            },
        } },
    })
}

fn by_client() -> Vec<Route> {
    vec![
        public(
            Method::POST,
            "/public/v1/flags/{client}/ofrep/v1/evaluate/flags/{key}",
            |route| route.to(single_by_client),
        )
        .says(
            "Evaluate a flag by OFREP",
            "For a website or an organization by its public id.",
        )
        .body(body_schema())
        .answers(refer("OfrepFlag"))
        .error_format(ErrorFormat::As("OfrepError")),
        public(
            Method::POST,
            "/public/v1/flags/{client}/ofrep/v1/evaluate/flags",
            |route| route.to(bulk_by_client),
        )
        .says(
            "Evaluate flags by OFREP",
            "All active ones. Answers `304` when nothing has changed.",
        )
        .body(body_schema())
        .answers(refer("OfrepFlags"))
        .or(304)
        .error_format(ErrorFormat::As("OfrepError")),
        public(
            Method::GET,
            "/public/v1/flags/{client}/ofrep/v1/stream",
            |route| route.to(stream::stream),
        )
        .says(
            "Stream flag changes",
            "An event for every change: ask again.",
        )
        .media("text/event-stream"),
    ]
}

fn by_key() -> Vec<Route> {
    let keyed = Access::AnyKey;
    vec![
        public(Method::POST, "/ofrep/v1/evaluate/flags/{key}", |route| {
            route.to(single_by_key)
        })
        .says(
            "Evaluate a flag by OFREP",
            "Of the key's website, or of its organization.",
        )
        .needs(keyed)
        .body(body_schema())
        .answers(refer("OfrepFlag"))
        .error_format(ErrorFormat::As("OfrepError")),
        public(Method::POST, "/ofrep/v1/evaluate/flags", |route| {
            route.to(bulk_by_key)
        })
        .says(
            "Evaluate flags by OFREP",
            "Of the key's website, or of its organization.",
        )
        .needs(keyed)
        .body(body_schema())
        .answers(refer("OfrepFlags"))
        .or(304)
        .error_format(ErrorFormat::As("OfrepError")),
    ]
}

async fn single_by_client(
    request: HttpRequest,
    path: web::Path<(String, String)>,
    body: Bytes,
    shared: web::Data<Shared>,
) -> HttpResponse {
    let (client, key) = path.into_inner();
    single(&request, &shared, &client, &key, &body).await
}

async fn bulk_by_client(
    request: HttpRequest,
    client: web::Path<String>,
    body: Bytes,
    shared: web::Data<Shared>,
) -> HttpResponse {
    bulk(&request, &shared, &client, &body).await
}

async fn single_by_key(
    request: HttpRequest,
    caller: Caller,
    key: web::Path<String>,
    body: Bytes,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    let client = find_client(&caller.principal)?;
    Ok(single(&request, &shared, &client, &key, &body).await)
}

async fn bulk_by_key(
    request: HttpRequest,
    caller: Caller,
    body: Bytes,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    let client = find_client(&caller.principal)?;
    Ok(bulk(&request, &shared, &client, &body).await)
}

/// Whose flags a key asks for: its website's, or its organization's.
fn find_client(caller: &Principal) -> Result<String, Fault> {
    let Principal::Key(key) = caller else {
        return Err(Fault::unauthenticated());
    };
    let organization = key.organization.as_ref();
    let organization = organization.ok_or_else(crate::access::authorize::no_organization)?;
    match key.only_website() {
        Some(website) => Ok(website.to_string()),
        None if key.global.is_empty() => Err(Fault::invalid(
            "This key is for several websites: name one by /public/v1/flags/<id>/ofrep",
        )),
        None => Ok(organization.to_string()),
    }
}

/// A failure in the protocol's words.
struct Failure {
    status: StatusCode,
    code: &'static str,
    details: String,
}

impl Failure {
    fn new(status: StatusCode, code: &'static str, details: impl Into<String>) -> Self {
        Self {
            status,
            code,
            details: details.into(),
        }
    }

    fn answer(self, key: Option<&str>) -> HttpResponse {
        let mut body = json!({ "errorCode": self.code, "errorDetails": self.details });
        if let Some(key) = key {
            body["key"] = json!(key);
        }
        HttpResponse::build(self.status)
            .insert_header(etag::REVALIDATE)
            .json(body)
    }
}

/// The context of a body.
fn context(body: &[u8]) -> Result<Map<String, Value>, Failure> {
    let wrong = |code, details: String| Failure::new(StatusCode::BAD_REQUEST, code, details);
    let mut body: Value = serde_json::from_slice(body)
        .map_err(|error| wrong("PARSE_ERROR", format!("the body is not JSON: {error}")))?;
    match body.get_mut("context").map(Value::take) {
        Some(Value::Object(context)) => Ok(context),
        _ => Err(wrong(
            "INVALID_CONTEXT",
            "`context` must be an object".to_owned(),
        )),
    }
}

/// Who asks, by the names of the protocol.
fn person(mut context: Map<String, Value>) -> ContextBody {
    let mut text = |name: &str| match context.get(name) {
        Some(Value::String(text)) if !text.is_empty() => {
            let text = text.clone();
            context.shift_remove(name);
            Some(text)
        }
        _ => None,
    };
    let user_id = text("targetingKey");
    let [email, organization_id, team_id] = ["email", "organizationId", "teamId"].map(text);
    ContextBody {
        user_id,
        email,
        organization_id,
        team_id,
        properties: context,
    }
}

async fn admit(
    request: &HttpRequest,
    shared: &Shared,
    client: &str,
) -> Result<Arc<ActiveFlags>, HttpResponse> {
    if let Err(fault) = request::admit(shared, client, request).await {
        let mut beside = Map::new();
        beside.insert("errorCode".to_owned(), json!("GENERAL"));
        beside.insert("errorDetails".to_owned(), json!(fault.message));
        let id = RequestId::from_request(request);
        return Err(Wire::Rest.write_beside(&fault, &id, beside));
    }
    Ok(request::find_flags(shared, client).unwrap_or_default())
}

async fn single(
    request: &HttpRequest,
    shared: &Shared,
    client: &str,
    key: &str,
    body: &[u8],
) -> HttpResponse {
    let shown = match admit(request, shared, client).await {
        Ok(shown) => shown,
        Err(refusal) => return refusal,
    };
    let context = match context(body) {
        Ok(context) => context,
        Err(failure) => return failure.answer(Some(key)),
    };
    let flag = shown
        .flags
        .get(key)
        .filter(|flag| flag.environment.is_none());
    let Some(flag) = flag else {
        let details = format!("there is no active flag `{key}`");
        return Failure::new(StatusCode::NOT_FOUND, "FLAG_NOT_FOUND", details).answer(Some(key));
    };
    person(context).ask((shared, &shown), request, |context| {
        match Item::evaluate(flag, &shown, context) {
            Item::Decided(item) => HttpResponse::Ok()
                .insert_header(etag::REVALIDATE)
                .json(item),
            Item::Failed { code, details, .. } => {
                Failure::new(StatusCode::BAD_REQUEST, code, details).answer(Some(key))
            }
        }
    })
}

async fn bulk(request: &HttpRequest, shared: &Shared, client: &str, body: &[u8]) -> HttpResponse {
    let shown = match admit(request, shared, client).await {
        Ok(shown) => shown,
        Err(refusal) => return refusal,
    };
    let context = match context(body) {
        Ok(context) => context,
        Err(failure) => return failure.answer(None),
    };
    let tag = etag::tag(shared, request, &shown, &context);
    if let Some(unchanged) = etag::unchanged(request, &tag) {
        return unchanged;
    }
    person(context).ask((shared, &shown), request, |context| {
        let here = shown.flags.values();
        let here = here.filter(|flag| flag.environment.is_none());
        let all = All {
            flags: here
                .map(|flag| Item::evaluate(flag, &shown, context))
                .collect(),
            event_streams: [EventStream {
                kind: "sse",
                endpoint: Endpoint {
                    request_uri: format!("/public/v1/flags/{client}/ofrep/v1/stream"),
                },
                inactivity_delay_sec: INACTIVITY,
            }],
        };
        etag::answer(&tag, all)
    })
}

/// All flags, and the stream of their changes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct All<'a> {
    flags: Vec<Item<'a>>,
    event_streams: [EventStream; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventStream {
    #[serde(rename = "type")]
    kind: &'static str,
    endpoint: Endpoint,
    inactivity_delay_sec: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Endpoint {
    request_uri: String,
}

/// What a flag is, in the protocol's words.
#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    Decided(Decided<'a>),
    #[serde(rename_all = "camelCase")]
    Failed {
        key: &'a str,
        #[serde(rename = "errorCode")]
        code: &'static str,
        #[serde(rename = "errorDetails")]
        details: String,
    },
}

#[derive(Serialize)]
struct Decided<'a> {
    key: &'a str,
    value: Cow<'a, Value>,
    reason: &'static str,
    variant: Cow<'a, str>,
    metadata: Metadata<'a>,
}

impl<'a> Item<'a> {
    fn evaluate(flag: &'a Compiled, shown: &'a ActiveFlags, context: &Context<'_>) -> Self {
        let decision = flag.evaluate(&shown.flags, context);
        if context.used_anonymous() {
            return Self::Failed {
                key: &flag.key,
                code: "TARGETING_KEY_MISSING",
                details: format!(
                    "`{}` is decided by `targetingKey`, and there is none",
                    flag.key
                ),
            };
        }
        let on_or_off = if decision.enabled { "on" } else { "off" };
        Self::Decided(Decided {
            key: &flag.key,
            value: decision.value,
            reason: reason_name(decision.reason),
            variant: decision.variant.unwrap_or(Cow::Borrowed(on_or_off)),
            metadata: Metadata {
                reason: decision.reason,
                payload: decision.payload,
            },
        })
    }
}

fn reason_name(reason: Reason) -> &'static str {
    match reason {
        Reason::UserRuleMatch | Reason::TargetGroupMatch => "TARGETING_MATCH",
        Reason::MultivariantEvaluated | Reason::RolloutEnabled | Reason::RolloutDisabled => "SPLIT",
        Reason::BooleanDefault => "STATIC",
        Reason::DependencyNotSatisfied => "DISABLED",
        _ => "UNKNOWN",
    }
}

/// Our own reason and the payload of a decision. Metadata is flat: what is not stays out.
struct Metadata<'a> {
    reason: Reason,
    payload: Option<Cow<'a, Map<String, Value>>>,
}

impl Serialize for Metadata<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("reason", &self.reason)?;
        for (name, value) in self.payload.iter().flat_map(|payload| payload.iter()) {
            if value.is_boolean() || value.is_number() || value.is_string() {
                map.serialize_entry(&format_args!("payload.{name}"), value)?;
            }
        }
        map.end()
    }
}
