//! Every 429 there is: the five headers, and for programs the body of its style.
//!
//! A key's slots are in [`limits`](crate::limits), second factors in `people`; both are spelled by the same code.

use pharos::{
    access::Scope,
    actors::keys::{CreateKey, KeyQuota},
    ids::OrganizationId,
};
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::{
    app::{Answer, App, NOW},
    people::browser::Browser,
    status_pages,
};

const ONE_OF_EACH: &str = "limits.track_requests = 1\nlimits.mcp_requests = 1\nlimits.query_requests = 1\n\
    limits.query_requests_anonymous = 1\nlimits.compile_requests = 1\nlimits.compile_requests_anonymous = 1\n\
    limits.flags_requests = 1\nlimits.key_failures = 1";
const FORM: &str = "application/x-www-form-urlencoded";
/// Windows that no setting makes smaller have at most so many places.
const MAX: usize = 601;

/// The format of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Rest,
    Track,
    Rpc,
    Enveloped,
    Page,
}

/// Repeats a request until it is refused for being one too many, and looks at the refusal.
async fn fill(what: &str, style: Style, request: impl Fn() -> RequestBuilder) {
    let mut tries = 0;
    let refused = loop {
        let answer = Answer::send(request()).await;
        if answer.status == 429 {
            break answer;
        }
        tries += 1;
        assert!(tries <= MAX, "{what} is never too many: {}", answer.text);
    };
    keeps(what, style, &refused);
}

/// A number in a header.
fn number(what: &str, answer: &Answer, name: &str) -> i64 {
    let text = answer.header(name);
    let number = text.parse();
    number.unwrap_or_else(|_| panic!("{what}: {name} is {text:?}"))
}

fn keeps(what: &str, style: Style, answer: &Answer) {
    let [wait, limit, remaining, reset] = [
        "retry-after",
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
    ]
    .map(|name| number(what, answer, name));
    assert!(
        wait >= 1 && limit >= 1 && remaining == 0,
        "{what}: {:?}",
        answer.headers
    );
    assert!(
        reset > NOW && (reset - NOW + 999) / 1_000 == wait,
        "{what}: {reset} {wait}"
    );
    let id = answer.header("x-request-id");
    assert!(!id.is_empty(), "{what}");
    let media = answer.header("content-type");
    let expected = match style {
        Style::Page => "text/html",
        _ => "application/json",
    };
    assert!(media.starts_with(expected), "{what}: {media}");
    let body = &answer.body;
    match style {
        Style::Page => {}
        Style::Rest | Style::Track => {
            for (field, value) in [
                ("success", json!(false)),
                ("code", json!("RATE_LIMITED")),
                ("requestId", json!(id)),
                ("limit", json!(limit)),
                ("remaining", json!(0)),
                ("reset", json!(reset)),
                ("retryAfter", json!(wait)),
            ] {
                assert_eq!(body[field], value, "{what} {field}: {}", answer.text);
            }
            assert!(
                body["error"].as_str().is_some_and(|text| !text.is_empty()),
                "{what}"
            );
            assert_eq!(body["retryable"] == true, style == Style::Track, "{what}");
        }
        Style::Rpc => is_typed(what, body, wait),
        Style::Enveloped => is_typed(what, &body["json"], wait),
    }
}

fn is_typed(what: &str, body: &Value, wait: i64) {
    for (field, value) in [
        ("defined", json!(true)),
        ("code", json!("RATE_LIMITED")),
        ("status", json!(429)),
        ("data", json!({ "retryAfter": wait })),
    ] {
        assert_eq!(body[field], value, "{what} {field}: {body}");
    }
}

