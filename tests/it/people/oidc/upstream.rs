//! A provider that is away, or answers anything.

use serde_json::json;

use super::{ACME, Provider, ada, is_refused};
use crate::{app::App, people::browser::Browser};

const DESCRIPTION: &str = "/.well-known/openid-configuration";

#[actix::test]
async fn a_provider_that_is_away_or_answers_garbage_is_named_as_the_trouble() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    let other = json!({
        "issuer": "https://other.example", "authorization_endpoint": "https://a.example/", "token_endpoint": "https://a.example/",
        "jwks_uri": "https://a.example/",
    });
    for (answer, says) in [
        (json!({ "status": 500, "body": "" }), "its status is 500"),
        (json!({ "status": 302, "body": "" }), "its status is 302"),
        (json!({ "body": "<html>" }), "isn't the JSON"),
        (json!({ "body": "{}" }), "isn't the JSON"),
        (json!({ "body": "x".repeat(2 << 20) }), "can't be reached"),
        (
            json!({ "body": other.to_string() }),
            "calls itself `https://other.example`",
        ),
        (json!({ "hang": true }), "can't be reached"),
    ] {
        provider
            .control(&json!({ "answers": { DESCRIPTION: answer } }))
            .await;
        let answer = Browser::new(&app).get("/api/auth/oidc/test").await;
        assert_eq!(answer.status, 503, "{}", answer.text);
        let refused = is_refused(&answer);
        assert!(refused.contains(says), "{says}: {refused}");
    }
    provider.control(&json!({ "answers": {} })).await;
    provider.signed_in(&app, &ada(&[])).await;
    app.finish().await;
}

#[actix::test]
async fn what_is_wrong_between_the_two_servers_is_said_to_the_person() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    for (path, answer, says) in [
        (
            "/token",
            json!({ "status": 401, "body": "{\"error\":\"invalid_client\"}" }),
            "`invalid_client`",
        ),
        (
            "/token",
            json!({ "status": 500, "body": "oops" }),
            "its status is 500",
        ),
        ("/token", json!({ "body": "oops" }), "isn't JSON"),
        ("/token", json!({ "body": "{}" }), "no `id_token`"),
        ("/jwks", json!({ "body": "oops" }), "aren't a JSON key set"),
        (
            "/jwks",
            json!({ "body": "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AA\"},7]}" }),
            "isn't signed",
        ),
    ] {
        app.clock.advance(std::time::Duration::from_mins(1));
        let set = json!({ "answers": { path: answer }, "now": app.clock.now_ms() });
        provider.control(&set).await;
        let refused = provider.failed(&app, &ada(&[])).await;
        assert!(refused.contains(says), "{path} {says}: {refused}");
    }
    app.finish().await;
}

#[actix::test]
async fn failing_sign_ins_of_one_address_are_limited() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    provider
        .control(&json!({ "answers": { DESCRIPTION: { "status": 500, "body": "" } } }))
        .await;
    for _ in 0..30 {
        assert_eq!(
            Browser::new(&app).get("/api/auth/oidc/test").await.status,
            503
        );
    }
    let limited = Browser::new(&app).get("/api/auth/oidc/test").await;
    assert_eq!(limited.status, 429, "{}", limited.text);
    assert_eq!(provider.count(DESCRIPTION).await, 30);
    app.finish().await;
}
