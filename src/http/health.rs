//! Alive and ready.

use std::time::{Duration, Instant};

use actix_web::{
    HttpResponse,
    http::{Method, StatusCode, header::RETRY_AFTER},
    web,
};
use futures_util::future::join_all;
use serde_json::{Map, Value, json};

use super::{
    Host, Shared,
    routes::{ErrorFormat, Route},
};

pub(super) fn routes(host: Host) -> Vec<Route> {
    let health = Route::new(Method::GET, host, "/health", |route| route.to(health))
        .says("Liveness", "Answers as soon as requests are taken.")
        .answers(json!({
            "type": "object", "required": ["status"], "properties": { "status": { "const": "ok" } },
        }));
    let ready = Route::new(Method::GET, host, "/health/ready", |route| route.to(ready))
        .says("Readiness", "200 when every store answers and every part runs; 503 with the names of what does not. Both list problems.")
        .error_format(ErrorFormat::As("Readiness"))
        .answers(json!({ "$ref": "#/components/schemas/Readiness" }));
    let mut routes = vec![health, ready];
    if host == Host::Track {
        routes.push(
            Route::new(Method::GET, host, "/health/status", |route| route.to(services))
                .says("Services", "How every store and part answers, and after how long; 503 when one of them does not.")
                .error_format(ErrorFormat::As("ServicesStatus"))
                .answers(json!({ "$ref": "#/components/schemas/ServicesStatus" })),
        );
    }
    routes
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

/// What `/health/status` answers, whether all is well or not.
pub(super) fn services_status() -> Value {
    json!({
        "type": "object", "required": ["status", "services"],
        "properties": {
            "status": { "enum": ["ok", "degraded"] },
            "services": { "type": "object", "additionalProperties": {
                "type": "object", "required": ["status", "latency_ms"],
                "properties": {
                    "status": { "enum": ["ok", "error"] },
                    "latency_ms": { "type": "integer" },
                    "code": { "const": "UNAVAILABLE" },
                },
            } },
        },
    })
}

async fn health() -> HttpResponse {
    HttpResponse::Ok().json(json!({ "status": "ok" }))
}

/// How a store or a part answered.
struct Checked {
    name: &'static str,
    is_ok: bool,
    took: Duration,
}

async fn check_all(shared: &Shared) -> Vec<Checked> {
    let asked = shared.checks.iter().map(|(name, check)| async move {
        let begun = Instant::now();
        Checked {
            name,
            is_ok: check().await,
            took: begun.elapsed(),
        }
    });
    join_all(asked).await
}

async fn services(shared: web::Data<Shared>) -> HttpResponse {
    let checked = check_all(&shared).await;
    let is_ok = checked.iter().all(|one| one.is_ok);
    let services: Map<String, Value> = checked
        .iter()
        .map(|one| {
            let latency = one.took.as_millis() as u64;
            let service = if one.is_ok {
                json!({ "status": "ok", "latency_ms": latency })
            } else {
                json!({ "status": "error", "latency_ms": latency, "code": "UNAVAILABLE" })
            };
            (one.name.replace(' ', "_"), service)
        })
        .collect();
    let (code, status) = if is_ok {
        (StatusCode::OK, "ok")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "degraded")
    };
    HttpResponse::build(code).json(json!({ "status": status, "services": services }))
}

async fn ready(shared: web::Data<Shared>) -> HttpResponse {
    let checked = check_all(&shared).await;
    let failing = checked.iter().filter(|one| !one.is_ok);
    let failing: Vec<&str> = failing.map(|one| one.name).collect();
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
