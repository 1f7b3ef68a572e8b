//! `/v1/query*`: who may ask about what.

use serde_json::json;

use super::harness::TestApp;
use crate::{
    access::Scope,
    actors::websites::{CreateWebsite, TogglePublic},
};

#[actix::test]
async fn foreign_and_unknown_targets_are_refused_alike() {
    let app = TestApp::open().await;
    let (website, key) = (app.website(), app.key_with(&[Scope::ReadData]).await);
    let body = json!({ "parameters": ["summary_metrics"], "preset": "last_7d" });
    let ask = |query: String, key: Option<String>| {
        let (app, body) = (&app, body.clone());
        async move {
            let key = key.unwrap_or_default();
            let headers = [("x-request-id", "r"), ("x-api-key", key.as_str())];
            let headers = if key.is_empty() {
                &headers[..1]
            } else {
                &headers
            };
            app.post(&format!("/v1/query?{query}"), headers, body).await
        }
    };
    for query in [
        "website_id=nope",
        "link_id=nope",
        "schedule_id=nope",
        "organization_id=nope",
    ] {
        let anonymous = ask(query.into(), None).await;
        assert_eq!(anonymous.code(), (401, "AUTH_REQUIRED".into()), "{query}");
        let known = ask(query.into(), Some(key.clone())).await;
        assert_eq!(known.code(), (403, "FORBIDDEN".into()), "{query}");
    }
    let private = ask(format!("website_id={website}"), None).await;
    let unknown = ask("website_id=nope".into(), None).await;
    assert_eq!(private.body, unknown.body);
    let mixed = ask(
        format!("website_id={website}&organization_id=nope"),
        Some(key.clone()),
    )
    .await;
    assert_eq!(mixed.status, 403, "every id that is given must be allowed");
    let tracking = app.key_with(&[Scope::TrackEvents]).await;
    assert_eq!(
        ask(format!("website_id={website}"), Some(tracking))
            .await
            .status,
        403
    );
    app.close().await;
}

#[actix::test]
async fn a_key_for_one_website_reads_that_one_and_needs_no_id() {
    let app = TestApp::open().await;
    let other = app
        .shared
        .websites
        .ask(CreateWebsite {
            organization: app.organization(),
            name: "b".into(),
            domain: "b.example".into(),
            compatibility: Vec::new(),
            allowance: None,
        })
        .await
        .unwrap();
    let key = app.key_for(&app.website(), &[Scope::ReadData]).await;
    let headers = [("x-api-key", key.as_str())];
    let wrong = json!({ "parameters": [], "preset": "last_7d" });
    let own = app.post("/v1/query", &headers, wrong.clone()).await;
    assert_eq!(
        own.code(),
        (400, "VALIDATION_ERROR".into()),
        "allowed, so the body is looked at"
    );
    let foreign = app
        .post(
            &format!("/v1/query?website_id={}", other.id),
            &headers,
            wrong,
        )
        .await;
    assert_eq!(foreign.status, 403);
    let listed = app.get("/v1/query/websites", &headers).await.json();
    assert_eq!(
        (listed["total"].as_u64(), &listed["websites"][0]["id"]),
        (Some(1), &json!(app.website()))
    );
    app.close().await;
}

#[actix::test]
async fn a_caller_without_any_organization_has_to_name_a_target() {
    let app = TestApp::open().await;
    let key = app.key_for(&app.website(), &[]).await;
    let answer = app
        .post("/v1/query", &[("x-api-key", &key)], json!({}))
        .await;
    assert_eq!(answer.status, 403, "its only website, without the scope");
    let answer = app.post("/v1/query", &[], json!({})).await;
    assert_eq!(answer.code(), (401, "AUTH_REQUIRED".into()));
    app.close().await;
}

#[actix::test]
async fn a_public_website_is_nobodys_secret() {
    let app = TestApp::open().await;
    let id = app.website();
    app.shared
        .websites
        .ask(TogglePublic {
            id: id.clone(),
            is_public: true,
        })
        .await
        .unwrap();
    let answer = app
        .post(
            &format!("/v1/query?website_id={id}"),
            &[],
            json!({ "parameters": [] }),
        )
        .await;
    assert_eq!(answer.status, 400, "allowed, so the body is looked at");
    let listed = app.get("/v1/query/websites", &[]).await;
    assert_eq!(listed.status, 401, "but it is not listed");
    app.close().await;
}

#[actix::test]
async fn types_are_public_and_bad_bodies_say_where() {
    let app = TestApp::open().await;
    let types = app.get("/v1/query/types?include_meta=true", &[]).await;
    assert_eq!(
        (types.status.as_u16(), &types.json()["success"]),
        (200, &json!(true))
    );
    assert_eq!(types.json()["requestId"], types.header("x-request-id"));
    let key = app.key();
    let request = actix_web::test::TestRequest::post()
        .uri("/v1/query")
        .insert_header(("x-api-key", key))
        .set_payload("{\"parameters\": [");
    let answer = app.send(crate::http::Host::Base, request).await;
    assert_eq!(answer.code(), (400, "VALIDATION_ERROR".into()));
    assert_eq!(answer.json()["details"][0]["field"], "");
    app.close().await;
}
