//! Which paths exist, and what every answer carries.

use actix_web::{http::Method, test::TestRequest};
use serde_json::json;

use super::harness::TestApp;
use crate::http::{Host, openapi, procedures, routes::Route, tables};

#[actix::test]
async fn every_documented_operation_is_served_and_nothing_else_is() {
    let app = TestApp::open().await;
    let document = openapi::document(&app.shared.urls);
    let mut documented = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item
            .as_object()
            .unwrap()
            .keys()
            .filter(|key| *key != "servers")
        {
            documented.push((method.to_uppercase(), path.clone()));
        }
    }
    let mut served: Vec<(String, String)> = tables()
        .iter()
        .map(|route| (route.method.to_string(), route.path.to_owned()))
        .collect();
    for procedure in procedures::all() {
        served.push((
            "POST".into(),
            format!("/{}/{}", procedure.group, procedure.name),
        ));
        let rpc = format!("/rpc/{}/{}", procedure.router, procedure.name);
        if procedure.reads {
            served.push(("GET".into(), rpc.clone()));
        }
        served.push(("POST".into(), rpc));
    }
    documented.sort();
    served.sort();
    assert_eq!(documented, served);
    let token = app.push_token().await;
    let (slug, shown) = app.status_page().await;
    // A stream has no end to wait for, and the page has no logo.
    let ends = |route: &&Route| {
        let has_content = !route.path.ends_with("/logo");
        route.host == Host::Base && route.media != "text/event-stream" && has_content
    };
    let all = tables();
    for route in all.iter().filter(ends) {
        let id = match route.path {
            "/scim/v2/ResourceTypes/{id}" => "User",
            "/scim/v2/Schemas/{id}" => "urn:ietf:params:scim:schemas:core:2.0:User",
            path if path.starts_with("/status/") => &shown,
            _ => "some",
        };
        let path = route
            .path
            .replace("{slug}", &slug)
            .replace("{id}", id)
            .replace("{provider}", "some")
            .replace("{token}", &token)
            .replace("{group}", "websites")
            .replace("{guide}", "quickstart");
        let request = TestRequest::default()
            .method(route.method.clone())
            .uri(&path);
        let answer = app.send(Host::Base, request).await;
        assert!(
            !matches!(answer.status.as_u16(), 404 | 405),
            "{route:?} is not served"
        );
        let is_served = |method: &Method| {
            let same = |other: &Route| (other.path, &other.method) == (route.path, method);
            all.iter().any(same)
        };
        let others = [Method::PUT, Method::PATCH, Method::POST];
        let other = others.into_iter().find(|method| !is_served(method));
        let other = other.expect("a method that the path does not have");
        let request = TestRequest::default().method(other).uri(&path);
        let answer = app.send(Host::Base, request).await;
        assert_eq!(answer.status, 405, "{route:?}");
        assert!(answer.header("allow").contains(route.method.as_str()));
    }
    app.close().await;
}

#[actix::test]
async fn nothing_is_ever_read_from_the_filesystem() {
    let app = TestApp::open().await;
    let ups = [
        "..",
        "%2e%2e",
        "..%2f",
        "%2e%2e%2f",
        "..%5c",
        "....//",
        "%252e%252e%252f",
        "..;",
        ".%2e",
        "%c0%ae%c0%ae",
    ];
    let targets = [
        "etc/passwd",
        "Cargo.toml",
        "config/pharos.toml",
        "data/state.db",
        "etc%2fpasswd",
    ];
    let prefixes = ["/", "/docs/", "/status/", "/v1/", "/rpc/"];
    for prefix in prefixes {
        for up in ups {
            for target in targets {
                for path in [
                    format!("{prefix}{up}/{target}"),
                    format!("{prefix}{up}/{up}/{up}/{target}"),
                ] {
                    let answer = app.get(&path, &[]).await;
                    assert_eq!(answer.status, 404, "{path}");
                }
            }
        }
    }
    for path in [
        "//etc/passwd",
        "/%00",
        "/docs/%00.html",
        "/C:%5cwindows",
        "/.git/config",
        "/.env",
    ] {
        assert_eq!(app.get(path, &[]).await.status, 404, "{path}");
    }
    app.close().await;
}

