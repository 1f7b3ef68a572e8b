//! A proxy that signs people in (threat T66).

use serde_json::{Value, json};

use super::Provider;
use crate::{
    app::{Answer, App, NOW},
    cast::PROXY,
};

/// Asks for a path with headers, without following where it leads.
async fn get(app: &App, path: &str, headers: &[(&str, &str)]) -> Answer {
    let client = crate::web::builder().redirect(reqwest::redirect::Policy::none());
    let mut request = client.build().unwrap().get(format!("{}{path}", app.base));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Answer::send(request).await
}

/// The session cookie that `/login` hands out for these headers.
async fn sign_in(app: &App, headers: &[(&str, &str)]) -> Option<String> {
    let answer = get(app, "/login?next=/console/account", headers).await;
    if answer.status != 303 {
        return None;
    }
    assert_eq!(answer.header("location"), "/console/account");
    let cookie = answer.header("set-cookie").split(';').next().unwrap();
    Some(cookie.to_owned())
}

async fn session(app: &App, cookie: &str, headers: &[(&str, &str)]) -> Value {
    let all: Vec<_> = headers
        .iter()
        .copied()
        .chain([("cookie", cookie)])
        .collect();
    get(app, "/api/auth/get-session", &all).await.body
}

#[actix::test]
async fn a_trusted_proxy_signs_people_in_and_their_session_needs_it() {
    let app = App::with(PROXY).await;
    let own = ("remote-email", "ADMIN@localhost");
    let cookie = sign_in(&app, &[own]).await.unwrap();
    let who = session(&app, &cookie, &[own]).await;
    assert_eq!(who["user"]["email"], app.email);
    assert_eq!(who["session"]["method"], "proxy");
    for other in [&[][..], &[("remote-email", "other@localhost")], &[own, own]] {
        assert_eq!(
            session(&app, &cookie, other).await,
            Value::Null,
            "{other:?}"
        );
    }
    // Strangers stay strangers, and a header that is there twice says nothing.
    assert_eq!(sign_in(&app, &[own, own]).await, None);
    let stranger = get(&app, "/login", &[("remote-email", "nobody@localhost")]).await;
    assert_eq!(stranger.status, 403, "{}", stranger.text);
    app.finish().await;
}

#[actix::test]
async fn the_header_is_inert_from_anywhere_else() {
    let elsewhere = "server.trusted_proxies = ['10.0.0.0/8']\nauth.proxy_header = 'Remote-Email'";
    for toml in [elsewhere, "server.trusted_proxies = ['127.0.0.1/32']"] {
        let app = App::with(toml).await;
        let spoofed = [
            ("remote-email", "admin@localhost"),
            ("x-forwarded-for", "10.0.0.1"),
        ];
        assert_eq!(sign_in(&app, &spoofed).await, None, "{toml}");
        app.finish().await;
    }
}

#[actix::test]
async fn a_signed_assertion_is_checked_with_the_proxys_keys() {
    let provider = Provider::start();
    let toml = format!(
        "server.trusted_proxies = ['127.0.0.1/32']\nauth.proxy_header = 'Cf-Access-Jwt-Assertion'\n\
         auth.proxy_jwks_url = '{}/jwks'\nauth.proxy_audience = 'app-1'",
        provider.url
    );
    let app = App::with(&toml).await;
    let claims = |other: Value| {
        let mut claims = json!({
            "iss": provider.url, "aud": ["app-1"], "iat": NOW / 1000, "exp": NOW / 1000 + 60, "email": app.email,
        });
        for (name, value) in other.as_object().unwrap() {
            claims[name] = value.clone();
        }
        claims
    };
    for (other, sign) in [
        (json!({ "aud": ["app-2"] }), "own"),
        (json!({ "iss": "https://other.example" }), "own"),
        (json!({ "exp": NOW / 1000 - 61 }), "own"),
        (json!({ "exp": null }), "own"),
        (json!({ "email": null }), "own"),
        (json!({}), "other"),
        (json!({}), "none"),
    ] {
        let body = json!({ "sign": sign, "token": claims(other.clone()) });
        let told = provider.control(&body).await;
        let header = ("cf-access-jwt-assertion", told["token"].as_str().unwrap());
        assert_eq!(sign_in(&app, &[header]).await, None, "{other} {sign}");
    }
    for plain in ["admin@localhost", "x.y.z"] {
        assert_eq!(
            sign_in(&app, &[("cf-access-jwt-assertion", plain)]).await,
            None
        );
    }
    let told = provider
        .control(&json!({ "sign": "own", "token": claims(json!({})) }))
        .await;
    let header = ("cf-access-jwt-assertion", told["token"].as_str().unwrap());
    let cookie = sign_in(&app, &[header]).await.unwrap();
    let who = session(&app, &cookie, &[header]).await;
    assert_eq!(who["user"]["email"], app.email);
    assert_eq!(session(&app, &cookie, &[]).await, Value::Null);
    app.finish().await;
}
