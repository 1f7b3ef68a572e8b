//! Signing in and out.

use serde_json::{Value, json};

use super::harness::{PASSWORD, TestApp};

#[actix::test]
async fn a_session_lives_from_sign_in_to_sign_out() {
    let app = TestApp::open().await;
    assert_eq!(
        app.get("/api/auth/get-session", &[]).await.json(),
        Value::Null
    );
    let cookie = app.sign_in().await;
    assert!(cookie.starts_with("pharos_session="));
    let headers = [("cookie", cookie.as_str())];
    let session = app.get("/api/auth/get-session", &headers).await.json();
    assert_eq!(session["user"]["email"], "admin@localhost");
    let listed = app.get("/v1/query/websites", &headers).await;
    assert_eq!(listed.json()["total"], 1);
    let out = app.post("/api/auth/sign-out", &headers, json!({})).await;
    assert!(out.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(
        app.get("/api/auth/get-session", &headers).await.json(),
        Value::Null
    );
    assert_eq!(app.get("/v1/query/websites", &headers).await.status, 401);
    app.close().await;
}

#[actix::test]
async fn sign_in_is_refused_from_foreign_pages_and_with_wrong_credentials() {
    let app = TestApp::open().await;
    let right = json!({ "email": "admin@localhost", "password": PASSWORD });
    let foreign = app
        .post(
            "/api/auth/sign-in/email",
            &[("origin", "https://evil.example")],
            right,
        )
        .await;
    assert_eq!(foreign.status, 403);
    let wrong = |email: &str| json!({ "email": email, "password": "wrong" });
    let one = app
        .post(
            "/api/auth/sign-in/email",
            &[("x-request-id", "r")],
            wrong("admin@localhost"),
        )
        .await;
    let other = app
        .post(
            "/api/auth/sign-in/email",
            &[("x-request-id", "r")],
            wrong("nobody@localhost"),
        )
        .await;
    assert_eq!(one.status, 401);
    assert_eq!(
        one.body, other.body,
        "an unknown account looks like a wrong password"
    );
    assert!(!one.headers.contains_key("set-cookie"));
    app.close().await;
}
