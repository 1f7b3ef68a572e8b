//! What browsers ask and send, and what is answered where nothing is.

use reqwest::Method;
use serde_json::json;

use super::{
    Call, INVALID,
    raw::{exchange, statuses},
    stored, unlimited,
};
use crate::app::Answer;

const ORIGIN: &str = "http://localhost:5173";

#[actix::test]
async fn every_options_is_answered_204_with_what_may_be_asked() {
    let app = unlimited().await;
    for path in ["/track", "/batch", "/px.jpg", "/nothing/here", "/"] {
        let url = format!("{}{path}", app.track);
        let preflight = app
            .http
            .request(Method::OPTIONS, url)
            .header("origin", ORIGIN)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "content-type");
        let answer = Answer::send(preflight).await;
        assert_eq!((answer.status, answer.text.as_str()), (204, ""), "{path}");
        grants(&answer);
        assert_eq!(answer.header("access-control-max-age"), "86400");
    }
    let plain = app
        .http
        .request(Method::OPTIONS, format!("{}/track", app.track));
    let plain = Answer::send(plain).await;
    assert_eq!((plain.status, plain.text.as_str()), (204, ""));
    assert_eq!(plain.header("access-control-allow-origin"), "");
    let asterisk = "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let answer = exchange(&app, asterisk.into()).await;
    assert_eq!(statuses(&answer), [204], "{answer}");
    app.finish().await;
}

#[track_caller]
fn grants(answer: &Answer) {
    assert_eq!(answer.header("access-control-allow-origin"), ORIGIN);
    assert_eq!(answer.header("access-control-allow-credentials"), "true");
    let listed = |header: &str, name: &str| {
        let list = answer.header(header).to_ascii_lowercase();
        list.split(", ")
            .any(|item| item == name.to_ascii_lowercase())
    };
    for method in ["POST", "GET", "OPTIONS", "PUT", "DELETE"] {
        assert!(listed("access-control-allow-methods", method), "{method}");
    }
    for header in [
        "Content-Type",
        "Authorization",
        "X-Requested-With",
        "databuddy-client-id",
        "databuddy-sdk-name",
        "databuddy-sdk-version",
    ] {
        assert!(listed("access-control-allow-headers", header), "{header}");
    }
    assert!(listed("vary", "origin"));
}

#[actix::test]
async fn any_request_with_an_origin_gets_the_headers_also_when_it_is_refused() {
    let app = unlimited().await;
    let call = Call::page(&app, "/batch");
    for (body, status) in [("[]", 200), ("nonsense", 400)] {
        let answer = Answer::send(call.request().header("origin", ORIGIN).body(body)).await;
        assert_eq!(answer.status, status);
        grants(&answer);
        let exposed = answer.header("access-control-expose-headers");
        assert!(exposed.contains("X-Request-ID") && exposed.contains("Retry-After"));
    }
    let unknown = app
        .http
        .get(format!("{}/nothing", app.track))
        .header("origin", ORIGIN);
    grants(&Answer::send(unknown).await);
    app.finish().await;
}

#[actix::test]
async fn the_content_type_does_not_matter() {
    let app = unlimited().await;
    let call = Call::server(&app, "/track");
    for content_type in [
        "application/json",
        "text/plain",
        "text/plain;charset=UTF-8",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "nonsense",
    ] {
        let request = call.request().header("content-type", content_type);
        let answer = Answer::send(request.body(r#"{"name":"n"}"#)).await;
        assert_eq!(answer.status, 200, "{content_type}: {}", answer.text);
    }
    assert_eq!(call.bytes(r#"{"name":"n"}"#).await.status, 200);
    INVALID.is(&Answer::send(
        call.request()
            .header("content-type", "text/plain")
            .body("name=n"),
    )
    .await);
    assert_eq!(stored(&app, "name").await, vec!["n"; 7]);
    app.finish().await;
}

#[actix::test]
async fn unknown_routes_are_404_without_words() {
    let app = unlimited().await;
    for path in [
        "/nothing",
        "/track/",
        "/track/x",
        "/v1/query",
        "/px.png",
        "/TRACK",
    ] {
        for method in [Method::GET, Method::POST] {
            let request = app.http.request(method, format!("{}{path}", app.track));
            let answer = Answer::send(request.json(&json!({}))).await;
            assert_eq!((answer.status, answer.text.as_str()), (404, ""), "{path}");
            assert!(!answer.header("x-request-id").is_empty());
        }
    }
    let health = app.http.get(format!("{}/health", app.track));
    let health = Answer::send(health).await;
    assert_eq!(
        (health.status, health.body),
        (200, json!({ "status": "ok" }))
    );
    app.finish().await;
}

#[actix::test]
async fn a_sane_request_id_is_kept_and_any_other_replaced() {
    let app = unlimited().await;
    let call = Call::server(&app, "/track");
    for (sent, kept) in [
        ("abc_DEF-123", true),
        ("a b", false),
        ("a;b", false),
        (&"x".repeat(65), false),
    ] {
        for body in ["{}", r#"{"name":"n"}"#] {
            let answer = Answer::send(call.request().header("x-request-id", sent).body(body)).await;
            let id = answer.header("x-request-id");
            assert_eq!(id == sent, kept, "{sent}: {id}");
            if answer.status == 400 {
                assert_eq!(answer.body["requestId"], id);
            }
        }
    }
    app.finish().await;
}
