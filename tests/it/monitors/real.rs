use serde_json::{Value, json};

use super::{OPEN, check_all, last_check, servers::Python, ways::Ways};
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

/// A server whose certificate no log of certificates knows.
fn without_timestamps(place: &str) -> Value {
    json!({
        "kind": "grpc", "url": place, "request": { "verifyTls": false }, "expect": { "certificateScts": 1 },
    })
}

fn websocket(url: &str, request: &Value, expect: &Value) -> Value {
    json!({ "kind": "websocket", "url": url, "request": request, "expect": expect })
}

type Cases = Vec<(Value, Option<&'static str>)>;

fn grpc_cases(python: &Python) -> Cases {
    let plain = format!("grpc://127.0.0.1:{}", python.port("grpc"));
    let encrypted = format!("127.0.0.1:{}", python.port("grpcs"));
    let nothing = json!({});
    let lax = json!({ "verifyTls": false });
    let wants = json!({ "headers": { "x-want": "token" } });
    let mut right = wants.clone();
    right["auth"] = json!({ "type": "bearer", "token": "right" });
    let at = |service: &str| format!("{plain}/{service}");
    vec![
        (grpc(&plain, &nothing), None),
        (grpc(&at("orders.v1.Orders"), &right), None),
        (grpc(&at("mail.v1.Mail"), &nothing), Some("status")),
        (grpc(&at("unknown"), &nothing), Some("status")),
        (grpc(&at("guarded"), &wants), Some("credentials")),
        (grpc(&format!("{encrypted}/orders.v1.Orders"), &lax), None),
        (grpc(&encrypted, &nothing), Some("tls_untrusted")),
        (issued(&encrypted, "rcgen", 1), None),
        (issued(&encrypted, "Let's Encrypt", 1), Some("assertion")),
        (issued(&encrypted, "rcgen", 2), Some("assertion")),
        (without_timestamps(&encrypted), Some("assertion")),
    ]
}

fn websocket_cases(python: &Python) -> Cases {
    let at = |path: &str| format!("ws://127.0.0.1:{}{path}", python.port("websocket"));
    let nothing = json!({});
    let hello = json!({ "contains": "hello" });
    let pong = json!({ "json": [{ "path": "$.op", "equals": "pong" }] });
    let ping = json!({ "body": "ping" });
    let token = |token: &str| json!({ "auth": { "type": "bearer", "token": token } });
    let (right, wrong) = (token("right"), token("wrong"));
    vec![
        (websocket(&at("/"), &nothing, &nothing), None),
        (websocket(&at("/greets"), &nothing, &hello), None),
        (websocket(&at("/answers"), &ping, &pong), None),
        (websocket(&at("/guarded?right"), &right, &nothing), None),
        (websocket(&at("/guarded"), &wrong, &nothing), Some("status")),
    ]
}

fn snmp_cases(python: &Python) -> Cases {
    let device = format!("127.0.0.1:{}", python.port("snmp"));
    let snmp = |object: &str, request: &Value, expect: Value| json!({ "kind": "snmp", "url": format!("{device}{object}"), "request": request, "expect": expect });
    let new = json!({ "community": "monitoring" });
    let old = json!({ "community": "monitoring", "snmpVersion": "1" });
    let ticks = || json!({ "json": [{ "path": "$.type", "equals": "timeTicks" }] });
    let other = json!({ "contains": "no such text" });
    vec![
        (snmp("", &new, ticks()), None),
        (snmp("/1.3.6.1.2.1.1.3.0", &old, ticks()), None),
        (snmp("/1.3.6.1.2.1.1.1.0", &new, other), Some("assertion")),
        (snmp("/1.3.6.1.2.1.1.99.0", &new, json!({})), Some("status")),
        (snmp("/1.3.6.1.2.1.1.98.0", &old, json!({})), Some("status")),
    ]
}

#[actix::test]
async fn servers_of_other_projects_are_checked_by_their_protocols() {
    let Some(python) = Python::start() else {
        return;
    };
    let app = App::with(OPEN).await;
    let mut ways = Ways::default();
    let mut cases = Vec::new();
    for (monitor, class) in grpc_cases(&python) {
        cases.push((ways.vary(monitor).await, class));
    }
    cases.extend(websocket_cases(&python));
    cases.extend(snmp_cases(&python));
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
