//! The two styles of errors and the forms of a call, as callers meet them: every code that a procedure or a query can be
//! answered with, in every form in which it can be asked, and bodies at their limit.

use std::net::TcpStream;

use pharos::access::Scope;
use serde_json::{Value, json};

use crate::{
    app::{Answer, App, NOW},
    ingestion::raw::{chunked, read_all, statuses, write_all},
};

/// The forms of a call of a procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `POST /<group>/<procedure>` with the input.
    Plain,
    /// `POST /rpc/<router>/<procedure>` with the input.
    Bare,
    /// The same with `{"json": …}`.
    Envelope,
    /// The same with an empty `meta` beside it.
    WithMeta,
}

const FORMS: [Form; 4] = [Form::Plain, Form::Bare, Form::Envelope, Form::WithMeta];

impl Form {
    fn path(self, procedure: &str) -> String {
        match self {
            Self::Plain => format!("/{procedure}"),
            Self::Bare | Self::Envelope | Self::WithMeta => format!("/rpc/{procedure}"),
        }
    }

    fn body(self, input: &Value) -> Value {
        match self {
            Self::Plain | Self::Bare => input.clone(),
            Self::Envelope => json!({ "json": input }),
            Self::WithMeta => json!({ "json": input, "meta": [] }),
        }
    }

    /// What was answered, out of its envelope.
    fn open(self, answer: &Answer) -> Value {
        match self {
            Self::Plain | Self::Bare => answer.body.clone(),
            Self::Envelope | Self::WithMeta => {
                let names: Vec<&String> = answer.body.as_object().unwrap().keys().collect();
                assert!(
                    names
                        .iter()
                        .all(|name| ["json", "meta"].contains(&name.as_str()))
                );
                answer.body["json"].clone()
            }
        }
    }

    async fn call(self, app: &App, key: &str, procedure: &str, input: &Value) -> Answer {
        let url = format!("{}{}", app.base, self.path(procedure));
        let request = app.http.post(url).json(&self.body(input));
        Answer::send(match key {
            "" => request,
            key => request.header("x-api-key", key),
        })
        .await
    }
}

/// The five fields of a typed error, no more.
fn typed(code: &str, status: u16, message: &str, data: &Value) -> Value {
    json!({ "defined": true, "code": code, "status": status, "message": message, "data": data })
}

#[actix::test]
async fn every_typed_error_is_the_same_in_every_form() {
    let app = App::with("plans.enabled = true\nplans.free.websites = 1").await;
    let narrow = app.key_with(&[Scope::ReadLinks]).await;
    let key = app.key.as_str();
    let website = json!({ "id": app.website });
    let cases = [
        ("", "websites/getById", website.clone(), 401, "UNAUTHORIZED"),
        (
            "svc_nobody",
            "websites/getById",
            website.clone(),
            401,
            "UNAUTHORIZED",
        ),
        (&narrow, "websites/getById", website, 403, "FORBIDDEN"),
    ];
    for form in FORMS {
        for (key, procedure, input, status, code) in &cases {
            let answer = form.call(&app, key, procedure, input).await;
            let error = form.open(&answer);
            assert_eq!(answer.status, *status, "{form:?}: {}", answer.text);
            assert_eq!(error["code"], *code, "{form:?}");
            assert_eq!(error["status"], *status, "{form:?}");
            assert_eq!(error["defined"], true, "{form:?}");
            assert!(
                error["message"].is_string() && error.get("data").is_none(),
                "{error}"
            );
        }
        for (procedure, input, expected) in [
            (
                "websites/getById",
                json!({ "id": "nope" }),
                typed(
                    "NOT_FOUND",
                    404,
                    "website not found",
                    &json!({ "resourceType": "website", "resourceId": "nope" }),
                ),
            ),
            (
                "websites/create",
                json!({ "name": "w", "domain": "w.example" }),
                typed(
                    "PLAN_LIMIT_EXCEEDED",
                    402,
                    "The plan allows 1 website",
                    &json!({ "limit": 1, "current": 1, "nextPlan": "hobby" }),
                ),
            ),
        ] {
            let answer = form.call(&app, key, procedure, &input).await;
            assert_eq!(form.open(&answer), expected, "{form:?}");
            assert_eq!(u64::from(answer.status), expected["status"], "{form:?}");
        }
        let wrong = form
            .call(&app, key, "websites/getById", &json!({ "id": 5 }))
            .await;
        let error = form.open(&wrong);
        assert_eq!(wrong.status, 400);
        assert_eq!(error["data"]["issues"][0]["path"], json!(["id"]), "{error}");
        for (field, value) in [
            ("defined", json!(false)),
            ("code", json!("BAD_REQUEST")),
            ("status", json!(400)),
            ("message", json!("Input validation failed")),
        ] {
            assert_eq!(error[field], value, "{form:?} {field}");
        }
    }
    app.finish().await;
}

