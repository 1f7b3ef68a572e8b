//! Windows and slots, through HTTP.

use std::{sync::Arc, time::Duration};

use serde_json::json;

use super::harness::{NOW, TestApp};
use crate::{
    http::{Host, Options},
    store::limits::{Admission, Decision, Demand, Identity, LimitError, Limits, Permit},
};

fn few() -> Limits {
    Limits {
        query_requests: 2,
        query_requests_anonymous: 1,
        ..Limits::default()
    }
}

#[actix::test]
async fn a_full_window_says_when_to_come_back_and_opens_then() {
    let app = TestApp::with(few(), Options::default()).await;
    let key = app.key();
    let headers = [("x-api-key", key.as_str())];
    let ask = || app.post("/v1/query", &headers, json!({}));
    for _ in 0..2 {
        assert_eq!(ask().await.status, 400, "refused later, so it has counted");
    }
    app.clock.advance(Duration::from_secs(1));
    let refused = ask().await;
    assert_eq!(refused.status, 429);
    let reset = (NOW + 60_000).to_string();
    for (name, value) in [
        ("retry-after", "59"),
        ("x-ratelimit-limit", "2"),
        ("x-ratelimit-remaining", "0"),
        ("x-ratelimit-reset", &reset),
    ] {
        assert_eq!(refused.header(name), value, "{name}");
    }
    assert_eq!(refused.json()["requestId"], refused.header("x-request-id"));
    assert_eq!(refused.json()["reset"], NOW + 60_000);
    app.clock.advance(Duration::from_secs(59));
    assert_eq!(ask().await.status, 400, "the window has rolled on");
    app.close().await;
}

#[actix::test]
async fn no_spelling_of_a_path_escapes_its_window() {
    let app = TestApp::with(few(), Options::default()).await;
    assert_eq!(app.post("/v1/query", &[], json!({})).await.status, 401);
    for path in ["/v1/query", "/v1/%71uery", "/%76%31/query", "/v1/query?x=1"] {
        assert_eq!(app.post(path, &[], json!({})).await.status, 429, "{path}");
    }
    let forwarded = [("x-forwarded-for", "203.0.113.9")];
    assert_eq!(
        app.post("/v1/query", &forwarded, json!({})).await.status,
        429,
        "nobody is believed by default"
    );
    app.close().await;
}

#[actix::test]
async fn a_keys_quota_counts_everywhere_and_in_every_style() {
    let app = TestApp::open().await;
    let key = app.key_limited(2).await;
    let headers = [("x-api-key", key.as_str())];
    assert_eq!(app.get("/health", &headers).await.status, 200);
    assert_eq!(app.get("/v1/query/websites", &headers).await.status, 200);
    let rest = app.get("/v1/query/websites", &headers).await;
    assert_eq!(rest.code(), (429, "RATE_LIMITED".into()));
    let rpc = app.post("/websites/list", &headers, json!({})).await;
    assert_eq!(rpc.json()["data"]["retryAfter"], 60);
    assert_eq!(rpc.header("x-ratelimit-limit"), "2");
    app.close().await;
}

#[actix::test]
async fn twenty_running_requests_are_the_most_of_a_key_and_slots_come_back() {
    let app = TestApp::open().await;
    let key = app.key();
    let headers = [("x-api-key", key.as_str())];
    for _ in 0..50 {
        assert_eq!(
            app.get("/v1/query/websites", &headers).await.status,
            200,
            "no slot leaks"
        );
    }
    let id = app
        .shared
        .keys
        .view()
        .authenticate(&key, NOW)
        .unwrap()
        .id()
        .clone();
    let slot = || {
        app.shared
            .admission
            .admit(Demand::new(Identity::from_name("key", id.as_str())).in_flight(20))
    };
    let mut held = Vec::new();
    for _ in 0..20 {
        held.push(slot().await.unwrap());
    }
    let refused = app.get("/v1/query/websites", &headers).await;
    assert_eq!(refused.code(), (429, "RATE_LIMITED".into()));
    assert_eq!(
        refused.json()["error"],
        "Too many concurrent API key requests"
    );
    assert_eq!(
        (
            refused.header("retry-after"),
            refused.header("x-ratelimit-limit")
        ),
        ("1", "20")
    );
    assert_eq!(refused.json()["reset"], NOW + 1_000);
    held.pop();
    assert_eq!(app.get("/v1/query/websites", &headers).await.status, 200);
    app.close().await;
}

#[actix::test]
async fn limits_change_while_running() {
    let app = TestApp::with(few(), Options::default()).await;
    assert_eq!(app.post("/v1/query", &[], json!({})).await.status, 401);
    assert_eq!(app.post("/v1/query", &[], json!({})).await.status, 429);
    app.shared.limits.store(std::sync::Arc::new(Limits {
        query_requests_anonymous: 0,
        ..few()
    }));
    assert_eq!(
        app.post("/v1/query", &[], json!({})).await.status,
        401,
        "unlimited now"
    );
    app.close().await;
}

/// A store of windows and slots that cannot be reached.
struct Away;

/// Who is bounded by nothing need not be counted.
fn no_answer<'a>(demand: &Demand) -> Decision<'a> {
    let counts = !demand.rates.is_empty() || demand.in_flight.is_some();
    let refusal = counts.then(|| LimitError::Unavailable("no answer".into()));
    Box::pin(std::future::ready(
        refusal.map_or_else(|| Ok(Permit::default()), Err),
    ))
}

impl Admission for Away {
    fn admit(&self, demand: Demand) -> Decision<'_> {
        no_answer(&demand)
    }

    fn peek(&self, demand: Demand) -> Decision<'_> {
        no_answer(&demand)
    }

    fn take_back(&self, demand: Demand) -> Decision<'_> {
        no_answer(&demand)
    }

    fn clear(&self, demand: Demand) -> Decision<'_> {
        no_answer(&demand)
    }
}

#[actix::test]
async fn where_nobody_can_be_counted_everybody_is_asked_to_come_back() {
    let mut app = TestApp::open().await;
    app.shared_mut().admission = Arc::new(Away);
    let key = app.key();
    let known = [("x-api-key", key.as_str())];
    let event = json!({ "name": "a" });
    for (host, path, headers) in [
        (Host::Base, "/v1/query", &known[..]),
        (Host::Base, "/v1/query", &[]),
        (Host::Base, "/websites/list", &known),
        (Host::Base, "/rpc/websites/list", &known),
        (Host::Base, "/websites/list", &[("x-api-key", "svc_nobody")]),
        (Host::Base, "/api/auth/sign-in/email", &[]),
        (Host::Track, "/track", &known),
    ] {
        let mut request = actix_web::test::TestRequest::post().uri(path);
        for header in headers {
            request = request.insert_header(*header);
        }
        let request = if path.starts_with("/api") {
            request.set_json(json!({ "email": "a@b", "password": "right" }))
        } else {
            request.set_json(&event)
        };
        let refused = app.send(host, request).await;
        let place = format!("{path} {headers:?}: {}", refused.json());
        assert_eq!(
            refused.code(),
            (503, "SERVICE_UNAVAILABLE".into()),
            "{place}"
        );
        assert_eq!(refused.header("retry-after"), "5", "{place}");
    }
    let request = actix_web::test::TestRequest::get().uri("/health");
    assert_eq!(app.send(Host::Base, request).await.status, 200);
    app.close().await;
}