#[actix::test]
async fn unknown_paths_are_spelled_by_their_prefix() {
    let app = TestApp::open().await;
    let rest = app.get("/v1/nothing", &[]).await;
    assert_eq!(rest.code(), (404, "NOT_FOUND".into()));
    assert_eq!(rest.json()["success"], false);
    for path in ["/rpc/nothing/here", "/websites/nothing"] {
        let rpc = app.post(path, &[], json!({})).await;
        assert_eq!(rpc.json()["defined"], true, "{path}");
        assert_eq!(rpc.status, 404);
    }
    let track = app
        .send(Host::Track, TestRequest::post().uri("/nothing"))
        .await;
    assert_eq!(
        (track.status.as_u16(), track.body.len()),
        (404, 0),
        "without a body"
    );
    let page = app.send(Host::Links, TestRequest::get().uri("/abc")).await;
    assert_eq!(
        (page.status.as_u16(), page.header("content-type")),
        (404, "text/html; charset=utf-8")
    );
    let accept = TestRequest::get()
        .uri("/abc")
        .insert_header(("accept", "application/json"));
    assert_eq!(
        app.send(Host::Links, accept).await.code(),
        (404, "NOT_FOUND".into())
    );
    app.close().await;
}

#[actix::test]
async fn every_answer_is_named_and_hardened() {
    let app = TestApp::open().await;
    for (path, status) in [
        ("/health", 200),
        ("/v1/query", 405),
        ("/nothing", 404),
        ("/docs", 200),
    ] {
        let answer = app.get(path, &[("x-request-id", "mine_1")]).await;
        assert_eq!(answer.status, status, "{path}");
        assert_eq!(answer.header("x-request-id"), "mine_1");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert!(
            answer
                .header("content-security-policy")
                .contains("default-src 'none'")
        );
    }
    let answer = app
        .get("/v1/query/websites", &[("x-request-id", "not sane")])
        .await;
    assert_ne!(answer.header("x-request-id"), "not sane");
    assert_eq!(answer.json()["requestId"], answer.header("x-request-id"));
    for host in [Host::Base, Host::Track, Host::Links] {
        let answer = app.send(host, TestRequest::get().uri("/health")).await;
        assert_eq!(answer.json(), json!({ "status": "ok" }));
        let answer = app
            .send(
                host,
                TestRequest::default().method(Method::HEAD).uri("/health"),
            )
            .await;
        assert_eq!(answer.status, 200);
    }
    app.close().await;
}

#[actix::test]
async fn addresses_in_answers_are_the_configured_ones() {
    let app = TestApp::open().await;
    for path in ["/openapi.json", "/docs", "/health", "/nothing"] {
        let answer = app
            .get(
                path,
                &[
                    ("host", "evil.example"),
                    ("x-forwarded-host", "evil.example"),
                ],
            )
            .await;
        assert!(
            !String::from_utf8_lossy(&answer.body).contains("evil.example"),
            "{path}"
        );
    }
    app.close().await;
}

#[actix::test]
async fn readiness_names_what_does_not_answer() {
    let mut app = TestApp::open().await;
    assert_eq!(app.get("/health/ready", &[]).await.status, 200);
    let checks = &mut app.shared_mut().checks;
    checks.push(("fine", Box::new(|| Box::pin(async { true }))));
    checks.push(("events", Box::new(|| Box::pin(async { false }))));
    let answer = app.get("/health/ready", &[]).await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.header("retry-after"), "5");
    assert_eq!(answer.json()["failing"], json!(["events"]));
    app.close().await;
}