#[actix::test]
async fn what_exists_already_and_what_comes_too_often_say_so_in_every_form() {
    let app = App::with("limits.key_failures = 1").await;
    let link = json!({ "name": "l", "slug": "taken", "targetUrl": "https://target.example/" });
    let made = Form::Plain
        .call(&app, &app.key, "links/create", &link)
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    let stranger = "svc_nobody";
    let first = Form::Plain
        .call(&app, stranger, "links/list", &json!({}))
        .await;
    assert_eq!(first.status, 401);
    for form in FORMS {
        let taken = form.call(&app, &app.key, "links/create", &link).await;
        let error = form.open(&taken);
        assert_eq!((taken.status, &error["code"]), (409, &json!("CONFLICT")));
        assert_eq!(
            error["data"],
            json!({ "resourceType": "link", "resourceId": "taken" })
        );
        let limited = form.call(&app, stranger, "links/list", &json!({})).await;
        let message = "Rate limit exceeded";
        let expected = typed("RATE_LIMITED", 429, message, &json!({ "retryAfter": 60 }));
        assert_eq!(form.open(&limited), expected, "{form:?}");
        for (name, value) in [
            ("retry-after", "60".to_owned()),
            ("x-ratelimit-limit", "1".to_owned()),
            ("x-ratelimit-remaining", "0".to_owned()),
            ("x-ratelimit-reset", (NOW + 60_000).to_string()),
        ] {
            assert_eq!(limited.header(name), value, "{form:?} {name}");
        }
    }
    app.finish().await;
}

