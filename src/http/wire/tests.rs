use std::time::Duration;

use actix_web::{
    App, HttpResponse,
    body::{BoxBody, to_bytes},
    middleware::{Next, from_fn},
    test, web,
};
use serde_json::{Map, Value, json};

use super::*;
use crate::fault::Issue;

const FAILURE_HOOKS: FailureHooks = FailureHooks {
    page: |_, _, _| HttpResponse::InternalServerError().finish(),
    beside: |_| Map::new(),
    count: |_, _| {},
};

async fn spelled(wire: Wire, fault: Fault, enveloped: bool) -> (u16, Value, header::HeaderMap) {
    let response = wire.write(&fault, &RequestId::from_static("r-1"), enveloped);
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let body = to_bytes(response.into_body()).await.unwrap();
    (status, serde_json::from_slice(&body).unwrap(), headers)
}

fn limited() -> Fault {
    let window = Window {
        limit: 120,
        remaining: 0,
        reset_ms: 61_000,
        retry_after: 59,
    };
    Fault::new(Kind::RateLimited(window), "Rate limit exceeded")
}

fn wrong_name() -> Fault {
    let issue = Issue::new("unknown", "parameters.0", "Unknown query type: top_pagse")
        .suggest(Some("Did you mean 'top_pages'?"));
    Fault::issues("Unknown query type: top_pagse", vec![issue])
}

#[actix_web::test]
async fn a_full_window_has_the_same_headers_in_every_style() {
    for wire in [Wire::Rpc, Wire::Rest, Wire::Track] {
        let (status, body, headers) = spelled(wire, limited(), false).await;
        assert_eq!(status, 429);
        for (name, value) in [
            ("retry-after", "59"),
            ("x-ratelimit-limit", "120"),
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "61000"),
        ] {
            assert_eq!(headers.get(name).unwrap(), value, "{wire:?} {name}");
        }
        assert_eq!(body["code"], "RATE_LIMITED");
    }
    let (_, body, _) = spelled(Wire::Rest, limited(), false).await;
    assert_eq!(
        body,
        json!({"success": false, "error": "Rate limit exceeded", "code": "RATE_LIMITED", "requestId": "r-1",
               "limit": 120, "remaining": 0, "reset": 61_000, "retryAfter": 59})
    );
    let (_, body, _) = spelled(Wire::Rpc, limited(), false).await;
    assert_eq!(
        body,
        json!({"defined": true, "code": "RATE_LIMITED", "status": 429, "message": "Rate limit exceeded",
               "data": {"retryAfter": 59}})
    );
}

#[actix_web::test]
async fn wrong_input_is_spelled_as_each_style_wants_it() {
    let (status, body, _) = spelled(Wire::Rest, wrong_name(), false).await;
    assert_eq!(status, 400);
    assert_eq!(body["code"], "VALIDATION_ERROR");
    assert_eq!(
        body["details"],
        json!([{"field": "parameters.0", "message": "Unknown query type: top_pagse",
                "suggestion": "Did you mean 'top_pages'?"}])
    );
    let (_, body, _) = spelled(Wire::Rpc, wrong_name(), true).await;
    assert_eq!(body["json"]["message"], "Input validation failed");
    assert_eq!(body["json"]["defined"], false);
    assert_eq!(
        body["json"]["data"]["issues"][0]["path"],
        json!(["parameters", 0])
    );
    let (_, body, _) = spelled(Wire::Track, wrong_name(), false).await;
    assert_eq!(body["message"], "Invalid request body");
    assert_eq!(body["status"], "error");
    assert_eq!(body["retryable"], false);
    assert_eq!(body["errors"][0]["field"], "parameters.0");
}

#[actix_web::test]
async fn an_ingestion_code_of_its_own_wins() {
    let fault =
        Fault::invalid("Website missing organization").with_code("WEBSITE_MISSING_ORGANIZATION");
    let (status, body, _) = spelled(Wire::Track, fault, false).await;
    assert_eq!(
        (status, &body["code"]),
        (400, &json!("WEBSITE_MISSING_ORGANIZATION"))
    );
    assert_eq!(body["message"], "Website missing organization");
}

