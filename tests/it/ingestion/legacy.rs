//! `POST /events`: custom events in their older form.

use serde_json::{Value, json};

use super::{
    Call, INVALID, stored,
    table::{Row, Table, row},
    text, unlimited,
};
use crate::app::NOW;

fn old() -> Value {
    json!({ "timestamp": NOW, "path": "https://localhost/a", "eventName": "signup" })
}

fn rows() -> Vec<Row> {
    vec![
        row("timestamp", "required")
            .required()
            .time()
            .refuses("invalid_type", [json!("2026-10-14")]),
        row("path", "required")
            .required()
            .takes([json!("/a"), text(2_048)])
            .refuses("too_long", [text(2_049)])
            .refuses("invalid_type", [json!(5)]),
        row("eventName", "required, 1 to 256 as in the newer form")
            .required()
            .takes([json!("a"), text(256)])
            .refuses("too_short", [json!(""), json!(" ")])
            .refuses("too_long", [text(257)])
            .refuses("invalid_type", [json!(5)]),
        row("anonymousId", "at most 256").optional_text(256),
        row("anonymizeVisitorIds", "boolean or `auto`").anonymize(),
        row("sessionId", "at most 256").optional_text(256),
        row("properties", "as in the newer form").properties(),
        row("eventId", "as in the newer form").optional_text(512),
    ]
}

#[actix::test]
async fn every_field() {
    let app = unlimited().await;
    let table = Table {
        call: Call::page(&app, "/events"),
        base: old(),
        array: true,
        success: 200,
    };
    let taken = table.walk(&rows()).await;
    assert_eq!(stored(&app, "kind").await, vec!["2"; taken]);
    app.finish().await;
}

#[actix::test]
async fn they_are_custom_events_like_any_other() {
    let app = unlimited().await;
    let call = Call::page(&app, "/events");
    INVALID.is(&call.send(&old()).await);
    let answer = call.send(&json!(vec![old(); 150])).await;
    assert_eq!(
        answer.body,
        json!({ "status": "success", "type": "custom_event", "count": 150 })
    );
    let rows = app.rows("custom_events").await;
    assert_eq!(
        (&rows[0]["name"], &rows[0]["total_events"]),
        (&json!("signup"), &json!(150))
    );
    app.finish().await;
}