#[actix::test]
async fn what_looks_like_an_envelope_is_one_only_below_rpc_and_only_alone() {
    let app = App::spawn().await;
    let post = async |path: &str, body: &str| {
        let request = app
            .http
            .post(format!("{}{path}", app.base))
            .body(body.to_owned());
        let request = request.header("x-api-key", &app.key);
        Answer::send(request.header("content-type", "application/json")).await
    };
    let id = &app.website;
    for (path, body, status, enveloped) in [
        (
            "/rpc/websites/getById",
            format!(r#"{{"json":{{"id":"{id}"}}}}"#),
            200,
            true,
        ),
        (
            "/rpc/websites/getById",
            format!(r#"{{"id":"{id}"}}"#),
            200,
            false,
        ),
        (
            "/rpc/websites/getById",
            format!(r#"{{"json":{{"id":"{id}"}},"id":"{id}"}}"#),
            200,
            false,
        ),
        (
            "/websites/getById",
            format!(r#"{{"json":{{"id":"{id}"}}}}"#),
            400,
            false,
        ),
        ("/rpc/websites/list", r#"{"json":{}}"#.to_owned(), 200, true),
        (
            "/rpc/websites/list",
            r#"{"json":null}"#.to_owned(),
            200,
            true,
        ),
        ("/rpc/websites/list", r#"{"json":[]}"#.to_owned(), 400, true),
        (
            "/rpc/websites/list",
            r#"{"json":{},"meta":7}"#.to_owned(),
            400,
            true,
        ),
        ("/rpc/websites/list", String::new(), 200, false),
        ("/rpc/websites/list", "null".to_owned(), 400, false),
        ("/rpc/websites/list", "{".to_owned(), 400, false),
        ("/rpc/websites/list", "\u{feff}{}".to_owned(), 400, false),
        ("/rpc/websites/list", "[[[[".repeat(10_000), 400, false),
    ] {
        let answer = post(path, &body).await;
        let short: String = body.chars().take(60).collect();
        assert_eq!(answer.status, status, "{path} {short}: {}", answer.text);
        let wrapped = answer.body.get("json").is_some();
        assert_eq!(wrapped, enveloped, "{path} {short}: {}", answer.text);
    }
    for (query, status) in [
        ("", 400),
        ("?data=%7B%7D", 400),
        ("?data=nonsense", 400),
        ("?data=%7B%22id%22:%22nope%22%7D", 404),
    ] {
        let answer = app
            .get(format!("{}/rpc/websites/getById{query}", app.base))
            .await;
        assert_eq!(answer.status, status, "{query}: {}", answer.text);
    }
    app.finish().await;
}

/// Posts a body whose size is not said before, and gives status and body of the answer.
async fn in_chunks(app: &App, path: &str, body: String) -> (u16, String) {
    let address = app.base.trim_start_matches("http://").to_owned();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nx-api-key: {}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n",
        app.key
    );
    let answer = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        write_all(&mut stream, head.as_bytes());
        write_all(&mut stream, &chunked(body.as_bytes(), 1000));
        read_all(&mut stream)
    });
    let answer = answer.await.unwrap();
    let status = statuses(&answer).first().copied().unwrap_or_default();
    let body = answer
        .split_once("\r\n\r\n")
        .map(|(_, body)| body.to_owned());
    (status, body.unwrap_or_default())
}

#[actix::test]
async fn a_body_of_the_largest_size_is_read_and_one_byte_more_is_413() {
    let app = App::with("limits.body_bytes = 4096").await;
    let body = |fill: usize| format!(r#"{{"name":"{}","domain":"x"}}"#, "n".repeat(fill));
    let around = body(0).len();
    for (path, style) in [
        ("/websites/create", "typed"),
        ("/rpc/websites/create", "typed"),
        ("/v1/query", "rest"),
        ("/api/auth/sign-in/email", "rest"),
    ] {
        for (size, is_read) in [(4096, true), (4097, false)] {
            for in_pieces in [false, true] {
                let text = body(size - around);
                assert_eq!(text.len(), size);
                let answer = if in_pieces {
                    in_chunks(&app, path, text).await
                } else {
                    let request = app.http.post(format!("{}{path}", app.base)).body(text);
                    let request = request.header("x-api-key", &app.key);
                    let answer = Answer::send(request.header("content-type", "application/json"));
                    let answer = answer.await;
                    (answer.status, answer.text)
                };
                let (status, text) = answer;
                let place = format!("{path} {size} {in_pieces}: {text}");
                if is_read {
                    assert!(![0, 413].contains(&status), "{place}");
                    continue;
                }
                assert_eq!(status, 413, "{place}");
                let body: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(body["code"], "PAYLOAD_TOO_LARGE", "{place}");
                if style == "rest" {
                    assert_eq!(body["success"], false, "{place}");
                } else {
                    assert_eq!(body["status"], 413, "{place}");
                }
            }
        }
    }
    app.finish().await;
}

#[actix::test]
async fn queries_are_refused_in_the_style_of_rest() {
    let app = App::with("plans.enabled = true\nlimits.query_requests_anonymous = 2").await;
    let narrow = app.key_with(&[Scope::TrackEvents]).await;
    let ask = async |key: &str, query: &str, body: &Value| {
        let request = app
            .http
            .post(format!("{}/v1/query{query}", app.base))
            .json(body);
        Answer::send(match key {
            "" => request,
            key => request.header("x-api-key", key),
        })
        .await
    };
    let own = format!("?website_id={}", app.website);
    let country = json!({ "parameters": ["country"], "preset": "today" });
    let errors = json!({ "parameters": ["recent_errors"], "preset": "today" });
    for (key, query, body, status, code) in [
        ("", own.as_str(), &country, 401, "AUTH_REQUIRED"),
        ("svc_nobody", &own, &country, 401, "AUTH_REQUIRED"),
        (
            &app.key,
            &own,
            &json!({ "parameters": [] }),
            400,
            "VALIDATION_ERROR",
        ),
        (&app.key, &own, &errors, 402, "FEATURE_UNAVAILABLE"),
        (&narrow, &own, &country, 403, "FORBIDDEN"),
        (&app.key, "?website_id=nope", &country, 403, "FORBIDDEN"),
        ("", "?website_id=nope", &country, 401, "AUTH_REQUIRED"),
        ("", &own, &country, 429, "RATE_LIMITED"),
    ] {
        let answer = ask(key, query, body).await;
        assert_eq!(answer.status, status, "{query} {body}: {}", answer.text);
        assert_eq!(answer.body["success"], false, "{}", answer.text);
        assert_eq!(answer.body["code"], code, "{}", answer.text);
        assert!(
            answer.body["error"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
        assert!(answer.body.get("defined").is_none(), "{}", answer.text);
    }
    app.finish().await;
}