#[actix_web::test]
async fn our_own_trouble_says_when_to_come_back_and_nothing_else() {
    for wire in [Wire::Rpc, Wire::Rest, Wire::Track] {
        let fault = Fault::new(
            Kind::Unavailable {
                retry_after: Duration::ZERO,
            },
            "Service temporarily unavailable",
        );
        let (status, body, headers) = spelled(wire, fault, false).await;
        assert_eq!(
            (
                status,
                headers.get("retry-after").unwrap().to_str().unwrap()
            ),
            (503, "1")
        );
        assert_eq!(body["code"], "SERVICE_UNAVAILABLE");
        let fault = Fault::internal(anyhow::anyhow!("SELECT secret FROM /home/x"));
        let (status, body, _) = spelled(wire, fault, false).await;
        assert_eq!(status, 500);
        assert!(!body.to_string().contains("SELECT"), "{body}");
    }
}

#[actix_web::test]
async fn panics_and_foreign_failures_keep_the_style() {
    async fn panics() -> HttpResponse {
        panic!("boom")
    }
    let app = test::init_service(
        App::new()
            .wrap(from_fn(|request, next: Next<BoxBody>| {
                Wire::Rest.speak(&FAILURE_HOOKS, request, async move |request| {
                    next.call(request).await
                })
            }))
            .route("/panics", web::get().to(panics))
            .route(
                "/json",
                web::post().to(|_: web::Json<Value>| async { HttpResponse::Ok().finish() }),
            )
            .service(web::resource("/post").route(web::post().to(HttpResponse::Ok))),
    )
    .await;
    let json = test::TestRequest::post()
        .uri("/json")
        .insert_header(("content-type", "application/json"));
    for (request, status, code) in [
        (test::TestRequest::get().uri("/nothing"), 404, "NOT_FOUND"),
        (
            test::TestRequest::get().uri("/post"),
            405,
            "METHOD_NOT_ALLOWED",
        ),
        (json.set_payload("{"), 400, "VALIDATION_ERROR"),
    ] {
        let response = test::call_service(&app, request.to_request()).await;
        assert_eq!(response.status(), status);
        let body: Value = test::read_body_json(response).await;
        assert_eq!(body["code"], code);
    }
    let failed =
        test::try_call_service(&app, test::TestRequest::get().uri("/panics").to_request()).await;
    let response = failed.err().unwrap().error_response();
    assert_eq!(response.status(), 500);
    let body = to_bytes(response.into_body()).await.unwrap();
    assert!(!String::from_utf8_lossy(&body).contains("boom"));
}

/// One fault of every kind.
fn every_kind() -> Vec<Kind> {
    let window = Window {
        limit: 1,
        remaining: 0,
        reset_ms: 1,
        retry_after: 1,
    };
    let retry_after = Duration::from_secs(5);
    let id = Some("i".to_owned());
    let resource = "thing";
    vec![
        Kind::Invalid { issues: Vec::new() },
        Kind::Unauthenticated,
        Kind::Forbidden,
        Kind::FeatureUnavailable {
            feature: "errors".into(),
            required_plan: None,
        },
        Kind::PlanLimitExceeded {
            limit: 1,
            current: 1,
            next_plan: None,
        },
        Kind::NotFound {
            resource,
            id: id.clone(),
        },
        Kind::Conflict { resource, id },
        Kind::MethodNotAllowed,
        Kind::TooLarge,
        Kind::UnsupportedEncoding,
        Kind::RateLimited(window),
        Kind::Unavailable { retry_after },
        Kind::Internal,
    ]
}

#[actix_web::test]
async fn only_what_the_table_of_style_a_has_is_defined() {
    const TABLE: [(u16, &str); 9] = [
        (400, "BAD_REQUEST"),
        (401, "UNAUTHORIZED"),
        (402, "PLAN_LIMIT_EXCEEDED"),
        (403, "FORBIDDEN"),
        (403, "FEATURE_UNAVAILABLE"),
        (404, "NOT_FOUND"),
        (409, "CONFLICT"),
        (429, "RATE_LIMITED"),
        (500, "INTERNAL_SERVER_ERROR"),
    ];
    let mut defined = 0;
    for kind in every_kind() {
        let (status, body, _) = spelled(Wire::Rpc, Fault::new(kind, "m"), false).await;
        let code = body["code"].as_str().unwrap().to_owned();
        let is_there = TABLE.contains(&(status, code.as_str()));
        assert_eq!(body["defined"], is_there, "{body}");
        defined += usize::from(is_there);
    }
    assert_eq!(defined, TABLE.len());
}
