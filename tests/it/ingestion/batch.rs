//! `POST /batch`: every item is independent.

use serde_json::{Value, json};

use super::{Call, INVALID, stored, unlimited};

fn view(id: &str) -> Value {
    json!({ "eventId": id, "name": "screen_view", "path": "https://localhost/a" })
}

#[actix::test]
async fn one_bad_item_never_fails_the_batch() {
    let app = unlimited().await;
    let batch = json!([
        view("a"),
        { "type": "outgoing_link", "eventId": "b", "href": "https://x.example/" },
        { "eventId": "c", "name": "screen_view", "path": "/no/url" },
        { "type": "purchase", "eventId": "d" },
        "no object",
        { "eventId": "f", "name": "n", "path": "https://localhost/", "properties": { "k": "x".repeat(32_769) } },
        { "name": "n", "path": "https://localhost/" },
    ]);
    let answer = Call::page(&app, "/batch").send(&batch).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    for (field, value) in [
        ("status", json!("success")),
        ("batch", json!(true)),
        ("processed", json!(7)),
        ("batched", json!({ "track": 1, "outgoing_link": 1 })),
    ] {
        assert_eq!(answer.body[field], value, "{field}");
    }
    let results = answer.body["results"].as_array().unwrap();
    assert_eq!(
        results[0],
        json!({ "status": "success", "type": "track", "eventId": "a" })
    );
    assert_eq!(
        results[1],
        json!({ "status": "success", "type": "outgoing_link", "eventId": "b" })
    );
    assert_eq!(
        results[3],
        json!({ "status": "error", "message": "Unknown event type", "eventType": "purchase" })
    );
    for (index, id, code, field) in [
        (2, json!("c"), "invalid_url", "path"),
        (4, json!(null), "invalid_type", ""),
        (5, json!("f"), "too_large", "properties"),
        (6, json!(null), "required", "eventId"),
    ] {
        let result = &results[index];
        for (name, value) in [
            ("status", json!("error")),
            ("message", json!("Invalid event schema")),
            ("eventType", json!("track")),
            ("eventId", id),
        ] {
            assert_eq!(result[name], value, "{name} of {result}");
        }
        let error = &result["errors"][0];
        assert_eq!(
            (&error["code"], &error["field"]),
            (&json!(code), &json!(field)),
            "{result}"
        );
    }
    assert_eq!(stored(&app, "name").await, ["outgoing_link", "screen_view"]);
    app.finish().await;
}

#[actix::test]
async fn arrays_of_any_length_and_nothing_but_arrays() {
    let app = unlimited().await;
    let call = Call::page(&app, "/batch");
    for body in [view("a"), json!(5), json!("x")] {
        INVALID.is(&call.send(&body).await);
    }
    let empty = call.send(&json!([])).await;
    assert_eq!((empty.status, &empty.body["processed"]), (200, &json!(0)));
    let many: Vec<Value> = (0..300).map(|id| view(&format!("e{id}"))).collect();
    let answer = call.send(&json!(many)).await;
    assert_eq!(answer.body["batched"]["track"], 300);
    let again = call.send(&json!(many)).await;
    assert_eq!(
        again.body, answer.body,
        "a retry is answered like the original"
    );
    assert_eq!(stored(&app, "name").await.len(), 300);
    app.finish().await;
}
