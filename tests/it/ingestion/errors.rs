//! JavaScript errors. What is long is cut, not refused.

use serde_json::{Value, json};

use super::{
    Call, INVALID, joined, stored,
    table::{Row, Table, row},
    text, unlimited,
};
use crate::app::NOW;

fn thrown() -> Value {
    json!({ "timestamp": NOW, "path": "https://localhost/a", "message": "boom" })
}

fn rows() -> Vec<Row> {
    let no_text = || [json!(5), json!([]), json!({})];
    vec![
        row("timestamp", "number (Unix ms), required")
            .required()
            .time()
            .refuses("invalid_type", [json!("2026-10-14")]),
        row("path", "string (page URL), required")
            .required()
            .takes([json!("/a"), text(2_048)])
            .refuses("too_long", [text(2_049)])
            .refuses("invalid_type", [json!(5)]),
        row("message", "string, required")
            .required()
            .takes([json!("x"), text(2_048), text(2_049), text(100_000)])
            .refuses("invalid_type", no_text()),
        row("filename", "string")
            .takes([json!(null), text(512), text(513)])
            .refuses("invalid_type", no_text()),
        row("lineno", "number; what cannot be one is left out").takes(places()),
        row("colno", "number; what cannot be one is left out").takes(places()),
        row("stack", "string")
            .takes([json!(null), text(4_096), text(4_097)])
            .refuses("invalid_type", no_text()),
        row("errorType", "string, cut at 128").takes([
            json!(null),
            json!(""),
            text(128),
            text(129),
            json!(5),
            json!({}),
        ]),
        row("anonymousId", "string").optional_text(256),
        row("sessionId", "string").optional_text(256),
        row("eventId", "at most 512").optional_text(512),
        row("anonymizeVisitorIds", "boolean or `auto`").anonymize(),
    ]
}

fn places() -> [Value; 8] {
    let most = u64::from(u32::MAX);
    let wrong = [
        json!(-1),
        json!(most + 1),
        json!(1.5),
        json!("1"),
        json!([1]),
    ];
    let [below, above, part, text, list] = wrong;
    [
        json!(null),
        json!(0),
        json!(most),
        below,
        above,
        part,
        text,
        list,
    ]
}

#[actix::test]
async fn a_field_that_cannot_be_right_is_left_out_and_the_errors_are_kept() {
    let app = unlimited().await;
    let mut odd = thrown();
    for (field, value) in [
        ("errorType", text(300)),
        ("lineno", json!("12")),
        ("colno", json!(-7)),
    ] {
        odd[field] = value;
    }
    let mut typed = thrown();
    typed["errorType"] = json!({ "name": "TypeError" });
    typed["lineno"] = json!(7);
    let answer = Call::page(&app, "/errors")
        .send(&json!([thrown(), odd, typed]))
        .await;
    assert_eq!((answer.status, &answer.body["count"]), (200, &json!(3)));
    let row = joined(&["length(name)", "line", "column_number"]);
    assert_eq!(stored(&app, &row).await, ["128||", "5|7|", "5||"]);
    app.finish().await;
}

#[actix::test]
async fn every_field() {
    let app = unlimited().await;
    let table = Table {
        call: Call::page(&app, "/errors"),
        base: thrown(),
        array: true,
        success: 200,
    };
    let taken = table.walk(&rows()).await;
    assert_eq!(stored(&app, "kind").await, vec!["5"; taken]);
    for (column, longest) in [("message", "2048"), ("filename", "512"), ("stack", "4096")] {
        let longest_kept = stored(&app, &format!("max(length({column})) OVER ()")).await;
        assert_eq!(longest_kept[0], longest, "{column}");
    }
    app.finish().await;
}

#[actix::test]
async fn only_arrays_and_all_or_none() {
    let app = unlimited().await;
    let call = Call::page(&app, "/errors");
    INVALID.is(&call.send(&thrown()).await);
    INVALID.is(&call.send(&json!([thrown(), 5])).await);
    assert!(stored(&app, "kind").await.is_empty());
    let answer = call.send(&json!(vec![thrown(); 120])).await;
    assert_eq!(
        answer.body,
        json!({ "status": "success", "type": "error", "count": 120 })
    );
    assert_eq!(
        stored(&app, "name || message").await,
        vec!["Errorboom"; 120]
    );
    app.finish().await;
}
