//! `PostHog`: `/capture/`, `/e/`, `/batch/`, `/i/v0/e/`.

use std::io::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

use super::{CHROME, custom, named, numbers, people, sales, send, send_text, with};
use crate::app::Answer;

fn entry() -> Value {
    json!([{ "protocol": "posthog", "id": "phc_test" }])
}

fn packed(body: &Value) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body.to_string().as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn server(event: &str, id: &str, properties: Value) -> Value {
    let mut all = json!({ "$lib": "posthog-node", "$is_server": true });
    let properties = properties.as_object().unwrap().clone();
    all.as_object_mut().unwrap().extend(properties);
    json!({ "event": event, "distinct_id": id, "properties": all })
}

fn browser(event: &str, properties: Value) -> Value {
    let mut all = json!({
        "token": "phc_test", "distinct_id": "device-1", "$device_id": "device-1", "$session_id": "session-1",
        "$lib": "web", "$current_url": "https://localhost/a?utm_source=mail", "$referrer": "$direct",
        "$screen_width": 1920, "$screen_height": 1080, "title": "A",
    });
    let properties = properties.as_object().unwrap().clone();
    all.as_object_mut().unwrap().extend(properties);
    json!({ "event": event, "properties": all })
}

#[actix::test]
async fn an_unknown_project_key_and_a_mistake_are_answered_as_clients_read_them() {
    let app = with(entry()).await;
    let event = |key: &str| json!({ "api_key": key, "event": "x", "distinct_id": "user-1" });
    let unknown = send(&app, "/capture/", &event("phc_other")).await;
    assert_eq!(unknown.status, 401, "{}", unknown.text);
    assert_eq!(unknown.body["code"], "invalid_api_key");
    for body in [
        json!({ "api_key": "phc_test", "distinct_id": "user-1" }),
        json!({ "api_key": "phc_test", "event": "x" }),
        json!({ "api_key": "phc_test", "batch": [event("phc_test"), { "event": "y" }] }),
        json!({ "api_key": "phc_test", "batch": 5 }),
        json!(7),
    ] {
        let refused = send(&app, "/batch/", &body).await;
        assert_eq!(refused.status, 400, "{body}: {}", refused.text);
        assert_eq!(refused.body["type"], "validation_error");
    }
    let two = json!({ "api_key": "phc_test", "batch": [event("phc_other")] });
    assert_eq!(send(&app, "/batch/", &two).await.status, 403);
    assert!(custom(&app).await.is_empty());
    app.finish().await;
}

#[actix::test]
async fn a_browser_is_a_visitor_until_it_is_identified() {
    let app = with(entry()).await;
    let view = send(
        &app,
        "/e/?ip=1&ver=1.200.0",
        &json!([browser("$pageview", json!({}))]),
    )
    .await;
    assert_eq!((view.status, &view.body), (200, &json!({ "status": 1 })));
    let left =
        json!({ "$prev_pageview_duration": 12.5, "$prev_pageview_max_scroll_percentage": 0.8 });
    send(&app, "/i/v0/e/", &browser("$pageleave", left)).await;
    send(&app, "/e/", &browser("signup", json!({ "plan": "pro" }))).await;
    assert_eq!(numbers(&app).await, [1, 1, 1]);
    assert_eq!(custom(&app).await, named(&[("signup", 1)]));
    let identify = json!({
        "distinct_id": "user-7", "$anon_distinct_id": "device-1", "$set": { "email": "anna@example.com" },
        "$is_identified": true,
    });
    let said = send(&app, "/e/", &browser("$identify", identify)).await;
    assert_eq!(said.status, 200, "{}", said.text);
    let rows = people(&app).await;
    assert_eq!(
        (&rows[0][0], &rows[0][1], &rows[0][3]),
        (&json!("user-7"), &json!("anna@example.com"), &json!(3))
    );
    app.finish().await;
}

