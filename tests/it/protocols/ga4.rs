//! GA4 Measurement Protocol: `/mp/collect` and `/debug/mp/collect`.

use serde_json::{Value, json};

use super::{custom, named, numbers, people, sales, send, with};

const QUERY: &str = "measurement_id=G-TEST&api_secret=0123456789";

fn entry() -> Value {
    json!([{ "protocol": "ga4", "id": "G-TEST", "secret": "0123456789" }])
}

fn body(events: Value) -> Value {
    json!({
        "client_id": "123.456", "user_id": "user-1", "timestamp_micros": crate::app::NOW * 1_000,
        "user_properties": { "plan": { "value": "pro" } }, "user_location": { "country_id": "DE" },
        "events": events,
    })
}

#[actix::test]
async fn a_stream_without_its_secret_is_unknown() {
    let app = with(entry()).await;
    let sent = body(json!([{ "name": "tutorial_begin" }]));
    for query in [
        "",
        "measurement_id=G-OTHER&api_secret=0123456789",
        "measurement_id=G-TEST",
        "measurement_id=G-TEST&api_secret=wrong",
    ] {
        let refused = send(&app, &format!("/mp/collect?{query}"), &sent).await;
        assert_eq!(
            refused.status,
            if query.is_empty() { 401 } else { 404 },
            "{query}"
        );
        assert!(
            refused.body["validationMessages"].is_array(),
            "{}",
            refused.text
        );
    }
    app.finish().await;
}

#[actix::test]
async fn the_check_says_what_is_wrong_and_keeps_nothing() {
    let app = with(entry()).await;
    let path = format!("/debug/mp/collect?{QUERY}");
    let good = send(&app, &path, &body(json!([{ "name": "tutorial_begin" }]))).await;
    assert_eq!(
        (good.status, good.body),
        (200, json!({ "validationMessages": [] }))
    );
    for (sent, place) in [
        (json!({ "events": [] }), "client_id"),
        (json!({ "client_id": "1" }), "events"),
        (body(json!([{ "params": {} }])), "events[0].name"),
        (body(json!(vec![json!({ "name": "a" }); 26])), "events"),
    ] {
        let told = send(&app, &path, &sent).await;
        assert_eq!(told.status, 200, "{}", told.text);
        assert_eq!(told.body["validationMessages"][0]["fieldPath"], place);
        let refused = send(&app, &format!("/mp/collect?{QUERY}"), &sent).await;
        assert_eq!(refused.status, 400);
    }
    assert!(custom(&app).await.is_empty());
    app.finish().await;
}

#[actix::test]
async fn events_purchases_and_people_arrive() {
    let app = with(entry()).await;
    let sale = json!({ "name": "purchase", "params": { "transaction_id": "t1", "value": 30.03, "currency": "USD" } });
    let events = json!([
        { "name": "page_view", "params": { "page_location": "https://localhost/a", "page_title": "A", "session_id": "5" } },
        { "name": "level_up", "params": { "level": 3 } },
        sale, sale,
        { "name": "refund", "params": { "transaction_id": "t1", "value": 30.03, "currency": "USD" } },
    ]);
    let sent = send(&app, &format!("/mp/collect?{QUERY}"), &body(events)).await;
    assert_eq!((sent.status, sent.text.as_str()), (204, ""));
    assert_eq!(numbers(&app).await[0], 1);
    assert_eq!(
        custom(&app).await,
        named(&[("level_up", 1), ("purchase", 1), ("refund", 1)])
    );
    assert_eq!(
        sales(&app).await,
        [
            ("purchase".to_owned(), 30.03, "USD".to_owned()),
            ("refund".to_owned(), -30.03, "USD".to_owned()),
        ]
    );
    assert_eq!(people(&app).await[0][2], json!({ "plan": "pro" }));
    assert_eq!(app.rows("country").await[0]["country_code"], "DE");
    app.finish().await;
}
