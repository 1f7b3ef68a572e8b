//! Alive and ready (contract, "Ready and healthy").

use actix_web::{HttpResponse, http::Method, http::header::RETRY_AFTER, web};
use futures_util::future::join_all;
use serde_json::json;

use super::{Host, Shared, routes::Route};

pub(super) fn routes(host: Host) -> Vec<Route> {
    let status = |values: serde_json::Value| {
        json!({
            "type": "object", "required": ["status"], "properties": { "status": values },
        })
    };
    let health = Route::new(Method::GET, host, "/health", |route| route.to(health))
        .says("Alive", "Answers as soon as requests are taken.")
        .answers(status(json!({ "const": "ok" })));
    let ready = Route::new(Method::GET, host, "/health/ready", |route| route.to(ready))
        .says("Ready", "200 when every store answers and every part runs; 503 with the names of what does not.")
        .answers(status(json!({ "enum": ["ok", "unavailable"] })));
    vec![health, ready]
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
    if failing.is_empty() {
        return HttpResponse::Ok().json(json!({ "status": "ok" }));
    }
    HttpResponse::ServiceUnavailable()
        .insert_header((RETRY_AFTER, 5))
        .json(json!({ "status": "unavailable", "failing": failing }))
}