#[actix::test]
async fn every_packing_is_understood() {
    let app = with(entry()).await;
    let event =
        |name: &str| json!({ "api_key": "phc_test", "event": name, "distinct_id": "user-1" });
    let bare = app
        .http
        .post(format!("{}/e/?compression=gzip-js", app.track));
    let bare = bare
        .header("content-type", "text/plain")
        .header("user-agent", CHROME);
    let bare = Answer::send(bare.body(packed(&event("bare")))).await;
    assert_eq!(bare.status, 200, "{}", bare.text);
    let said = app.http.post(format!("{}/batch/", app.track));
    let said = said
        .header("content-encoding", "gzip")
        .header("content-type", "application/json");
    let said = Answer::send(said.body(packed(&event("said")))).await;
    assert_eq!(said.status, 200, "{}", said.text);
    let form = |bytes: &[u8]| {
        let data = STANDARD.encode(bytes);
        let data: String = url::form_urlencoded::byte_serialize(data.as_bytes()).collect();
        format!("data={data}&compression=base64")
    };
    let media = "application/x-www-form-urlencoded";
    for (name, bytes) in [
        ("form", event("form").to_string().into_bytes()),
        ("packed_form", packed(&event("packed_form"))),
    ] {
        let sent = send_text(&app, "/e/", media, &form(&bytes)).await;
        assert_eq!(sent.status, 200, "{name}: {}", sent.text);
    }
    let beacon = send(&app, "/e/?beacon=1", &event("beacon")).await;
    assert_eq!(beacon.status, 204);
    let all = ["bare", "beacon", "form", "packed_form", "said"].map(|name| (name, 1));
    assert_eq!(custom(&app).await, named(&all));
    app.finish().await;
}

#[actix::test]
async fn servers_name_people_send_times_and_repeat_themselves_without_harm() {
    let app = with(entry()).await;
    let mut sale = server(
        "bought",
        "user-1",
        json!({ "$revenue": "12.50", "currency": "usd" }),
    );
    sale["uuid"] = json!("0198c0de-0000-7000-8000-000000000001");
    // Its clock is an hour and a half ahead.
    let ahead = crate::app::NOW + 5_400_000;
    sale["timestamp"] = json!(pharos::clock::iso_ms(ahead - 60_000));
    let batch = json!({
        "api_key": "phc_test", "sent_at": pharos::clock::iso_ms(ahead),
        "batch": [
            sale,
            server("seen", "anon-1", json!({ "$process_person_profile": false })),
            server("$set", "user-1", json!({ "$set": { "plan": "pro" } })),
            server("$create_alias", "user-1", json!({ "alias": "anon-1" })),
            server("$groupidentify", "user-1", json!({ "$group_type": "company", "$group_key": "c1" })),
        ],
    });
    for _ in 0..2 {
        let sent = send(&app, "/batch/", &batch).await;
        assert_eq!(sent.status, 200, "{}", sent.text);
    }
    assert_eq!(
        custom(&app).await,
        named(&[("$groupidentify", 2), ("bought", 1), ("seen", 2)])
    );
    assert_eq!(
        sales(&app).await,
        [("bought".to_owned(), 12.5, "USD".to_owned())]
    );
    let rows = people(&app).await;
    assert_eq!(
        (&rows[0][0], &rows[0][2], &rows[0][3]),
        (&json!("user-1"), &json!({ "plan": "pro" }), &json!(5))
    );
    app.finish().await;
}

#[actix::test]
async fn vitals_and_errors_become_ours() {
    let app = with(entry()).await;
    let vitals = browser(
        "$web_vitals",
        json!({ "$web_vitals_LCP_value": 900.0, "$web_vitals_INP_value": 40 }),
    );
    assert_eq!(send(&app, "/e/", &vitals).await.status, 200);
    let list = json!([{ "type": "TypeError", "value": "x is not a function", "stacktrace": { "frames": [
        { "function": "f", "filename": "a.js", "lineno": 1, "colno": 2 }] } }]);
    let error = browser("$exception", json!({ "$exception_list": list }));
    assert_eq!(send(&app, "/e/", &error).await.status, 200);
    let metrics = app.sorted("vitals_overview", "metric_name").await;
    assert_eq!(metrics, ["INP", "LCP"]);
    let errors = app.rows("recent_errors").await;
    assert_eq!(errors[0]["message"], "x is not a function");
    app.finish().await;
}
