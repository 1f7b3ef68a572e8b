//! What is refused or ignored, in which words, and that nothing of it is stored.

use std::{collections::BTreeMap, sync::Arc};

use futures_util::FutureExt as _;

use super::*;
use crate::{
    access::plans::{Plan, Plans},
    events::{statement::QueryError, usage::Usage},
};

#[actix::test]
async fn who_may_not_is_told_in_the_words_of_the_spec() {
    let app = TestApp::open().await;
    let event = json!({"name": "n"});
    let refused = async |path: &str, headers: &[(&str, &str)]| {
        let answer = app.track(path, headers, &event).await;
        let body = answer.json();
        assert_eq!(
            (&body["success"], &body["status"]),
            (&json!(false), &json!("error"))
        );
        assert_eq!(body["requestId"], answer.header("x-request-id"));
        (
            answer.status.as_u16(),
            body["message"].as_str().unwrap().to_owned(),
            body["code"].as_str().unwrap().to_owned(),
        )
    };
    let row = |status, message: &str, code: &str| (status, message.to_owned(), code.to_owned());
    let unauthenticated = row(401, "API key or website_id required", "AUTH_REQUIRED");
    let unknown = row(404, "Website not found", "WEBSITE_NOT_FOUND");
    for path in [
        "/track",
        "/",
        "/batch",
        "/vitals",
        "/errors",
        "/track?website_id=",
    ] {
        assert_eq!(refused(path, &[]).await, unauthenticated, "{path}");
    }
    for path in [
        "/track?website_id=x",
        "/?client_id=x",
        "/batch?client_id=x",
        "/vitals?client_id=x",
        "/errors?client_id=x",
    ] {
        assert_eq!(refused(path, &[]).await, unknown, "{path}");
    }
    assert_eq!(
        refused("/vitals", &[("databuddy-client-id", "x")]).await,
        unknown
    );
    let reader = app.key_with(&[Scope::ReadData]).await;
    let missing = row(403, "API key missing track:events scope", "MISSING_SCOPE");
    assert_eq!(refused("/track", &[("x-api-key", &reader)]).await, missing);
    assert_eq!(
        refused(&app.path("/track?website_id=ID"), &[("x-api-key", &reader)]).await,
        missing
    );
    let key = app.key();
    assert_eq!(
        refused("/track?website_id=x", &[("x-api-key", &key)]).await,
        unknown
    );
    let known = app.path("/track?website_id=ID");
    assert_eq!(
        refused(&known, &[("x-api-key", "svc_nonsense")]).await.0,
        401,
        "a key that is present decides"
    );
    assert!(app.stored("name").await.is_empty());
    app.close().await;
}

#[actix::test]
async fn a_bad_body_names_the_place_and_stores_nothing() {
    let app = TestApp::open().await;
    let path = app.path("/track?website_id=ID");
    let answer = app
        .track(&path, &[], &json!([{"name": "a"}, {"name": "b"}, {}]))
        .await;
    assert_eq!(answer.code(), (400, "INVALID_REQUEST_BODY".into()));
    let body = answer.json();
    assert_eq!(
        (&body["error"], &body["retryable"]),
        (&json!("Invalid request body"), &json!(false))
    );
    assert_eq!(
        (&body["errors"][0]["code"], &body["errors"][0]["field"]),
        (&json!("required"), &json!("[2].name"))
    );
    for path in [
        "/track?website_id=ID",
        "/?client_id=ID",
        "/batch?client_id=ID",
        "/vitals?client_id=ID",
        "/errors?client_id=ID",
    ] {
        let answer = app
            .track_bytes(&app.path(path), &[], b"{\"name\":".to_vec())
            .await;
        assert_eq!(
            answer.code(),
            (400, "INVALID_REQUEST_BODY".into()),
            "{path}"
        );
    }
    let big = json!({"name": "n", "properties": {"k": "x".repeat(32_768)}});
    assert_eq!(
        app.track(&path, &[], &big).await.code(),
        (413, "PAYLOAD_TOO_LARGE".into())
    );
    assert!(app.stored("name").await.is_empty());
    app.close().await;
}

#[actix::test]
async fn bodies_may_be_plain_text_or_gzip_up_to_the_limit() {
    let options = Options {
        body_bytes: 1_000,
        ..Options::default()
    };
    let app = TestApp::with(Limits::default(), options).await;
    let path = app.path("/track?website_id=ID");
    let sized = |bytes: usize| format!("{{\"name\":\"n\"{}}}", " ".repeat(bytes - 12)).into_bytes();
    let text = [("content-type", "text/plain;charset=UTF-8")];
    assert_eq!(
        app.track_bytes(&path, &text, sized(1_000)).await.status,
        200
    );
    let answer = app.track_bytes(&path, &text, sized(1_001)).await;
    assert_eq!(answer.code(), (413, "PAYLOAD_TOO_LARGE".into()));
    let gzip = [("content-encoding", "gzip")];
    let packed = |plain: Vec<u8>| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&plain).unwrap();
        encoder.finish().unwrap()
    };
    assert_eq!(
        app.track_bytes(&path, &gzip, packed(sized(1_000)))
            .await
            .status,
        200
    );
    assert_eq!(
        app.track_bytes(&path, &gzip, packed(sized(1_001)))
            .await
            .status,
        413
    );
    assert_eq!(
        app.track_bytes(&path, &gzip, b"{}".to_vec()).await.status,
        400
    );
    assert_eq!(
        app.track_bytes(&path, &[("content-encoding", "br")], sized(12))
            .await
            .status,
        415
    );
    assert_eq!(app.stored("name").await, ["n", "n"]);
    app.close().await;
}

