//! Web vitals.

use serde_json::{Value, json};

use super::{
    Call, INVALID, stored,
    table::{Row, Table, row},
    text, unlimited,
};
use crate::app::NOW;

fn vital() -> Value {
    json!({ "timestamp": NOW, "path": "https://localhost/a", "metricName": "LCP", "metricValue": 1_200.5 })
}

fn rows() -> Vec<Row> {
    vec![
        row("timestamp", "number, required, Unix ms")
            .required()
            .time()
            .refuses("invalid_type", [json!("2026-10-14")]),
        row("path", "string, required, page URL")
            .required()
            .takes([json!("/a"), text(2_048)])
            .refuses("too_long", [text(2_049)])
            .refuses("invalid_type", [json!(5)]),
        row(
            "metricName",
            "one of FCP, LCP, CLS, INP, TTFB, FPS, required",
        )
        .required()
        .takes(["FCP", "LCP", "CLS", "INP", "TTFB", "FPS"].map(Value::from))
        .refuses(
            "invalid_value",
            [json!("FID"), json!("lcp"), json!(""), json!(1)],
        ),
        row("metricValue", "number, required")
            .required()
            .takes([json!(0), json!(0.0123), json!(-1), json!(1e300)])
            .refuses("invalid_type", [json!("12"), json!(true)]),
        row("anonymousId", "string").optional_text(256),
        row("sessionId", "string").optional_text(256),
        row("eventId", "at most 512").optional_text(512),
        row("anonymizeVisitorIds", "boolean or `auto`").anonymize(),
    ]
}

#[actix::test]
async fn every_field() {
    let app = unlimited().await;
    let table = Table {
        call: Call::page(&app, "/vitals"),
        base: vital(),
        array: true,
        success: 200,
    };
    let taken = table.walk(&rows()).await;
    assert_eq!(stored(&app, "kind").await, vec!["4"; taken]);
    app.finish().await;
}

#[actix::test]
async fn only_arrays_and_all_or_none() {
    let app = unlimited().await;
    let call = Call::page(&app, "/vitals");
    INVALID.is(&call.send(&vital()).await);
    let errors = INVALID.is(&call.send(&json!([vital(), {}])).await);
    assert_eq!(errors.len(), 4);
    assert!(stored(&app, "kind").await.is_empty());
    let many = vec![vital(); 300];
    let answer = call.send(&json!(many)).await;
    assert_eq!(
        answer.body,
        json!({ "status": "success", "type": "web_vitals", "count": 300 })
    );
    assert_eq!(stored(&app, "name || value").await, vec!["LCP1200.5"; 300]);
    app.finish().await;
}
