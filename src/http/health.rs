//! Alive and ready (contract, "Ready and healthy").

use actix_web::{
    HttpResponse,
    http::{Method, StatusCode, header::RETRY_AFTER},
    web,
};
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{
    Host, Shared,
    routes::{Route, Told},
};

pub(super) fn routes(host: Host) -> Vec<Route> {
    let health = Route::new(Method::GET, host, "/health", |route| route.to(health))
        .says("Alive", "Answers as soon as requests are taken.")
        .answers(json!({
            "type": "object", "required": ["status"], "properties": { "status": { "const": "ok" } },
        }));
    let ready = Route::new(Method::GET, host, "/health/ready", |route| route.to(ready))
        .says("Ready", "200 when every store answers and every part runs; 503 with the names of what does not. Tells troubles either way.")
        .tells(Told::As("Readiness"))
        .answers(json!({ "$ref": "#/components/schemas/Readiness" }));
    vec![health, ready]
}

/// What `/health/ready` answers, whether all is well or not.
pub(super) fn readiness() -> Value {
    let names = |description: &str| json!({ "type": "array", "items": { "type": "string" }, "description": description });
    json!({
        "type": "object", "required": ["status"],
        "properties": {
            "status": { "enum": ["ok", "unavailable"] },
            "failing": names("What does not answer or run."),
            "troubles": names("What people should look at although requests are answered, such as damaged event files."),
        },
    })
}

async fn health() -> HttpResponse {
    HttpResponse::Ok().json(json!({ "status": "ok" }))
}

async fn ready(shared: web::Data<Shared>) -> HttpResponse {
    let asked = shared
        .checks
        .iter()
        .map(|(name, check)| async move { (!check().await).then_some(*name) });
    let failing: Vec<&str> = join_all(asked).await.into_iter().flatten().collect();
    let (code, status) = if failing.is_empty() {
        (StatusCode::OK, "ok")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "unavailable")
    };
    let mut body = json!({ "status": status });
    if !failing.is_empty() {
        body["failing"] = json!(failing);
    }
    let troubles = shared.events.troubles();
    if !troubles.is_empty() {
        body["troubles"] = json!(troubles);
    }
    let mut answer = HttpResponse::build(code);
    if !failing.is_empty() {
        answer.insert_header((RETRY_AFTER, 5));
    }
    answer.json(body)
}
