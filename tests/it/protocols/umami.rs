//! Umami: `POST /api/send` and `/api/batch`.

use serde_json::{Value, json};

use super::{custom, named, numbers, people, send, with};

const PATH: &str = "/api/send";

fn entry() -> Value {
    json!([{ "protocol": "umami", "id": "b59e9c65-ae32-47f1-8400-119fcf4861c4" }])
}

fn call(kind: &str, fields: Value) -> Value {
    let mut payload = json!({
        "website": "b59e9c65-ae32-47f1-8400-119fcf4861c4", "hostname": "localhost", "screen": "1920x1080",
        "language": "en-US", "title": "Home", "url": "/", "referrer": "",
    });
    let fields = fields.as_object().unwrap().clone();
    payload.as_object_mut().unwrap().extend(fields);
    json!({ "type": kind, "payload": payload })
}

#[actix::test]
async fn what_is_wrong_is_said_in_its_words() {
    let app = with(entry()).await;
    for (body, status, code) in [
        (json!({ "type": "event" }), 400, "bad-request"),
        (
            json!({ "type": "event", "payload": {} }),
            400,
            "bad-request",
        ),
        (call("purchase", json!({})), 400, "bad-request"),
        (call("event", json!({ "website": "x" })), 404, "bad-request"),
    ] {
        let refused = send(&app, PATH, &body).await;
        let error = &refused.body["error"];
        assert_eq!(
            (refused.status, &error["code"]),
            (status, &json!(code)),
            "{}",
            refused.text
        );
        assert!(!error["message"].as_str().unwrap().is_empty());
    }
    assert_eq!(numbers(&app).await, [0, 0, 0]);
    app.finish().await;
}

#[actix::test]
async fn views_and_events_arrive_and_the_answer_has_what_trackers_read() {
    let app = with(entry()).await;
    let first = send(&app, PATH, &call("event", json!({}))).await;
    assert_eq!(first.status, 200, "{}", first.text);
    let second = call(
        "event",
        json!({ "name": "signup", "data": { "plan": "pro" }, "tag": "b" }),
    );
    let second = send(&app, PATH, &second).await;
    for field in ["cache", "sessionId", "visitId"] {
        assert!(first.body[field].is_string(), "{}", first.text);
        assert_eq!(first.body[field], second.body[field]);
    }
    assert_eq!(numbers(&app).await, [1, 1, 1]);
    assert_eq!(custom(&app).await, named(&[("signup", 1)]));
    let pages = app.rows("top_pages").await;
    assert_eq!(pages[0]["path"], "/");
    app.finish().await;
}

#[actix::test]
async fn a_distinct_id_names_a_person_and_attaches_what_the_browser_did_before() {
    let app = with(entry()).await;
    send(&app, PATH, &call("event", json!({}))).await;
    let data = json!({ "email": "Anna@Example.com", "plan": "pro", "address": { "city": "Bern" } });
    let named = send(
        &app,
        PATH,
        &call("identify", json!({ "id": "user-7", "data": data })),
    )
    .await;
    assert_eq!(named.status, 200, "{}", named.text);
    let traits = json!({ "plan": "pro", "address": "{\"city\":\"Bern\"}" });
    assert_eq!(
        people(&app).await,
        json!([["user-7", "anna@example.com", traits, 1]])
    );
    app.finish().await;
}

#[actix::test]
async fn a_browser_may_send_the_headers_of_its_tracker_and_its_vitals_arrive() {
    let app = with(entry()).await;
    let preflight = app
        .http
        .request(reqwest::Method::OPTIONS, format!("{}{PATH}", app.track));
    let preflight = preflight
        .header("origin", "https://localhost")
        .header("access-control-request-method", "POST");
    let granted = crate::app::Answer::send(preflight).await;
    let granted = granted.header("access-control-allow-headers").to_owned();
    for header in ["x-umami-cache", "x-umami-hostname", "x-umami-website-id"] {
        assert!(granted.contains(header), "{granted}");
    }
    let vitals = call(
        "performance",
        json!({ "lcp": 900.5, "cls": 0.01, "duration": 5 }),
    );
    assert_eq!(send(&app, PATH, &vitals).await.status, 200);
    let metrics = app.sorted("vitals_overview", "metric_name").await;
    assert_eq!(metrics, ["CLS", "LCP"]);
    app.finish().await;
}

#[actix::test]
async fn a_batch_is_taken_whole_or_not_at_all() {
    let app = with(entry()).await;
    let bad = json!([
        call("event", json!({})),
        call("event", json!({ "name": "x".repeat(257) }))
    ]);
    let refused = send(&app, "/api/batch", &bad).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(refused.text.contains("name"), "{}", refused.text);
    assert_eq!(numbers(&app).await, [0, 0, 0]);
    let good = json!([
        call("event", json!({})),
        call("event", json!({ "url": "/b" }))
    ]);
    let taken = send(&app, "/api/batch", &good).await;
    assert_eq!(taken.body["processed"], 2, "{}", taken.text);
    assert_eq!(numbers(&app).await, [2, 1, 1]);
    app.finish().await;
}
