//! The requests of a probe, made by hand.

use pharos::actors::monitors::sign;
use serde_json::{Value, json};

use crate::app::{Answer, App};

pub(super) async fn work(app: &App, token: &str) -> Answer {
    let url = format!("{}/v1/probe/work", app.base);
    Answer::send(app.http.get(url).bearer_auth(token)).await
}

/// The work of a probe that has this revision of it, which is held back.
pub(super) async fn work_after(app: &App, token: &str, revision: &str) -> Answer {
    let url = format!("{}/v1/probe/work?after={revision}", app.base);
    Answer::send(app.http.get(url).bearer_auth(token)).await
}

pub(super) async fn report(
    app: &App,
    token: &str,
    body: &Value,
    signature: Option<&str>,
) -> Answer {
    let text = body.to_string();
    let signature = signature.map_or_else(|| sign(token, text.as_bytes()), str::to_owned);
    let url = format!("{}/v1/probe/reports", app.base);
    let request = app.http.post(url).bearer_auth(token);
    let request = request
        .header("content-type", "application/json")
        .header("x-pharos-signature", signature)
        .body(text);
    Answer::send(request).await
}

/// One good result.
pub(super) fn batch(monitor: &str, slot: i64) -> Value {
    let check = json!({
        "at_ms": slot, "status": 1, "http_code": 200, "phases": [0, 10, 0, 20, 5], "address": "127.0.0.1",
        "bytes": 2, "redirects": 0, "ssl_expiry": null, "ssl_valid": null, "error_class": null, "error": null,
        "parts": null,
    });
    let report = json!({ "monitor": monitor, "slot": slot, "slow": false, "check": check });
    json!({ "spool": "s", "first": 1, "reports": [report] })
}
