use serde_json::{Value, json};

use super::{OPEN, check_all, last_check, servers::Python};
use crate::{
    app::App,
    uptime::{call_ok, create},
};

fn grpc(url: &str, more: &Value) -> Value {
    json!({ "kind": "grpc", "url": url, "request": more })
}

/// A server whose certificate isn't trusted, and has this issuer and so many certificates.
fn issued(place: &str, issuer: &str, chain: u32) -> Value {
    json!({
        "kind": "grpc", "url": place, "request": { "verifyTls": false },
        "expect": { "certificateIssuer": issuer, "certificateChain": chain, "certificateDays": 1 },
    })
}

fn websocket(url: &str, request: &Value, expect: &Value) -> Value {
    json!({ "kind": "websocket", "url": url, "request": request, "expect": expect })
}

#[actix::test]
async fn servers_of_other_projects_are_checked_by_their_protocols() {
    let Some(python) = Python::start() else {
        return;
    };
    let app = App::with(OPEN).await;
    let plain = format!("grpc://127.0.0.1:{}", python.port("grpc"));
    let encrypted = format!("127.0.0.1:{}", python.port("grpcs"));
    let lax = json!({ "verifyTls": false });
    let wants = json!({ "headers": { "x-want": "token" } });
    let right =
        json!({ "headers": { "x-want": "token" }, "auth": { "type": "bearer", "token": "right" } });
    let mut cases = vec![
        (grpc(&plain, &json!({})), None),
        (grpc(&format!("{plain}/orders.v1.Orders"), &right), None),
        (
            grpc(&format!("{plain}/mail.v1.Mail"), &json!({})),
            Some("status"),
        ),
        (
            grpc(&format!("{plain}/unknown"), &json!({})),
            Some("status"),
        ),
        (grpc(&format!("{plain}/guarded"), &wants), Some("status")),
        (grpc(&format!("{encrypted}/orders.v1.Orders"), &lax), None),
        (grpc(&encrypted, &json!({})), Some("tls_untrusted")),
        (issued(&encrypted, "rcgen", 1), None),
        (issued(&encrypted, "Let's Encrypt", 1), Some("assertion")),
        (issued(&encrypted, "rcgen", 2), Some("assertion")),
    ];
    let url = format!("ws://127.0.0.1:{}", python.port("websocket"));
    let nothing = json!({});
    let pong = json!({ "json": [{ "path": "$.op", "equals": "pong" }] });
    let ping = json!({ "body": "ping" });
    let token = |token: &str| json!({ "auth": { "type": "bearer", "token": token } });
    cases.extend([
        (websocket(&url, &nothing, &nothing), None),
        (
            websocket(
                &format!("{url}/greets"),
                &nothing,
                &json!({ "contains": "hello" }),
            ),
            None,
        ),
        (websocket(&format!("{url}/answers"), &ping, &pong), None),
        (
            websocket(&format!("{url}/guarded?right"), &token("right"), &nothing),
            None,
        ),
        (
            websocket(&format!("{url}/guarded"), &token("wrong"), &nothing),
            Some("status"),
        ),
    ]);
    let device = format!("127.0.0.1:{}", python.port("snmp"));
    let community = json!({ "community": "monitoring" });
    let old = json!({ "community": "monitoring", "snmpVersion": "1" });
    let text = json!({ "json": [{ "path": "$.type", "equals": "timeTicks" }] });
    let snmp = |object: &str, request: &Value, expect: &Value| json!({ "kind": "snmp", "url": format!("{device}{object}"), "request": request, "expect": expect });
    cases.extend([
        (snmp("", &community, &text), None),
        (snmp("/1.3.6.1.2.1.1.3.0", &old, &text), None),
        (
            snmp(
                "/1.3.6.1.2.1.1.1.0",
                &community,
                &json!({ "contains": "no such text" }),
            ),
            Some("assertion"),
        ),
        (
            snmp("/1.3.6.1.2.1.1.99.0", &community, &json!({})),
            Some("status"),
        ),
        (
            snmp("/1.3.6.1.2.1.1.98.0", &old, &json!({})),
            Some("status"),
        ),
    ]);
    check_all(&app, cases).await;
    app.finish().await;
}

#[actix::test]
async fn what_never_comes_ends_at_the_timeout_and_secrets_are_never_shown() {
    let Some(python) = Python::start() else {
        return;
    };
    let app = App::with(OPEN).await;
    let silent = format!("ws://127.0.0.1:{}/silent", python.port("websocket"));
    let device = format!("127.0.0.1:{}", python.port("snmp"));
    let cases = vec![
        (
            json!({ "kind": "websocket", "url": silent, "expect": { "contains": "hello" }, "timeout": 1_000 }),
            Some("timeout_transfer"),
        ),
        // A device doesn't answer a wrong community.
        (
            json!({ "kind": "snmp", "url": device, "request": { "community": "s3cr3t" }, "timeout": 1_000 }),
            Some("timeout_ttfb"),
        ),
    ];
    check_all(&app, cases).await;
    let fields = json!({
        "kind": "snmp", "url": format!("{device}/1.3.6.1.2.1.1.1.0"), "granularity": "hour",
        "request": { "community": "monitoring" },
    });
    let id = create(&app, fields).await;
    assert_eq!(last_check(&app, &id).await["errorClass"], Value::Null);
    let all = call_ok(&app, "listSchedules", json!({})).await.to_string();
    assert!(
        !all.contains("monitoring") && !all.contains("s3cr3t"),
        "{all}"
    );
    app.finish().await;
}
