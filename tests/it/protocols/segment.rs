//! Segment's HTTP API: `/v1/track`, `/v1/batch` and the rest, on the host of events.

use serde_json::{Value, json};

use super::{custom, named, numbers, people, sales, send, with};
use crate::app::{Answer, App};

fn entry() -> Value {
    json!([{ "protocol": "segment", "id": "write-key" }])
}

async fn call(app: &App, path: &str, key: &str, body: &Value) -> Answer {
    let request = app.http.post(format!("{}{path}", app.track));
    let request = request.basic_auth(key, Some("")).json(body);
    Answer::send(request).await
}

#[actix::test]
async fn an_unknown_write_key_is_refused_before_the_body_is_read() {
    let app = with(entry()).await;
    for body in [json!({ "userId": "user-1", "event": "x" }), json!(5)] {
        let refused = call(&app, "/v1/track", "other", &body).await;
        assert_eq!(refused.status, 401, "{}", refused.text);
        assert_eq!(refused.body["success"], false);
    }
    let none = send(
        &app,
        "/v1/track",
        &json!({ "userId": "user-1", "event": "x" }),
    )
    .await;
    assert_eq!(none.status, 401);
    let two = json!({ "userId": "user-1", "event": "x", "writeKey": "other" });
    assert_eq!(call(&app, "/v1/track", "write-key", &two).await.status, 403);
    app.finish().await;
}

#[actix::test]
async fn what_is_missing_is_named_and_a_batch_is_all_or_nothing() {
    let app = with(entry()).await;
    let good = json!({ "type": "track", "userId": "user-1", "event": "x" });
    for (bad, place) in [
        (json!({ "type": "track", "event": "x" }), "batch[1].userId"),
        (
            json!({ "type": "track", "userId": "user-1" }),
            "batch[1].event",
        ),
        (json!({ "userId": "user-1" }), "batch[1].type"),
        (
            json!({ "type": "alias", "anonymousId": "a" }),
            "batch[1].userId",
        ),
        (json!({ "type": "buy", "userId": "user-1" }), "type"),
        (json!(5), "object"),
    ] {
        let body = json!({ "batch": [good, bad] });
        let refused = call(&app, "/v1/batch", "write-key", &body).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        let message = refused.body["message"].as_str().unwrap();
        assert!(message.contains(place), "{message}");
    }
    assert!(custom(&app).await.is_empty());
    app.finish().await;
}

#[actix::test]
async fn every_call_becomes_what_we_have_for_it() {
    let app = with(entry()).await;
    let context = json!({
        "library": { "name": "analytics.js" }, "campaign": { "source": "mail", "name": "spring" }, "locale": "de-DE",
        "page": { "url": "https://localhost/pricing", "title": "Pricing", "referrer": "https://www.google.com/" },
    });
    let page = json!({
        "anonymousId": "anon-1", "name": "Pricing", "properties": { "url": "https://localhost/pricing", "title": "Pricing" },
        "context": context,
    });
    let sent = call(&app, "/v1/page", "write-key", &page).await;
    assert_eq!(
        (sent.status, &sent.body),
        (200, &json!({ "success": true }))
    );
    let order = json!({
        "userId": "user-1", "event": "Order Completed", "messageId": "m-1",
        "properties": { "total": "39.95", "currency": "USD", "products": [{ "name": "Tee" }] },
    });
    for _ in 0..2 {
        assert_eq!(
            call(&app, "/v1/track", "write-key", &order).await.status,
            200
        );
    }
    let refund = json!({ "userId": "user-1", "event": "Order Refunded", "properties": { "total": 9.95, "currency": "USD" } });
    call(&app, "/v1/t", "write-key", &refund).await;
    let person = json!({ "userId": "user-1", "anonymousId": "anon-1", "traits": { "email": "anna@example.com", "plan": "pro" } });
    assert_eq!(
        call(&app, "/v1/identify", "write-key", &person)
            .await
            .status,
        200
    );
    let group = json!({ "userId": "user-1", "groupId": "g1", "traits": { "seats": 3 } });
    assert_eq!(
        call(&app, "/v1/group", "write-key", &group).await.status,
        200
    );
    let screen = json!({ "userId": "user-1", "name": "Main" });
    assert_eq!(
        call(&app, "/v1/screen", "write-key", &screen).await.status,
        200
    );
    let alias = json!({ "userId": "user-1", "previousId": "anon-9" });
    assert_eq!(
        call(&app, "/v1/alias", "write-key", &alias).await.status,
        200
    );

    assert_eq!(numbers(&app).await[0], 1);
    assert_eq!(
        custom(&app).await,
        named(&[
            ("Order Completed", 1),
            ("Order Refunded", 1),
            ("group", 1),
            ("screen", 1)
        ])
    );
    assert_eq!(
        sales(&app).await,
        [
            ("Order Completed".to_owned(), 39.95, "USD".to_owned()),
            ("Order Refunded".to_owned(), -9.95, "USD".to_owned()),
        ]
    );
    let rows = people(&app).await;
    assert_eq!(
        (&rows[0][0], &rows[0][1], &rows[0][2]),
        (
            &json!("user-1"),
            &json!("anna@example.com"),
            &json!({ "plan": "pro" })
        )
    );
    let campaigns = app.rows("utm_sources").await;
    assert_eq!(campaigns[0]["name"], "mail", "{campaigns:?}");
    app.finish().await;
}

#[actix::test]
async fn our_own_routes_below_v1_stay_where_they_are() {
    let app = with(entry()).await;
    let body = json!({ "userId": "user-1", "event": "x" });
    let url = format!("{}/v1/track", app.base);
    assert_eq!(app.post(url, &body).await.status, 404);
    let url = format!("{}/v1/query", app.track);
    assert_eq!(app.post(url, &body).await.status, 404);
    app.finish().await;
}
