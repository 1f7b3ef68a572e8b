//! Engagement spans.

use serde_json::{Value, json};

use super::{
    Call, INVALID, stored,
    table::{Row, Table, row},
    text, unlimited,
};
use crate::app::NOW;

fn span() -> Value {
    json!({
        "timestamp": NOW, "path": "/a", "pageIndex": 1, "exitType": "unload", "timeOnPage": 30, "activeTime": 12.5,
        "timeToFirstInteraction": 800, "maxScrollDepth": 75, "scrollCount": 2, "clickCount": 3, "keyCount": 4,
        "interactionCount": 7, "copyCount": 1, "rageClickCount": 2, "deadClickCount": 1,
        "rageClickTarget": "button:submit:buy", "deadClickTarget": "div::price", "formFieldCount": 2,
        "formSubmitCount": 0, "lastFormField": "input:email", "errorCount": 1,
    })
}

fn rows() -> Vec<Row> {
    const COUNTS: [&str; 11] = [
        "pageIndex",
        "scrollCount",
        "clickCount",
        "keyCount",
        "interactionCount",
        "copyCount",
        "rageClickCount",
        "deadClickCount",
        "formFieldCount",
        "formSubmitCount",
        "errorCount",
    ];
    let counts = COUNTS.map(|field| {
        row(field, "int 0..65535, required")
            .required()
            .number(65_535)
    });
    let targets = ["rageClickTarget", "deadClickTarget", "lastFormField"]
        .map(|field| row(field, "at most 64").optional_text(64));
    let mut rows = vec![
        row("timestamp", "int ms, required")
            .required()
            .time()
            .refuses("invalid_type", [json!("2026-10-14")]),
        row("path", "at most 2048, required")
            .required()
            .takes([text(2_048)])
            .refuses("too_long", [text(2_049)])
            .refuses("invalid_type", [json!(5)]),
        row("exitType", "navigation|spa|hidden|unload, required")
            .required()
            .takes(["navigation", "spa", "hidden", "unload"].map(Value::from))
            .refuses("invalid_value", [json!("closed"), json!("SPA"), json!(1)]),
        row("timeOnPage", "s (0..604800), required")
            .required()
            .number(604_800),
        row("activeTime", "s (0..604800), required")
            .required()
            .number(604_800),
        row("timeToFirstInteraction", "ms (0..86400000)").optional_number(86_400_000),
        row("maxScrollDepth", "0..100, required")
            .required()
            .number(100)
            .refuses("too_big", [json!(100.01)]),
        row("anonymousId", "at most 256").optional_text(256),
        row("sessionId", "at most 256").optional_text(256),
        row("eventId", "at most 512").optional_text(512),
        row("anonymizeVisitorIds", "boolean or `auto`").anonymize(),
    ];
    rows.extend(counts);
    rows.extend(targets);
    rows
}

#[actix::test]
async fn every_field() {
    let app = unlimited().await;
    let table = Table {
        call: Call::page(&app, "/engagement"),
        base: span(),
        array: true,
        success: 200,
    };
    let taken = table.walk(&rows()).await;
    assert_eq!(stored(&app, "kind").await, vec!["6"; taken]);
    app.finish().await;
}

#[actix::test]
async fn what_a_span_says_is_kept_and_asked_for() {
    let app = unlimited().await;
    let call = Call::page(&app, "/engagement");
    INVALID.is(&call.send(&span()).await);
    assert!(stored(&app, "kind").await.is_empty());
    let answer = call.send(&json!(vec![span(); 5])).await;
    assert_eq!(
        answer.body,
        json!({ "status": "success", "type": "engagement", "count": 5 })
    );
    for (column, value) in [
        ("exit_type", "unload"),
        ("page_index", "1"),
        ("scrolls", "2"),
        ("clicks", "3"),
        ("keystrokes", "4"),
        ("copies", "1"),
        ("error_count", "1"),
        ("form_fields", "2"),
        ("last_field", "input:email"),
        ("first_interaction", "800"),
    ] {
        assert_eq!(stored(&app, column).await, vec![value; 5], "{column}");
    }
    let quality = app.rows("engagement_quality_by_page").await;
    assert_eq!(
        (&quality[0]["name"], quality[0]["avg_active_time"].as_f64()),
        (&json!("/a"), Some(12.5))
    );
    let forms = app.rows("form_abandonment_by_page").await;
    assert_eq!(forms[0]["abandonment_rate"].as_f64(), Some(100.0));
    let frustration = app.rows("frustration_by_page").await;
    assert_eq!(frustration[0]["top_rage_click_target"], "button:submit:buy");
    app.finish().await;
}
