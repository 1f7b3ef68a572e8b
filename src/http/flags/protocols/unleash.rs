//! Unleash: its client API (features, for servers), and its frontend API (decisions, for browsers).

use actix_web::{
    HttpRequest, HttpResponse,
    http::{Method, header::AUTHORIZATION},
    web::{Bytes, Data},
};
use serde_json::{Value, json};

use super::{any_object, open, refuse, sentence};
use crate::{
    actors::flags::protocols::{Person, unleash},
    events::accept::protocols::Protocol,
    fault::Fault,
    http::{Host, Shared, flags::etag, procedures::flags::ContextBody, routes::Route},
};

const FEATURES: &str = "/api/client/features";
const FRONTEND: &str = "/api/frontend";
/// Tokens of servers read rules.
const SERVERS: &[Protocol] = &[Protocol::Unleash];
/// Tokens of browsers read decisions only.
const ANYONE: &[Protocol] = &[Protocol::UnleashFrontend, Protocol::Unleash];

pub(super) fn routes(host: Host) -> Vec<Route> {
    if host != Host::Base {
        return Vec::new();
    }
    let mut routes = client_routes();
    routes.extend(frontend_routes());
    routes
}

fn client_routes() -> Vec<Route> {
    let post = |path, service: fn(actix_web::Route) -> actix_web::Route| {
        Route::new(Method::POST, Host::Base, path, service)
            .body(any_object("As Unleash's clients send it"))
            .empty()
            .accepted()
    };
    vec![
        Route::new(Method::GET, Host::Base, FEATURES, |route| route.to(features))
            .says(
                "Features as Unleash's clients read them",
                "Open for the header `Authorization` with an ID of protocol `unleash`. `leftOut` names flags that can't be evaluated \
                 by Unleash's clients exactly as here, with the reasons.",
            )
            .answers(any_object("Features in Unleash's format, version 2"))
            .or(304),
        post("/api/client/register", |route| route.to(report_of_client))
            .says("Register a client of Unleash", "Is answered, and nothing is kept."),
        post("/api/client/metrics", |route| route.to(report_of_client))
            .says("Metrics of a client of Unleash", "Are answered, and nothing is kept."),
    ]
}

fn frontend_routes() -> Vec<Route> {
    let toggles = |route: Route| {
        route
            .answers(any_object("Flags that are on, in Unleash's format"))
            .or(304)
    };
    let report = |path, what| {
        Route::new(Method::POST, Host::Base, path, |route| {
            route.to(report_of_frontend)
        })
        .says(what, "Is answered, and nothing is kept.")
        .body(any_object("As Unleash's clients send it"))
        .empty()
        .accepted()
    };
    let properties = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let get = Route::new(Method::GET, Host::Base, FRONTEND, |route| route.to(frontend))
        .also("/api/frontend/")
        .says(
            "Flags as Unleash's frontend clients ask for them",
            "Open for the header `Authorization` with an ID of protocol `unleash-frontend` or `unleash`. The server decides.",
        )
        .takes_as("context", "The context, each field by its name, and properties as `properties[name]`", properties);
    let post = Route::new(Method::POST, Host::Base, FRONTEND, |route| {
        route.to(frontend_of_body)
    })
    .also("/api/frontend/")
    .says(
        "Flags as Unleash's frontend clients ask for them",
        "The same, asked by a JSON body.",
    )
    .body(json!({
        "type": "object",
        "properties": { "context": any_object("Fields of Unleash's context, and `properties`") },
    }));
    vec![
        toggles(get),
        toggles(post),
        report(
            "/api/frontend/client/register",
            "Register a frontend client of Unleash",
        ),
        report(
            "/api/frontend/client/metrics",
            "Metrics of a frontend client of Unleash",
        ),
    ]
}

fn token(request: &HttpRequest) -> Option<&str> {
    request.headers().get(AUTHORIZATION)?.to_str().ok()
}

fn failure(request: &HttpRequest, fault: &Fault) -> HttpResponse {
    let message = sentence(fault);
    refuse(
        request,
        fault,
        json!({ "message": message, "details": [{ "message": message }] }),
    )
}

async fn features(request: HttpRequest, shared: Data<Shared>) -> HttpResponse {
    let token = token(&request);
    let shown = match open(&shared, &request, SERVERS, token).await {
        Ok(shown) => shown,
        Err(fault) => return failure(&request, &fault),
    };
    let environment = token.and_then(unleash::environment);
    let of = blake3::hash(environment.unwrap_or_default().as_bytes()).to_hex();
    let revision = etag::revision(&shown, shared.clock.now_ms());
    let tag = format!("\"{revision}-{}\"", of.get(..8).unwrap_or_default());
    etag::unchanged(&request, &tag)
        .unwrap_or_else(|| etag::answer(&tag, unleash::features(&shown.flags, environment)))
}

async fn frontend(request: HttpRequest, shared: Data<Shared>) -> HttpResponse {
    let person = unleash::context_of_query(request.query_string());
    decide(&request, &shared, Ok(person)).await
}

async fn frontend_of_body(request: HttpRequest, shared: Data<Shared>, body: Bytes) -> HttpResponse {
    decide(&request, &shared, unleash::context_of_body(&body)).await
}

async fn decide(
    request: &HttpRequest,
    shared: &Shared,
    person: Result<Person, Fault>,
) -> HttpResponse {
    let token = token(request);
    let opened = open(shared, request, ANYONE, token).await;
    let (shown, person) = match opened.and_then(|shown| Ok((shown, person?))) {
        Ok(opened) => opened,
        Err(fault) => return failure(request, &fault),
    };
    let environment = token.and_then(unleash::environment);
    let mut asked = person.to_map();
    asked.insert("tokenEnvironment".to_owned(), json!(environment));
    let tag = etag::tag(shared, request, &shown, &asked);
    if let Some(unchanged) = etag::unchanged(request, &tag) {
        return unchanged;
    }
    let toggles: Vec<Value> = ContextBody::from(person).ask((shared, &shown), request, |context| {
        let flags = shown
            .flags
            .values()
            .filter(|flag| unleash::opens(flag, environment));
        flags
            .filter_map(|flag| unleash::toggle(&flag.key, &flag.evaluate(&shown.flags, context)))
            .collect()
    });
    etag::answer(&tag, json!({ "toggles": toggles }))
}

async fn report_of_client(request: HttpRequest, shared: Data<Shared>, body: Bytes) -> HttpResponse {
    take_report(&request, &shared, SERVERS, &body).await
}

async fn report_of_frontend(
    request: HttpRequest,
    shared: Data<Shared>,
    body: Bytes,
) -> HttpResponse {
    take_report(&request, &shared, ANYONE, &body).await
}

async fn take_report(
    request: &HttpRequest,
    shared: &Shared,
    opened_by: &[Protocol],
    body: &[u8],
) -> HttpResponse {
    let opened = open(shared, request, opened_by, token(request)).await;
    match opened.and_then(|_| unleash::report(body)) {
        Ok(()) => HttpResponse::Accepted().finish(),
        Err(fault) => failure(request, &fault),
    }
}
