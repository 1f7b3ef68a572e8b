//! What a foreign page can make a browser do with our cookie, or about it: nothing (threats T34, T35, T36, T44).

use reqwest::Method;
use serde_json::{Value, json};

use super::browser::Browser;
use crate::app::{Answer, App};

/// The origin of a request, and whether it may act with a cookie. `{base}` is our own origin.
const SENDERS: &[(Option<&str>, Option<&str>, bool)] = &[
    (None, None, true),
    (Some("{base}"), None, true),
    (Some("{base}"), Some("same-origin"), true),
    (None, Some("same-origin"), true),
    (None, Some("none"), true),
    (None, Some("same-site"), false),
    (None, Some("cross-site"), false),
    (Some("null"), None, false),
    (Some("null"), Some("same-origin"), false),
    (Some("{base}.evil.tld"), None, false),
    (Some("https://evil.tld"), None, false),
    (Some("https://evil.tld"), Some("same-origin"), false),
    (Some("https://evil.tld"), Some("none"), false),
    (Some("https://evil.tld"), Some("cross-site"), false),
];

/// Content types, and whether a foreign page needs leave to send them.
const BODIES: &[(Option<&str>, bool)] = &[
    (Some("application/json"), true),
    (Some("application/json; charset=utf-8"), true),
    (Some("text/plain"), false),
    (Some("text/plain; charset=application/json"), false),
    (Some("application/x-www-form-urlencoded"), false),
    (Some("multipart/form-data; boundary=x"), false),
    (None, false),
];

async fn send(
    app: &App,
    path: &str,
    cookie: &str,
    (origin, site): (Option<&str>, Option<&str>),
    (kind, body): (Option<&str>, &Value),
) -> Answer {
    let mut request = app
        .http
        .post(format!("{}{path}", app.base))
        .body(body.to_string());
    let origin = origin.map(|origin| origin.replace("{base}", &app.base));
    for (name, value) in [
        ("origin", origin.as_deref()),
        ("sec-fetch-site", site),
        ("content-type", kind),
        ("cookie", Some(cookie).filter(|cookie| !cookie.is_empty())),
    ] {
        if let Some(value) = value {
            request = request.header(name, value);
        }
    }
    Answer::send(request).await
}

#[actix::test]
async fn only_our_own_pages_act_with_a_cookie_and_only_in_json() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let cookie = owner.cookie();
    let query = format!("/v1/query?website_id={}", app.website);
    let asked = json!({ "parameters": ["summary_totals"], "preset": "today" });
    let renamed = json!({ "name": "Ada" });
    let empty = json!({});
    for (path, body) in [
        ("/api/auth/update-user", &renamed),
        ("/websites/list", &empty),
        ("/rpc/websites/list", &empty),
        (&query, &asked),
    ] {
        for (origin, site, own) in SENDERS {
            for (kind, json) in BODIES {
                let answer = send(&app, path, &cookie, (*origin, *site), (*kind, body)).await;
                let expected = match (own, json) {
                    (false, _) => 403,
                    (true, false) => 415,
                    (true, true) => 200,
                };
                assert_eq!(
                    answer.status, expected,
                    "{path} {origin:?} {site:?} {kind:?}: {}",
                    answer.text
                );
            }
        }
    }
    // Whatever is served there one day.
    let mcp = send(
        &app,
        "/v1/mcp",
        &cookie,
        (Some("https://evil.tld"), None),
        (Some("application/json"), &empty),
    );
    assert_eq!(mcp.await.status, 403);
    app.finish().await;
}

#[actix::test]
async fn nobody_is_signed_in_from_a_foreign_page() {
    let app = App::spawn().await;
    let right = json!({ "email": app.email, "password": app.password });
    let empty = json!({});
    for (origin, site, own) in SENDERS {
        for (kind, json) in BODIES {
            let expected = match (own, json) {
                (false, _) => 403,
                (true, false) => 415,
                (true, true) => 200,
            };
            for (path, body) in [
                ("/api/auth/sign-in/email", &right),
                ("/api/auth/sign-out", &empty),
            ] {
                let answer = send(&app, path, "", (*origin, *site), (*kind, body)).await;
                assert_eq!(
                    answer.status, expected,
                    "{path} {origin:?} {site:?} {kind:?}"
                );
                let set = answer.headers.contains_key("set-cookie");
                assert_eq!(set, expected == 200, "{path}");
            }
        }
    }
    app.finish().await;
}

