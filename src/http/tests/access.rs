//! Who is let in, and in what order things are refused.

use actix_web::test::TestRequest;
use serde_json::json;

use super::harness::{BASE, TestApp};
use crate::{
    access::Scope,
    actors::keys::{Manager, RevokeKey},
    http::{Host, Options},
    store::limits::Limits,
};

#[actix::test]
async fn a_key_that_is_present_decides_on_every_route() {
    let app = TestApp::open().await;
    let website = app.website();
    let cookie = app.sign_in().await;
    let unknown = "svc_000000000000000000000000000000000000000000000000";
    for path in ["/health", "/v1/query/types", "/nothing", "/docs"] {
        let answer = app.get(path, &[("x-api-key", unknown)]).await;
        assert_eq!(answer.code(), (401, "AUTH_REQUIRED".into()), "{path}");
        let answer = app
            .get(
                path,
                &[("authorization", "bearer nonsense"), ("cookie", &cookie)],
            )
            .await;
        assert_eq!(answer.status, 401, "{path}");
    }
    let answer = app
        .post(
            &format!("/v1/query?website_id={website}"),
            &[("x-api-key", "")],
            json!({}),
        )
        .await;
    assert_eq!(answer.status, 401);
    let answer = app
        .post("/websites/list", &[("x-api-key", unknown)], json!({}))
        .await;
    assert_eq!(
        answer.code(),
        (401, "UNAUTHORIZED".into()),
        "in the style of the path"
    );
    for host in [Host::Track, Host::Links] {
        let request = TestRequest::get()
            .uri("/health")
            .insert_header(("x-api-key", unknown));
        assert_eq!(
            app.send(host, request).await.code(),
            (401, "AUTH_REQUIRED".into())
        );
    }
    app.close().await;
}

#[actix::test]
async fn either_header_works_and_two_keys_must_agree() {
    let app = TestApp::open().await;
    let (one, two) = (app.key(), app.key_with(&[Scope::ReadData]).await);
    let bearer = format!("BEARER {one}");
    for headers in [
        &[("x-api-key", one.as_str())][..],
        &[("authorization", &bearer)],
        &[("x-api-key", &one), ("authorization", &bearer)],
    ] {
        assert_eq!(
            app.get("/v1/query/websites", headers).await.status,
            200,
            "{headers:?}"
        );
    }
    let answer = app
        .get(
            "/v1/query/websites",
            &[("x-api-key", &two), ("authorization", &bearer)],
        )
        .await;
    assert_eq!(answer.code(), (401, "AUTH_REQUIRED".into()));
    let answer = app
        .get(&format!("/v1/query/websites?x-api-key={one}"), &[])
        .await;
    assert_eq!(answer.status, 401, "a key in the query string is none");
    app.close().await;
}

#[actix::test]
async fn a_revoked_key_is_dead_at_once() {
    let app = TestApp::open().await;
    let secret = app.key_with(&[Scope::ReadData]).await;
    let headers = [("x-api-key", secret.as_str())];
    assert_eq!(app.get("/v1/query/websites", &headers).await.status, 200);
    let id = app
        .shared
        .keys
        .view()
        .authenticate(&secret, 0)
        .unwrap()
        .id()
        .clone();
    let by = Manager::SYSTEM;
    app.shared.keys.ask(RevokeKey { by, id }).await.unwrap();
    assert_eq!(app.get("/v1/query/websites", &headers).await.status, 401);
    app.close().await;
}

/// Threat T14: neither a good key nor a made-up one ever asks the database.
#[actix::test]
async fn keys_are_known_without_the_database() {
    let limits = Limits {
        key_failures: 0,
        ..Limits::default()
    };
    let app = TestApp::with(limits, Options::default()).await;
    let (good, cookie) = (app.key(), app.sign_in().await);
    app.without_state().await;
    let list = "/v1/query/websites";
    assert_eq!(app.get(list, &[("x-api-key", &good)]).await.status, 200);
    assert_eq!(app.get(list, &[("cookie", &cookie)]).await.status, 200);
    // One whose checksum is right, and many whose is not.
    let stranger = crate::actors::keys::secret::generate().unwrap();
    let wrong = (0..500).map(|number| format!("svc_{number:048}"));
    let stranger = secrecy::ExposeSecret::expose_secret(&stranger).to_owned();
    for key in wrong.chain([stranger]) {
        let answer = app.get(list, &[("x-api-key", &key)]).await;
        assert_eq!(answer.code(), (401, "AUTH_REQUIRED".into()));
    }
    let create = json!({ "name": "n", "domain": "new.example" });
    let refused = app
        .post("/websites/create", &[("x-api-key", &good)], create)
        .await;
    assert_eq!(refused.status, 503, "it is really gone");
    app.close().await;
}