#[actix::test]
async fn of_the_windows_of_endpoints() {
    let app = App::with(ONE_OF_EACH).await;
    let post = |url: String| app.http.post(url).json(&json!({}));
    let keyed = |url: String| post(url).header("x-api-key", &app.key);
    for path in ["/v1/query", "/v1/query/compile"] {
        let url = || format!("{}{path}?website_id={}", app.base, app.website);
        fill(path, Style::Rest, || post(url())).await;
        fill(path, Style::Rest, || keyed(url())).await;
    }
    fill("/v1/mcp", Style::Rest, || {
        keyed(format!("{}/v1/mcp", app.base))
    })
    .await;
    for (path, style) in [
        ("/insights/getData", Style::Rpc),
        ("/rpc/insights/getData", Style::Rpc),
        ("/agent-chats/send", Style::Rpc),
    ] {
        fill(path, style, || keyed(format!("{}{path}", app.base))).await;
    }
    let enveloped = || {
        let request = app.http.post(format!("{}/rpc/insights/getData", app.base));
        request
            .header("x-api-key", &app.key)
            .json(&json!({ "json": {} }))
    };
    fill("an envelope", Style::Enveloped, enveloped).await;
    for path in [
        "/track",
        "/",
        "/batch",
        "/vitals",
        "/errors",
        "/engagement",
        "/events",
        "/identify",
        "/ai-traffic",
    ] {
        let url = || format!("{}{path}?website_id={}", app.track, app.website);
        fill(path, Style::Track, || post(url())).await;
        fill(path, Style::Track, || keyed(url())).await;
    }
    fill("/mcp", Style::Track, || keyed(format!("{}/mcp", app.track))).await;
    let flags = format!("{}/public/v1/flags", app.base);
    let client = format!("clientId={}", app.website);
    let get = |path: &str| app.http.get(format!("{flags}{path}"));
    let one = format!("/evaluate?key=a&{client}");
    fill("one flag", Style::Rest, || get(&one)).await;
    let several = format!("/bulk?{client}");
    fill("several flags", Style::Rest, || get(&several)).await;
    let body = json!({ "clientId": app.website });
    let in_body = || app.http.post(format!("{flags}/bulk")).json(&body);
    fill("flags of a body", Style::Rest, in_body).await;
    let context = json!({ "context": { "targetingKey": "u" } });
    for path in ["", "/a"] {
        let url = || format!("{}/ofrep/v1/evaluate/flags{path}", app.base);
        let ask = || {
            app.http
                .post(url())
                .header("x-api-key", &app.key)
                .json(&context)
        };
        fill("OFREP", Style::Rest, ask).await;
    }
    let cookie = Browser::owner(&app).await.cookie();
    let site = format!("{}/console/site/{}/", app.base, app.website);
    fill("a page", Style::Page, || {
        app.http.get(&site).header("cookie", &cookie)
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn of_keys_and_of_those_that_nobody_has() {
    let app = App::with(ONE_OF_EACH).await;
    let quota = KeyQuota {
        enabled: true,
        max: 1,
        window_seconds: 10,
    };
    let key = CreateKey {
        organization: Some(OrganizationId::from(app.organization.as_str())),
        scopes: Scope::ALL.to_vec(),
        quota,
        ..CreateKey::named("few")
    };
    let key = app.make_key(key).await;
    for key in [key.as_str(), "svc_nonsense"] {
        for (url, style) in [
            (format!("{}/v1/query/websites", app.base), Style::Rest),
            (format!("{}/websites/list", app.base), Style::Rpc),
            (format!("{}/track", app.track), Style::Track),
        ] {
            let ask = || {
                app.http
                    .post(&url)
                    .header("x-api-key", key)
                    .json(&json!({}))
            };
            let ask = || match style {
                Style::Rest => app.http.get(&url).header("x-api-key", key),
                _ => ask(),
            };
            fill(&url, style, ask).await;
        }
    }
    app.finish().await;
}

#[actix::test]
async fn of_passwords() {
    let app = App::spawn().await;
    let link = json!({ "name": "Vault", "slug": "vault", "targetUrl": "https://x.example/", "password": "open sesame" });
    let made = app.post(format!("{}/links/create", app.base), &link).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let say = || {
        let request = app.http.post(format!("{}/vault", app.links));
        request.header("content-type", FORM).body("password=no")
    };
    fill("a link's page", Style::Page, say).await;
    fill("a link", Style::Rest, || {
        say().header("accept", "application/json")
    })
    .await;

    let wrong = json!({ "email": "nobody@example.com", "password": "wrong" });
    let sign_in = || {
        app.http
            .post(format!("{}/api/auth/sign-in/email", app.base))
            .json(&wrong)
    };
    fill("sign-in", Style::Rest, sign_in).await;
    let form = || {
        let request = app.http.post(format!("{}/login", app.base));
        let request = request
            .header("origin", &app.base)
            .header("content-type", FORM);
        request.body("email=nobody%40example.com&password=wrong")
    };
    fill("the page of sign-in", Style::Page, form).await;
    let bad = json!({ "token": "x", "newPassword": "a password of one's own" });
    let reset = || {
        app.http
            .post(format!("{}/api/auth/reset-password", app.base))
            .json(&bad)
    };
    fill("a new password", Style::Rest, reset).await;
    app.finish().await;
}

#[actix::test]
async fn of_status_pages_and_monitors() {
    let app = App::with("egress.allow = ['127.0.0.0/8']").await;
    let (_, _, push) = status_pages::page(&app).await;
    let push = push.split_once("/push/").unwrap().1.to_owned();
    fill("a heartbeat", Style::Rest, || {
        app.http.get(format!("{}/push/{push}", app.base))
    })
    .await;
    let url = format!("{}/status/example/subscribe", app.base);
    let form = || {
        let request = app.http.post(&url).header("content-type", FORM);
        request.body("address=https%3A%2F%2F127.0.0.1%3A9%2Fhook")
    };
    fill("following a page", Style::Page, form).await;
    fill("following, as a program", Style::Rest, || {
        form().header("accept", "application/json")
    })
    .await;
    let address = json!({ "address": "https://127.0.0.1:9/hook" });
    fill("following by JSON", Style::Rest, || {
        app.http.post(&url).json(&address)
    })
    .await;
    let read = json!({ "slug": "example" });
    let public = || {
        app.http
            .post(format!("{}/statusPage/getBySlug", app.base))
            .json(&read)
    };
    fill("a page as data", Style::Rpc, public).await;
    app.finish().await;
}
