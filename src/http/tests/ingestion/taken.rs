//! What is taken, and what is in the store afterwards.

use super::*;

#[actix::test]
async fn every_route_answers_as_the_spec_says_and_stores() {
    let app = TestApp::open().await;
    let agent = [("user-agent", CHROME), ("accept-language", "en")];
    let send = async |path: &str, body: Value| {
        let answer = app.track(&app.path(path), &agent, &body).await;
        assert_eq!(answer.status, 200, "{path}: {:?}", answer.body);
        answer.json()
    };
    let one = send("/track?website_id=ID", json!({"name": "one"})).await;
    assert_eq!(
        one,
        json!({"status": "success", "type": "custom_event", "count": 1})
    );
    let two = send(
        "/track?website_id=ID",
        json!([{"name": "two"}, {"name": "three"}]),
    )
    .await;
    assert_eq!(two["count"], 2);
    let view = send("/?client_id=ID", page("e1")).await;
    assert_eq!(view, json!({"status": "success", "type": "track"}));
    let link = json!({"type": "outgoing_link", "eventId": "e2", "href": "https://x.example/"});
    assert_eq!(
        send("/?client_id=ID", link).await,
        json!({"status": "success", "type": "outgoing_link"})
    );
    let batch = send(
        "/batch?client_id=ID",
        json!([page("e3"), {"eventId": "bad"}]),
    )
    .await;
    assert_eq!(batch["batched"], json!({"track": 1, "outgoing_link": 0}));
    assert_eq!(
        (&batch["processed"], &batch["results"][1]["status"]),
        (&json!(2), &json!("error"))
    );
    let vitals = send("/vitals?client_id=ID", json!([vital()])).await;
    assert_eq!(
        vitals,
        json!({"status": "success", "type": "web_vitals", "count": 1})
    );
    let error =
        json!([{"timestamp": NOW, "path": "/a", "message": "boom", "errorType": "TypeError"}]);
    assert_eq!(
        send("/errors?client_id=ID", error).await,
        json!({"status": "success", "type": "error", "count": 1})
    );

    let names = [
        "LCP",
        "TypeError",
        "one",
        "outgoing_link",
        "screen_view",
        "screen_view",
        "three",
        "two",
    ];
    assert_eq!(app.stored("name").await, names);
    assert!(
        app.stored("browser_name")
            .await
            .iter()
            .all(|browser| browser == "Chrome")
    );
    app.close().await;
}

#[actix::test]
async fn the_same_event_id_is_counted_and_stored_once() {
    let app = TestApp::open().await;
    let path = app.path("/track?website_id=ID");
    for _ in 0..2 {
        let body = json!([{"name": "n", "eventId": "same"}]);
        assert_eq!(app.track(&path, &[], &body).await.json()["count"], 1);
    }
    assert_eq!(app.stored("name").await, ["n"]);
    app.close().await;
}

#[actix::test]
async fn a_key_stores_for_its_websites_and_for_the_organization() {
    let app = TestApp::open().await;
    let key = app.key();
    let bearer = format!("Bearer {key}");
    let headers = [("authorization", bearer.as_str()), ("user-agent", CHROME)];
    let id = app.website();
    let body = json!([{"name": "a", "websiteId": id.as_str()}, {"name": "b"}]);
    assert_eq!(
        app.track("/track", &headers, &body).await.json()["count"],
        2
    );
    assert_eq!(app.stored("website = 0").await, ["false", "true"]);
    assert_eq!(app.stored("trust").await, ["1", "1"]);
    assert_eq!(
        app.stored("browser_name IS NULL").await,
        ["true", "true"],
        "the server's agent is nobody's"
    );
    let foreign = json!([{"name": "c", "websiteId": id.as_str()}, {"name": "d", "websiteId": "x"}]);
    assert_eq!(app.track("/track", &headers, &foreign).await.status, 404);
    let narrow = app.key_for(&id, &[Scope::TrackEvents]).await;
    let answer = app
        .track(
            "/track",
            &[("x-api-key", narrow.as_str())],
            &json!({"name": "e"}),
        )
        .await;
    assert_eq!(answer.status, 200);
    assert_eq!(app.stored("website = 0").await, ["false", "false", "true"]);
    app.close().await;
}

#[actix::test]
async fn events_name_their_website_themselves() {
    let app = TestApp::open().await;
    let own = app.website();
    let body =
        json!([{"name": "a", "websiteId": own.as_str()}, {"name": "b", "websiteId": own.as_str()}]);
    assert_eq!(app.track("/track", &[], &body).await.json()["count"], 2);
    let foreign =
        json!([{"name": "a", "websiteId": own.as_str()}, {"name": "b", "websiteId": "x"}]);
    assert_eq!(
        app.track("/track", &[], &foreign).await.code(),
        (403, "WEBSITE_SCOPE_MISMATCH".into())
    );
    assert_eq!(app.stored("website = 0").await, ["false", "false"]);
    app.close().await;
}

#[actix::test]
async fn beacons_pass_their_preflight_and_cookies_mean_nothing() {
    let app = TestApp::open().await;
    let preflight = TestRequest::default()
        .method(Method::OPTIONS)
        .uri("/batch?client_id=x")
        .insert_header(("origin", "https://shop.example"))
        .insert_header(("access-control-request-method", "POST"))
        .insert_header(("access-control-request-headers", "content-type"));
    let answer = app.send(Host::Track, preflight).await;
    assert_eq!((answer.status.as_u16(), answer.body.len()), (204, 0));
    assert_eq!(
        answer.header("access-control-allow-origin"),
        "https://shop.example"
    );
    assert_eq!(answer.header("access-control-allow-credentials"), "true");
    let cookie = app.sign_in().await;
    let headers = [
        ("cookie", cookie.as_str()),
        ("origin", "http://localhost:3000"),
        ("sec-fetch-site", "same-site"),
    ];
    let path = app.path("/batch?client_id=ID");
    assert_eq!(
        app.track(&path, &headers, &json!([page("e")])).await.status,
        200
    );
    assert_eq!(
        app.track("/track", &headers, &json!({"name": "n"}))
            .await
            .status,
        401
    );
    app.close().await;
}