#[actix::test]
async fn cookie_callers_must_come_from_our_own_pages_to_change_anything() {
    let app = TestApp::open().await;
    let cookie = app.sign_in().await;
    let evil = ("origin", "https://pharos.test.evil.tld");
    for (headers, status) in [
        (&[][..], 200),
        (&[("origin", BASE)], 200),
        (&[("sec-fetch-site", "same-origin")], 200),
        (&[("sec-fetch-site", "none")], 200),
        (&[evil], 403),
        (&[("origin", "null")], 403),
        (&[("sec-fetch-site", "cross-site")], 403),
    ] {
        let all = [headers, &[("cookie", cookie.as_str())]].concat();
        let answer = app.post("/websites/list", &all, json!({})).await;
        assert_eq!(answer.status, status, "{headers:?}");
        let answer = app.get("/v1/query/websites", &all).await;
        assert_eq!(answer.status, 200, "reading is harmless: {headers:?}");
    }
    let key = app.key();
    let answer = app
        .post(
            "/websites/list",
            &[("x-api-key", &key), ("cookie", &cookie), evil],
            json!({}),
        )
        .await;
    assert_eq!(answer.status, 200, "a key is no ambient authority");
    app.close().await;
}

#[actix::test]
async fn refusals_come_in_the_promised_order() {
    let limits = Limits {
        query_requests_anonymous: 1,
        query_requests: 1,
        ..Limits::default()
    };
    let options = Options {
        body_bytes: 100,
        ..Options::default()
    };
    let app = TestApp::with(limits, options).await;
    let (large, wrong) = (
        json!({ "padding": "x".repeat(200) }),
        json!({ "parameters": [] }),
    );
    let bad_key = [("x-api-key", "nonsense")];
    assert_eq!(
        app.post("/v1/query", &bad_key, large).await.code(),
        (413, "PAYLOAD_TOO_LARGE".into())
    );
    assert_eq!(
        app.post("/v1/query", &bad_key, wrong.clone()).await.code(),
        (401, "AUTH_REQUIRED".into())
    );
    let key = app.key_with(&[Scope::TrackEvents]).await;
    let headers = [("x-api-key", key.as_str())];
    assert_eq!(
        app.post("/v1/query", &headers, wrong.clone()).await.code(),
        (403, "FORBIDDEN".into())
    );
    assert_eq!(
        app.post("/v1/query", &headers, wrong).await.code(),
        (429, "RATE_LIMITED".into())
    );
    app.close().await;
}

#[actix::test]
async fn other_origins_get_no_credentials() {
    let app = TestApp::open().await;
    let preflight = |origin: &'static str| {
        TestRequest::default()
            .method(actix_web::http::Method::OPTIONS)
            .uri("/v1/query")
            .insert_header(("origin", origin))
            .insert_header(("access-control-request-method", "POST"))
    };
    let own = app.send(Host::Base, preflight(BASE)).await;
    assert_eq!(own.status, 204);
    assert_eq!(own.header("access-control-allow-origin"), BASE);
    assert_eq!(own.header("access-control-allow-credentials"), "true");
    for origin in ["null", "http://pharos.test.evil.tld", "https://pharos.test"] {
        let answer = app.send(Host::Base, preflight(origin)).await;
        assert_eq!(answer.header("access-control-allow-origin"), "", "{origin}");
        assert_eq!(answer.header("vary"), "origin");
        let answer = app.send(Host::Links, preflight(origin)).await;
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(answer.header("access-control-allow-credentials"), "");
    }
    app.close().await;
}

#[actix::test]
async fn figures_are_for_an_administrators_key_or_the_machine_itself() {
    let app = TestApp::open().await;
    let admin = app.key();
    let answer = app.get("/metrics", &[("x-api-key", &admin)]).await;
    assert_eq!(answer.status, 200);
    let reader = app.key_with(&[Scope::ReadData]).await;
    assert_eq!(
        app.get("/metrics", &[("x-api-key", &reader)]).await.status,
        403
    );
    assert_eq!(
        app.get("/metrics", &[]).await.status,
        401,
        "not from this machine"
    );
    app.close().await;
}
