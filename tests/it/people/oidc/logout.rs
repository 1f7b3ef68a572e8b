//! Signing out at the provider ends sessions here.

use serde_json::{Value, json};

use super::{ACME, Provider, ada};
use crate::{
    app::{Answer, App, NOW},
    people::browser::Browser,
};

async fn send_token(app: &App, token: &str) -> Answer {
    let body = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("logout_token", token)
        .finish();
    let request = app
        .http
        .post(format!("{}/api/auth/oidc/test/logout", app.base));
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    Answer::send(request.body(body)).await
}

async fn is_signed_in(browser: &Browser<'_>) -> bool {
    browser.current_session().await != Value::Null
}

#[actix::test]
async fn the_provider_ends_one_session_or_all_of_a_person() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    let one = provider.signed_in(&app, &ada(&[])).await;
    let sid = provider.control(&json!({})).await["sid"].clone();
    assert!(sid.is_string(), "{sid}");
    let two = provider.signed_in(&app, &ada(&[])).await;
    let owner = Browser::owner(&app).await;
    provider
        .control(&json!({ "logout": { "sub": "ada-1", "sid": sid } }))
        .await;
    assert!(
        !is_signed_in(&one).await,
        "the provider's own message ends the session"
    );
    assert!(is_signed_in(&two).await && is_signed_in(&owner).await);

    let token = claims(&provider, json!({ "sid": null }));
    let told = provider.control(&json!({ "token": token })).await;
    let ended = send_token(&app, told["token"].as_str().unwrap()).await;
    assert_eq!(
        (ended.status, &ended.body),
        (200, &json!({ "success": true }))
    );
    assert!(!is_signed_in(&two).await);
    assert!(is_signed_in(&owner).await);
    app.finish().await;
}

/// The claims of a logout token, with some of them replaced.
fn claims(provider: &Provider, other: Value) -> Value {
    let mut claims = json!({
        "iss": provider.url, "aud": "pharos", "iat": NOW / 1000, "exp": NOW / 1000 + 120, "jti": "1", "sub": "ada-1",
        "events": { "http://schemas.openid.net/event/backchannel-logout": {} },
    });
    for (name, value) in other.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims
}

#[actix::test]
async fn a_logout_that_is_none_of_the_providers_ends_nothing() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    let browser = provider.signed_in(&app, &ada(&[])).await;
    let id_token = provider.control(&json!({})).await["tokens"][0].clone();
    let mut tokens = vec![
        String::new(),
        "a.b.c".to_owned(),
        id_token.as_str().unwrap().to_owned(),
    ];
    for other in [
        json!({ "aud": "other" }),
        json!({ "iss": "https://other.example" }),
        json!({ "events": {} }),
        json!({ "events": null }),
        json!({ "nonce": "n" }),
        json!({ "sub": null }),
        json!({ "iat": NOW / 1000 - 301 }),
        json!({ "iat": null }),
        json!({ "exp": NOW / 1000 - 61 }),
    ] {
        let body = json!({ "token": claims(&provider, other) });
        let told = provider.control(&body).await;
        tokens.push(told["token"].as_str().unwrap().to_owned());
    }
    provider.control(&json!({ "sign": "other" })).await;
    let told = provider
        .control(&json!({ "token": claims(&provider, json!({})) }))
        .await;
    tokens.push(told["token"].as_str().unwrap().to_owned());
    for token in &tokens {
        let answer = send_token(&app, token).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        assert!(
            token.is_empty() || !answer.text.contains(token.as_str()),
            "{}",
            answer.text
        );
    }
    assert!(is_signed_in(&browser).await);
    app.finish().await;
}

#[actix::test]
async fn the_browser_brings_the_providers_logout_by_its_session() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    let browser = provider.signed_in(&app, &ada(&[])).await;
    let sid = provider.control(&json!({})).await["sid"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = "/api/auth/oidc/test/logout";
    for query in [
        String::new(),
        format!("?sid={sid}"),
        format!("?iss={}", provider.url),
        format!("?iss=x&sid={sid}"),
    ] {
        let answer = Browser::new(&app).get(&format!("{path}{query}")).await;
        assert_eq!(answer.status, 400, "{query}: {}", answer.text);
    }
    let other = format!("{path}?iss={}&sid=other", provider.url);
    assert_eq!(Browser::new(&app).get(&other).await.status, 200);
    assert!(is_signed_in(&browser).await);
    let own = format!("{path}?iss={}&sid={sid}", provider.url);
    assert_eq!(Browser::new(&app).get(&own).await.status, 200);
    assert!(!is_signed_in(&browser).await);
    app.finish().await;
}