#[actix::test]
async fn declared_bots_are_answered_and_forgotten_but_not_with_a_key() {
    let app = TestApp::open().await;
    let bot = [(
        "user-agent",
        "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    )];
    for (path, body) in [
        ("/track?website_id=ID", json!({"name": "n"})),
        ("/?client_id=ID", page("e")),
        ("/vitals?client_id=ID", json!([vital()])),
        ("/errors?client_id=ID", json!([])),
    ] {
        let answer = app.track(&app.path(path), &bot, &body).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()),
            (200, json!({"status": "ignored"})),
            "{path}"
        );
    }
    let batch = app
        .track(&app.path("/batch?client_id=ID"), &bot, &json!([page("e")]))
        .await
        .json();
    assert_eq!(batch["results"][0]["error"], "ignored");
    // Which pages an agent read is kept, as that and nothing else.
    assert_eq!(app.stored("kind").await, ["8", "8"]);
    assert_eq!(app.stored("name").await, ["GPTBot", "GPTBot"]);
    let key = app.key();
    let headers = [bot[0], ("x-api-key", key.as_str())];
    assert_eq!(
        app.track("/track", &headers, &json!({"name": "n"}))
            .await
            .json()["count"],
        1
    );
    assert_eq!(app.stored("bot").await, ["0", "2", "2"]);
    app.close().await;
}

#[actix::test]
async fn pages_of_other_origins_are_refused() {
    let app = TestApp::open().await;
    let path = app.path("/track?website_id=ID");
    let event = json!({"name": "n"});
    let send = async |origin: &str| app.track(&path, &[("origin", origin)], &event).await;
    assert_eq!(send("http://localhost:5173").await.status, 200);
    let foreign = send("https://evil.example").await;
    assert_eq!(foreign.code(), (403, "ORIGIN_NOT_AUTHORIZED".into()));
    assert_eq!(foreign.json()["message"], "Origin not authorized");
    assert_eq!(app.stored("name").await, ["n"]);
    app.close().await;
}

#[actix::test]
async fn the_window_is_the_key_s_or_the_website_s_and_address_s() {
    let limits = Limits {
        track_requests: 2,
        ..Limits::default()
    };
    let app = TestApp::with(limits, Options::default()).await;
    let key = app.key();
    let by_id = app.path("/track?website_id=ID");
    for headers in [vec![], vec![("x-api-key", key.as_str())]] {
        let event = json!({"name": "n"});
        let send = || app.track(&by_id, &headers, &event);
        assert_eq!(send().await.status, 200);
        assert_eq!(send().await.status, 200);
        let refused = send().await;
        assert_eq!(refused.code(), (429, "RATE_LIMITED".into()));
        assert_eq!(refused.json()["retryable"], true);
        assert_eq!(refused.header("x-ratelimit-limit"), "2");
    }
    app.close().await;
}

#[actix::test]
async fn unknown_routes_of_this_host_get_no_words() {
    let app = TestApp::open().await;
    let answer = app.track("/nothing", &[], &json!({})).await;
    assert_eq!((answer.status.as_u16(), answer.body.len()), (404, 0));
    assert!(!answer.header("x-request-id").is_empty());
    let health = app
        .send(Host::Track, TestRequest::get().uri("/health"))
        .await;
    assert_eq!(health.json(), json!({"status": "ok"}));
    app.close().await;
}

#[actix::test]
async fn a_store_that_cannot_write_says_so_and_when_to_come_back() {
    let app = TestApp::open().await;
    app.shared.events.close();
    let answer = app
        .track(
            &app.path("/track?website_id=ID"),
            &[],
            &json!({"name": "n"}),
        )
        .await;
    assert_eq!(answer.code(), (503, "SERVICE_UNAVAILABLE".into()));
    assert_eq!(
        (
            answer.json()["retryable"].as_bool(),
            answer.header("retry-after")
        ),
        (Some(true), "5")
    );
    app.close().await;
}

#[actix::test]
async fn events_that_nobody_can_count_are_asked_to_come_again() {
    let mut app = TestApp::open().await;
    let away = |_| async { Err(QueryError::Busy) }.boxed();
    app.shared_mut().usage = Usage::from_counter(away);
    let few = Plan {
        events_per_month: 5,
        ..Plan::default()
    };
    app.shared.plans.store(Arc::new(Plans {
        enabled: true,
        default: "free".to_owned(),
        named: BTreeMap::from([("free".to_owned(), few)]),
    }));
    let key = app.key();
    let known = [("x-api-key", key.as_str())];
    let website = format!("/track?website_id={}", app.website());
    for (path, headers) in [("/track", &known[..]), (&website, &[])] {
        let refused = app.track(path, headers, &json!({ "name": "n" })).await;
        let body = refused.json();
        assert_eq!(
            refused.code(),
            (503, "BILLING_CHECK_UNAVAILABLE".into()),
            "{body}"
        );
        assert_eq!(body["message"], "Billing check unavailable");
        assert_eq!(body["retryable"], true);
        assert_eq!(refused.header("retry-after"), "5");
    }
    app.close().await;
}