#[actix::test]
async fn a_foreign_page_reads_nothing_and_a_key_is_no_cookie() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    for origin in [
        "null",
        "https://evil.tld",
        &format!("{}.evil.tld", app.base),
    ] {
        for path in ["/api/auth/get-session", "/v1/query/websites"] {
            let url = format!("{}{path}", app.base);
            let preflight = app
                .http
                .request(Method::OPTIONS, &url)
                .header("origin", origin)
                .header("access-control-request-method", "GET");
            let read = app
                .http
                .get(&url)
                .header("origin", origin)
                .header("cookie", owner.cookie());
            for request in [preflight, read] {
                let answer = Answer::send(request).await;
                assert_eq!(answer.header("access-control-allow-origin"), "", "{origin}");
                assert_eq!(answer.header("access-control-allow-credentials"), "");
                assert_eq!(answer.header("vary"), "origin", "{path}");
            }
        }
    }
    let own = app
        .http
        .get(format!("{}/api/auth/get-session", app.base))
        .header("origin", &app.base);
    let own = Answer::send(own).await;
    assert_eq!(own.header("access-control-allow-origin"), app.base);
    assert_eq!(own.header("access-control-allow-credentials"), "true");

    let key = app
        .http
        .post(format!("{}/websites/list", app.base))
        .header("x-api-key", &app.key)
        .header("cookie", owner.cookie())
        .header("origin", "https://evil.tld")
        .header("content-type", "text/plain")
        .body("{}");
    assert_eq!(Answer::send(key).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn every_answer_forbids_frames_and_guessing_its_kind() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    for (host, path) in [
        (&app.base, "/health"),
        (&app.base, "/docs"),
        (&app.base, "/openapi.json"),
        (&app.base, "/api/auth/get-session"),
        (&app.base, "/v1/query/websites"),
        (&app.base, "/nowhere"),
        (&app.track, "/health"),
        (&app.track, "/track"),
        (&app.track, "/nowhere"),
        (&app.links, "/health"),
        (&app.links, "/nowhere"),
    ] {
        let answer = if *host == app.base {
            owner.get(path).await
        } else {
            Answer::send(app.http.get(format!("{host}{path}"))).await
        };
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("default-src 'none'"), "{path}: {policy}");
        assert!(
            policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
        for (name, value) in [
            ("x-frame-options", "DENY"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
        ] {
            assert_eq!(answer.header(name), value, "{path}");
        }
        if path.starts_with("/api") {
            assert_eq!(answer.header("cache-control"), "no-store");
        }
    }
    app.finish().await;
}

#[actix::test]
async fn a_forged_host_is_nowhere_in_an_answer() {
    const EVIL: &str = "evil.tld";
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let right = json!({ "email": app.email, "password": app.password });
    for (method, path, body) in [
        (Method::GET, "/", None),
        (Method::GET, "/docs", None),
        (Method::GET, "/openapi.json", None),
        (Method::GET, "/health/ready", None),
        (Method::GET, "/api/auth/get-session", None),
        (Method::GET, "/api/auth/list-sessions", None),
        (Method::POST, "/api/auth/sign-in/email", Some(&right)),
        (Method::POST, "/websites/list", Some(&json!({}))),
        (Method::GET, "/nowhere", None),
    ] {
        for name in ["host", "x-forwarded-host", "forwarded"] {
            let value = if name == "forwarded" {
                format!("host={EVIL}")
            } else {
                EVIL.to_owned()
            };
            let mut request = app
                .http
                .request(method.clone(), format!("{}{path}", app.base))
                .header(name, value)
                .header("cookie", owner.cookie());
            if let Some(body) = body {
                request = request.json(body);
            }
            let answer = Answer::send(request).await;
            assert!(!answer.text.contains(EVIL), "{path} {name}");
            let headers = format!("{:?}", answer.headers);
            assert!(!headers.contains(EVIL), "{path} {name}: {headers}");
        }
    }
    app.finish().await;
}
