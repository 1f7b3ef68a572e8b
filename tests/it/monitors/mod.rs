//! Monitors of many protocols: one program, and beside it servers that work, refuse, hang and lie.

mod certificates;
mod chromium;
mod daemons;
mod fixtures;
mod real;
mod servers;
mod steps;
mod types;
mod ways;

use serde_json::{Value, json};

use crate::{
    app::{App, until},
    uptime::{call_ok, create},
};

/// Checks come from this machine, and to the usual ports of servers.
const OPEN: &str =
    "egress.allow = ['127.0.0.0/8']\negress.blocked_ports = [9]\nlimits.query_requests = 0\n";

/// The last check of a monitor, once there is one.
async fn last_check(app: &App, id: &str) -> Value {
    let body = json!({ "scheduleId": id });
    let mut last = Value::Null;
    until("a monitor is checked", async || {
        let shown = call_ok(app, "getSchedule", body.clone()).await;
        last = shown["lastCheck"].clone();
        !last.is_null()
    })
    .await;
    last
}

/// Creates all monitors, which are checked at once, and holds the class of each check's error against the expected one.
async fn check_all(app: &App, cases: Vec<(Value, Option<&str>)>) {
    let mut made = Vec::new();
    for (fields, wanted) in cases {
        let mut whole = json!({ "granularity": "hour", "retries": 0, "timeout": 20_000 });
        for (name, value) in fields.as_object().unwrap() {
            whole[name] = value.clone();
        }
        made.push((create(app, whole).await, fields, wanted));
    }
    let mut wrong = Vec::new();
    for (id, fields, wanted) in made {
        let last = last_check(app, &id).await;
        let phases = last["phases"].as_object().unwrap().values();
        let sum: u64 = phases.map(|phase| phase.as_u64().unwrap()).sum();
        if last["errorClass"] != json!(wanted) || last["total"] != sum {
            wrong.push(format!("{wanted:?} {fields}: {last}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
