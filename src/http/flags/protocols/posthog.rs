//! PostHog: `/flags` and, for older clients, `/decide`. Clients have one address for events and flags, so both hosts answer.

use actix_web::{
    HttpRequest, HttpResponse,
    http::Method,
    web::{Bytes, Data},
};
use serde_json::{Value, json};

use super::{answer, any_object, open, refuse, sentence};
use crate::{
    actors::flags::protocols::posthog::{Format, Request, read},
    events::accept::protocols::Protocol,
    fault::{Fault, Kind},
    http::{Host, Shared, edge::RequestId, procedures::flags::ContextBody, routes::Route, track},
};

/// The paths of a route, the documented one first; hosts differ in it, so that the document has both.
const FLAGS: [&str; 2] = ["/flags/", "/flags"];
const DECIDE: [&str; 2] = ["/decide/", "/decide"];
/// Bytes of a body, unpacked.
const MAX_BODY: usize = 1024 * 1024;
/// The first bytes of gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

pub(super) fn routes(host: Host) -> Vec<Route> {
    let post = |[path, other]: [&'static str; 2],
                service: fn(actix_web::Route) -> actix_web::Route| {
        let body = json!({
            "type": "object", "additionalProperties": {},
            "properties": {
                "token": { "description": "An ID of protocol `posthog`; also `api_key`" },
                "distinct_id": { "description": "The user's ID" }, "person_properties": {}, "groups": {},
                "flag_keys_to_evaluate": { "description": "Only these flags" },
            },
        });
        let [path, other] = if host == Host::Track {
            [other, path]
        } else {
            [path, other]
        };
        let parameters = json!({ "type": "object", "additionalProperties": { "type": "string" } });
        Route::new(Method::POST, host, path, service)
            .also(other)
            .takes_as(
                "parameters",
                "`v`, the version of the answer's format, and what clients send beside it",
                parameters,
            )
            .body(body)
            .or_form(any_object("`data` with the body as JSON or Base64"))
            .answers(any_object("Flags in PostHog's format"))
    };
    vec![
        post(FLAGS, |route| route.to(flags)).says(
            "Flags as PostHog's clients ask for them",
            "Also on the ingestion host. Open for a key of protocol `posthog`. The server decides.",
        ),
        post(DECIDE, |route| route.to(decide)).says(
            "Flags as older clients of PostHog ask for them",
            "Also on the ingestion host. The same as `/flags/`, in the older formats.",
        ),
    ]
}

async fn flags(request: HttpRequest, shared: Data<Shared>, body: Bytes) -> HttpResponse {
    respond(&request, &shared, &body, Format::of_flags).await
}

async fn decide(request: HttpRequest, shared: Data<Shared>, body: Bytes) -> HttpResponse {
    respond(&request, &shared, &body, Format::of_decide).await
}

async fn respond(
    request: &HttpRequest,
    shared: &Shared,
    body: &[u8],
    format: fn(u32) -> Format,
) -> HttpResponse {
    match evaluate(request, shared, body, format).await {
        Ok(answered) => answered,
        Err(fault) => {
            let kind = match fault.kind {
                Kind::Unauthenticated => "authentication_error",
                Kind::RateLimited(_) => "throttled_error",
                Kind::Unavailable { .. } | Kind::Internal => "server_error",
                _ => "validation_error",
            };
            let detail = sentence(&fault);
            refuse(
                request,
                &fault,
                json!({ "type": kind, "detail": detail, "attr": null }),
            )
        }
    }
}

async fn evaluate(
    request: &HttpRequest,
    shared: &Shared,
    body: &[u8],
    format: fn(u32) -> Format,
) -> Result<HttpResponse, Fault> {
    let mut asked = unpack(body)?;
    let shown = open(
        shared,
        request,
        &[Protocol::PostHog],
        asked.token.as_deref(),
    )
    .await?;
    let pairs = || url::form_urlencoded::parse(request.query_string().as_bytes());
    let parameter = |name: &str| pairs().find(|(key, _)| key == name).map(|(_, value)| value);
    let version = parameter("v")
        .and_then(|version| version.parse().ok())
        .unwrap_or(1);
    let person = ContextBody::from(std::mem::take(&mut asked.person));
    let mut body = person.ask((shared, &shown), request, |context| {
        let here = shown
            .flags
            .values()
            .filter(|flag| flag.environment.is_none());
        let wanted = here.filter(|flag| asked.wants(&flag.key));
        format(version)
            .answer(wanted.map(|flag| (&*flag.key, flag.evaluate(&shown.flags, context))))
    });
    body.insert(
        "requestId".to_owned(),
        json!(RequestId::from_request(request).as_str()),
    );
    body.insert("evaluatedAt".to_owned(), json!(shared.clock.now_ms()));
    if request.path().starts_with(DECIDE[1]) || parameter("config").is_some() {
        body.extend(config());
    }
    Ok(answer(&body))
}

/// What the client for browsers looks for beside flags: that there is nothing else.
fn config() -> impl Iterator<Item = (String, Value)> {
    let fields = [
        ("supportedCompression", json!(["gzip", "gzip-js"])),
        ("config", json!({})),
        ("isAuthenticated", json!(false)),
        ("toolbarParams", json!({})),
        ("sessionRecording", json!(false)),
        ("surveys", json!(false)),
        ("heatmaps", json!(false)),
        ("siteApps", json!([])),
    ];
    fields
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
}

/// Reads a body that may be in a form, and packed without saying so.
fn unpack(body: &[u8]) -> Result<Request, Fault> {
    let packed = |body: &[u8]| {
        body.starts_with(&GZIP)
            .then(|| track::unpack(body, MAX_BODY))
            .transpose()
    };
    let plain = packed(body)?;
    let plain = plain.as_deref().unwrap_or(body);
    let inner = (Protocol::PostHog.adapter().unwrap)(plain)?;
    let inner = inner.as_deref().unwrap_or(plain);
    match packed(inner)? {
        Some(unpacked) => read(&unpacked),
        None => read(inner),
    }
}
