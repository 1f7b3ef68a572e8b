//! Answers that are not the provider's to this browser, now (threats T60 to T64).

use serde_json::{Value, json};

use super::{ACME, Provider, ada, is_refused};
use crate::{
    app::{App, NOW},
    people::browser::Browser,
};

#[actix::test]
async fn a_token_that_is_not_for_this_sign_in_opens_nothing_and_is_never_shown() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    let now = NOW / 1000;
    for (tamper, sign, says) in [
        (json!({ "nonce": "other" }), "own", "`nonce`"),
        (json!({ "nonce": null }), "own", "`nonce`"),
        (json!({ "iss": "https://other.example" }), "own", "`iss`"),
        (json!({ "aud": "other" }), "own", "`aud`"),
        (json!({ "aud": ["pharos", "other"] }), "own", "`azp`"),
        (json!({ "azp": "other" }), "own", "`azp`"),
        (json!({ "sub": null }), "own", "`sub`"),
        (json!({ "exp": null }), "own", "`exp`"),
        (json!({ "exp": "soon" }), "own", "clocks"),
        (json!({ "exp": now - 61 }), "own", "clocks"),
        (json!({ "iat": now + 62 }), "own", "clocks"),
        (json!({ "nbf": now + 62 }), "own", "clocks"),
        (json!({}), "other", "isn't signed"),
        (json!({}), "none", "algorithm `none`"),
        (json!({}), "HS256", "algorithm `HS256`"),
    ] {
        provider
            .control(&json!({ "tamper": tamper, "sign": sign }))
            .await;
        let refused = provider.failed(&app, &ada(&[])).await;
        assert!(refused.contains(says), "{tamper} {sign}: {refused}");
        let told = provider.control(&json!({})).await;
        for token in told["tokens"].as_array().unwrap() {
            assert!(!refused.contains(token.as_str().unwrap()), "{refused}");
        }
    }
    // Clocks may differ by a minute.
    for tamper in [json!({ "exp": now - 59 }), json!({ "iat": now + 60 })] {
        provider
            .control(&json!({ "tamper": tamper, "sign": "own" }))
            .await;
        provider.signed_in(&app, &ada(&[])).await;
    }
    app.finish().await;
}

#[actix::test]
async fn an_answer_counts_once_and_only_in_the_browser_that_began() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    provider.expect(&app, &ada(&[])).await;
    let own = Browser::new(&app);
    let back = provider.begin(&app, &own, "/api/auth/oidc/test").await;

    let (nobody, other) = (Browser::new(&app), Browser::new(&app));
    // Another browser, with a sign-in of its own on the way.
    assert_eq!(other.get("/api/auth/oidc/test").await.status, 303);
    for stranger in [&nobody, &other] {
        let refused = is_refused(&stranger.get(&back).await);
        assert!(refused.contains("began in another browser"), "{refused}");
        assert_eq!(stranger.current_session().await, Value::Null);
    }

    let copy = Browser::with(&app, &own.cookie());
    assert_eq!(own.get(&back).await.status, 303);
    assert_ne!(own.current_session().await, Value::Null);
    // The cookie is gone with the sign-in; and the provider takes no code twice.
    let again = is_refused(&own.get(&back).await);
    assert!(again.contains("began in another browser"), "{again}");
    let replayed = is_refused(&copy.get(&back).await);
    assert!(replayed.contains("already used"), "{replayed}");
    assert_eq!(copy.current_session().await, Value::Null);
    app.finish().await;
}

#[actix::test]
async fn an_old_sign_in_is_over() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    provider.expect(&app, &ada(&[])).await;
    let browser = Browser::new(&app);
    let back = provider.begin(&app, &browser, "/api/auth/oidc/test").await;
    app.clock.advance(std::time::Duration::from_mins(10));
    let refused = is_refused(&browser.get(&back).await);
    assert!(refused.contains("expired"), "{refused}");
    app.finish().await;
}

#[actix::test]
async fn an_answer_of_another_provider_is_refused() {
    let provider = Provider::start();
    let toml = format!("{}{}", provider.toml(ACME), provider.named("second", ACME));
    let app = App::with(&toml).await;
    provider.expect(&app, &ada(&[])).await;
    let browser = Browser::new(&app);
    let back = provider.begin(&app, &browser, "/api/auth/oidc/test").await;
    let (path, query) = back.split_once('?').unwrap();
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    let without: Vec<_> = pairs.filter(|(name, _)| name != "iss").collect();
    let with = |issuer: Option<&str>| {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&without);
        if let Some(issuer) = issuer {
            query.append_pair("iss", issuer);
        }
        format!("{path}?{}", query.finish())
    };
    for mixed in [with(Some("https://other.example")), with(None)] {
        let refused = is_refused(&browser.get(&mixed).await);
        assert!(refused.contains("came from another provider"), "{refused}");
    }
    let crossed = back.replace("/oidc/test/", "/oidc/second/");
    let refused = is_refused(&browser.get(&crossed).await);
    assert!(refused.contains("began in another browser"), "{refused}");
    assert_eq!(browser.get(&back).await.status, 303);
    app.finish().await;
}

#[actix::test]
async fn nobody_is_led_to_another_site_after_signing_in() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    let long = format!("/{}", "a".repeat(2000));
    for next in [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        &long,
    ] {
        provider.expect(&app, &ada(&[])).await;
        let browser = Browser::new(&app);
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("next", next)
            .finish();
        let start = format!("/api/auth/oidc/test?{query}");
        let back = provider.begin(&app, &browser, &start).await;
        let answer = browser.get(&back).await;
        assert_eq!(answer.header("location"), "/", "{next}");
    }
    app.finish().await;
}

#[actix::test]
async fn what_the_provider_refuses_is_said_without_its_words() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    provider.expect(&app, &ada(&[])).await;
    let browser = Browser::new(&app);
    let back = provider.begin(&app, &browser, "/api/auth/oidc/test").await;
    let (path, query) = back.split_once('?').unwrap();
    let kept = url::form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name != "code");
    let query = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(kept)
        .append_pair("error", "access_denied<script>")
        .append_pair("error_description", "Call 555-1234 to win")
        .finish();
    let refused = is_refused(&browser.get(&format!("{path}?{query}")).await);
    assert!(refused.contains("`access_deniedscript`"), "{refused}");
    assert!(!refused.contains("555"), "{refused}");
    app.finish().await;
}
