//! The procedure table end to end: both mounts, the envelope, permissions, validation.

use serde_json::json;

use super::harness::TestApp;
use crate::{access::Scope, http::Host};

#[actix::test]
async fn a_website_is_made_changed_and_found_on_both_mounts() {
    let app = TestApp::open().await;
    let key = app.key();
    let headers = [("x-api-key", key.as_str())];
    let made = app
        .post(
            "/websites/create",
            &headers,
            json!({ "name": "Shop", "domain": "https://Shop.Example/path" }),
        )
        .await;
    assert_eq!(made.status, 200, "{:?}", made.body);
    let website = made.json();
    assert_eq!(
        (website["domain"].as_str(), website["status"].as_str()),
        (Some("shop.example"), Some("ACTIVE"))
    );
    let id = website["id"].as_str().unwrap();

    let plain = app
        .post("/rpc/websites/getById", &headers, json!({ "id": id }))
        .await;
    assert_eq!(plain.json(), website);
    let enveloped = app
        .post(
            "/rpc/websites/getById",
            &headers,
            json!({ "json": { "id": id }, "meta": [] }),
        )
        .await;
    let meta = json!([[1, "createdAt"], [1, "updatedAt"]]);
    assert_eq!(enveloped.json(), json!({ "json": website, "meta": meta }));
    let asked = |data: &str| format!("/rpc/websites/getById?data={data}");
    let plain = asked(&format!("%7B%22id%22:%22{id}%22%7D"));
    assert_eq!(app.get(&plain, &headers).await.json(), website);
    let wrapped = asked(&format!("%7B%22json%22:%7B%22id%22:%22{id}%22%7D%7D"));
    assert_eq!(app.get(&wrapped, &headers).await.json()["json"], website);
    let refused = app.get(&wrapped, &[]).await;
    assert_eq!(
        (refused.status.as_u16(), &refused.json()["json"]["status"]),
        (401, &json!(401))
    );
    for (path, allow) in [
        ("/rpc/websites/togglePublic?data=%7B%7D", "POST"),
        ("/websites/getById?data=%7B%7D", "POST"),
    ] {
        let refused = app.get(path, &headers).await;
        assert_eq!(
            (refused.status.as_u16(), refused.header("allow")),
            (405, allow),
            "{path}"
        );
    }

    let renamed = app
        .post(
            "/websites/update",
            &headers,
            json!({ "id": id, "name": "Store" }),
        )
        .await;
    assert_eq!(renamed.json()["name"], "Store");
    let public = app
        .post(
            "/rpc/websites/togglePublic",
            &headers,
            json!({ "id": id, "isPublic": true }),
        )
        .await;
    assert_eq!(public.json()["isPublic"], true);
    let names = |body: &serde_json::Value| -> Vec<String> {
        body.as_array()
            .unwrap()
            .iter()
            .map(|website| website["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let listed = app.post("/websites/list", &headers, json!({})).await;
    assert_eq!(names(&listed.json()), ["Store", "localhost"]);
    let request = actix_web::test::TestRequest::post()
        .uri("/websites/list")
        .insert_header(headers[0]);
    assert_eq!(
        names(&app.send(Host::Base, request).await.json()),
        ["Store", "localhost"],
        "a body may be missing"
    );
    app.close().await;
}

#[actix::test]
async fn failures_are_typed_and_leave_in_the_style_asked() {
    let app = TestApp::open().await;
    let key = app.key();
    let headers = [("x-api-key", key.as_str())];
    let plain = app
        .post("/websites/getById", &headers, json!({ "id": "nope" }))
        .await;
    let expected = json!({
        "defined": true, "code": "NOT_FOUND", "status": 404, "message": "website not found",
        "data": { "resourceType": "website", "resourceId": "nope" },
    });
    assert_eq!(plain.json(), expected);
    let enveloped = app
        .post(
            "/rpc/websites/getById",
            &headers,
            json!({ "json": { "id": "nope" } }),
        )
        .await;
    assert_eq!(
        (enveloped.status.as_u16(), enveloped.json()),
        (404, json!({ "json": expected }))
    );

    let taken = app
        .post(
            "/websites/create",
            &headers,
            json!({ "name": "x", "domain": "localhost" }),
        )
        .await;
    assert_eq!(taken.code(), (409, "CONFLICT".into()));
    for (body, path) in [
        (json!({ "id": 5 }), json!(["id"])),
        (json!({}), json!(["id"])),
        (json!([]), json!([])),
        (json!("text"), json!([])),
    ] {
        let wrong = app.post("/websites/getById", &headers, body.clone()).await;
        assert_eq!(wrong.code(), (400, "BAD_REQUEST".into()), "{body}");
        let error = wrong.json();
        assert_eq!(error["message"], "Input validation failed");
        assert_eq!(error["data"]["issues"][0]["path"], path, "{body}");
    }
    let nothing = app
        .post("/websites/update", &headers, json!({ "id": app.website() }))
        .await;
    assert_eq!(nothing.status, 400);
    app.close().await;
}

#[actix::test]
async fn only_the_scope_that_is_declared_opens_a_procedure() {
    let app = TestApp::open().await;
    let id = app.website();
    let calls = [
        ("/websites/list", json!({}), Scope::ReadData),
        ("/websites/getById", json!({ "id": id }), Scope::ReadData),
        (
            "/websites/create",
            json!({ "name": "n", "domain": "new.example" }),
            Scope::ManageWebsites,
        ),
        (
            "/websites/update",
            json!({ "id": id, "name": "n" }),
            Scope::ManageWebsites,
        ),
        (
            "/websites/togglePublic",
            json!({ "id": id, "isPublic": false }),
            Scope::ManageWebsites,
        ),
    ];
    for (path, body, scope) in calls {
        let others: Vec<Scope> = Scope::ALL
            .into_iter()
            .filter(|other| *other != scope)
            .collect();
        let without = app.key_with(&others).await;
        let answer = app
            .post(path, &[("x-api-key", &without)], body.clone())
            .await;
        assert_eq!(answer.code(), (403, "FORBIDDEN".into()), "{path}");
        let with = app.key_with(&[scope]).await;
        let answer = app.post(path, &[("x-api-key", &with)], body.clone()).await;
        assert_eq!(answer.status, 200, "{path}");
        let answer = app.post(path, &[], body).await;
        assert_eq!(answer.code(), (401, "UNAUTHORIZED".into()), "{path}");
    }
    app.close().await;
}

#[actix::test]
async fn foreign_and_unknown_are_the_same_bytes() {
    let app = TestApp::open().await;
    let key = app.key();
    let named = |id: &str| json!({ "organizationId": id });
    let unknown = app
        .post(
            "/websites/list",
            &[("x-api-key", &key), ("x-request-id", "r")],
            named("foreign"),
        )
        .await;
    assert_eq!(unknown.code(), (404, "NOT_FOUND".into()));
    let one_site = app.key_for(&app.website(), &[Scope::ReadData]).await;
    let listed = app
        .post("/websites/list", &[("x-api-key", &one_site)], json!({}))
        .await;
    assert_eq!(
        listed.json().as_array().unwrap().len(),
        1,
        "a website's key sees its website"
    );
    app.close().await;
}

#[actix::test]
async fn refusals_before_the_body_is_read_leave_in_its_envelope_too() {
    let app = TestApp::open().await;
    let key = app.key_limited(1).await;
    let known = [("x-api-key", key.as_str())];
    let unknown = [("x-api-key", "nonsense")];
    let list = "/rpc/websites/list";
    assert_eq!(app.post(list, &known, json!({})).await.status, 200);
    for (path, headers, status) in [
        (list, &[][..], 401),
        (list, &unknown, 401),
        (list, &known, 429),
        ("/rpc/websites/nothing", &[], 404),
    ] {
        let enveloped = app.post(path, headers, json!({ "json": {} })).await;
        assert_eq!(enveloped.status, status, "{path}");
        assert_eq!(enveloped.json()["json"]["status"], status, "{path}");
        let plain = app.post(path, headers, json!({ "name": "json" })).await;
        assert_eq!(plain.json()["status"], status, "{path}");
    }
    let not_here = app.post("/websites/list", &[], json!({ "json": {} })).await;
    assert_eq!(
        not_here.json()["status"],
        401,
        "the plain mount has no envelopes"
    );
    let large = json!({ "json": "x".repeat(70_000) });
    assert_eq!(app.post(list, &unknown, large).await.json()["status"], 401);
    app.close().await;
}
