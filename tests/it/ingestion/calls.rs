//! `POST /mcp`: over-long texts are cut, ids, times, numbers and types are checked.

use serde_json::{Value, json};

use super::{
    Call, INVALID, NO_CREDENTIALS, NO_SCOPE, NO_WEBSITE, joined, stored,
    table::{Row, Table, row},
    text, unlimited,
};
use crate::app::{Answer, App, NOW};
use pharos::access::Scope;

fn rows(app: &App) -> Vec<Row> {
    let cut = |field, rule, most: usize| {
        row(field, rule)
            .takes([json!(null), json!(""), text(most), text(most + 1)])
            .refuses("invalid_type", [json!(5), json!([])])
    };
    let number = u64::from(u32::MAX);
    vec![
        row("tool", "string, cut at 256, required")
            .required()
            .takes([text(256), text(257)])
            .refuses("too_short", [json!("")])
            .refuses("invalid_type", [json!(5)]),
        row("durationMs", "uint32, required")
            .required()
            .number(number),
        row("error", "string, cut at 512")
            .takes([json!(null), json!(""), text(512), text(513)])
            .refuses("invalid_type", [json!({ "message": "x" })]),
        cut("errorCode", "cut 64", 64),
        row("outputChars", "uint32, default 0").optional_number(number),
        row("sessionId", "at most 256").optional_text(256),
        cut("clientName", "128", 128),
        cut("clientVersion", "64", 64),
        cut("serverName", "128", 128),
        cut("serverVersion", "64", 64),
        cut("userAgent", "512", 512),
        row("timestamp", "Unix ms; defaults to the time of receipt")
            .time()
            .takes([json!(null)])
            .refuses("invalid_type", [json!("2026-10-14")]),
        row("websiteId", "names the target")
            .takes([json!(null), json!(app.website)])
            .refuses("invalid_type", [json!(5)]),
        cut("environment", "32", 32),
        row("eventId", "ours: counts once; at most 512").optional_text(512),
    ]
}

#[actix::test]
async fn every_field() {
    let app = unlimited().await;
    let table = Table {
        call: Call::server(&app, "/mcp"),
        base: json!({ "tool": "search", "durationMs": 12 }),
        array: true,
        success: 202,
    };
    let taken = table.walk(&rows(&app)).await;
    assert_eq!(stored(&app, "kind").await, vec!["7"; taken]);
    for (column, longest) in [
        ("name", "256"),
        ("message", "512"),
        ("error_code", "64"),
        ("client_name", "128"),
        ("client_version", "64"),
        ("server_name", "128"),
        ("server_version", "64"),
        ("user_agent", "512"),
        ("environment", "32"),
    ] {
        let kept = stored(&app, &format!("max(length({column})) OVER ()")).await;
        assert_eq!(kept[0], longest, "{column}");
    }
    app.finish().await;
}

#[actix::test]
async fn a_time_outside_of_the_window_refuses_the_reports() {
    let app = unlimited().await;
    for (sent, status) in [
        (946_684_799_999, 400),
        (946_684_800_000, 202),
        (NOW - 7 * 3_600_000, 202),
        (NOW + 3_600_000, 202),
        (NOW + 3_600_001, 400),
    ] {
        let call = json!([
            { "tool": "good", "durationMs": 1 },
            { "tool": format!("t{sent}"), "durationMs": 1, "timestamp": sent },
        ]);
        let answer = Call::server(&app, "/mcp").send(&call).await;
        assert_eq!(answer.status, status, "{sent}: {}", answer.text);
        if status == 400 {
            assert_eq!(INVALID.is(&answer)[0]["field"], "[1].timestamp");
        }
        let stored = stored(&app, "name || ' ' || time").await;
        let is_kept = stored.contains(&format!("t{sent} {sent}"));
        assert_eq!(is_kept, status == 202, "{sent}: {stored:?}");
    }
    assert_eq!(stored(&app, "name").await.len(), 6);
    app.finish().await;
}

#[actix::test]
async fn failures_are_unwrapped_and_clients_get_their_names() {
    let app = unlimited().await;
    let failed = |tool: &str, error: &str, client: &str, agent: &str| {
        json!({
            "tool": tool, "durationMs": 1, "error": error, "clientName": client, "userAgent": agent,
        })
    };
    let calls = json!([
        failed("a", "MCP error -32602: no query", "claude-code", ""),
        failed("b", r#"{"error":{"message":"gone","code":"not_found"}}"#, "cursor-vscode", ""),
        failed("c", "plain", "acme", "openai-mcp/1.0"),
        { "tool": "d", "durationMs": 1, "clientName": "acme" },
    ]);
    let answer = Call::server(&app, "/mcp").send(&calls).await;
    assert_eq!(
        (answer.status, answer.body),
        (202, json!({ "status": "success", "count": 4 }))
    );
    let row = joined(&["name", "is_error", "error_code", "message", "client"]);
    assert_eq!(
        stored(&app, &row).await,
        [
            "a|1|invalid_params|no query|Claude Code",
            "b|1|not_found|gone|Cursor",
            "c|1||plain|ChatGPT",
            "d|0|||acme"
        ]
    );
    app.finish().await;
}

#[actix::test]
async fn a_key_is_needed_and_its_scope_for_every_target() {
    let app = unlimited().await;
    let body = json!([{ "tool": "t", "durationMs": 1, "websiteId": app.website }]);
    let url = format!("{}/mcp", app.track);
    let with = async |key: Option<&str>, body: &Value| {
        let request = app.http.post(&url).json(body);
        Answer::send(match key {
            Some(key) => request.header("x-api-key", key),
            None => request,
        })
        .await
    };
    NO_CREDENTIALS.is(&with(None, &body).await);
    let named = format!("{url}?client_id={0}&website_id={0}", app.website);
    NO_CREDENTIALS.is(&app.post_anonymously(named, &body).await);
    NO_CREDENTIALS.is(&with(Some("svc_nonsense"), &body).await);
    let reader = app.key_with(&[Scope::ReadData]).await;
    NO_SCOPE.is(&with(Some(&reader), &body).await);
    NO_SCOPE.is(&with(Some(&reader), &json!("nothing to store either")).await);
    let unknown = json!([{ "tool": "t", "durationMs": 1, "websiteId": "x" }]);
    NO_WEBSITE.is(&with(Some(&app.key), &unknown).await);
    INVALID.is(&with(Some(&app.key), &json!([])).await);
    INVALID.is(&with(Some(&app.key), &json!({ "tool": "t", "durationMs": 1 })).await);
    assert!(stored(&app, "kind").await.is_empty());
    let many = vec![body[0].clone(); 250];
    assert_eq!(with(Some(&app.key), &json!(many)).await.body["count"], 250);
    assert_eq!(stored(&app, "sign(abs(website))").await, vec!["1"; 250]);
    app.finish().await;
}
