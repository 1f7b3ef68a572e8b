//! What becomes of the results of a probe.

use std::time::Duration;

use pharos::actors::monitors::RemoteMonitor;
use serde_json::{Value, json};

use super::{
    OPEN, call, count_place_checks, create, rows,
    wire::{batch, report, work},
};
use crate::{
    app::{App, until},
    uptime::{self, Target},
};

/// One result that found the monitor down.
fn failed(monitor: &str, slot: i64) -> Value {
    let mut body = batch(monitor, slot);
    let check = &mut body["reports"][0]["check"];
    check["error_class"] = json!("refused");
    check["error"] = json!("refused");
    body
}

/// A monitor that one probe checks every hour, and the slot of its first check.
async fn watch(app: &App, target: &Target, (id, token): (&str, &str)) -> (String, i64) {
    // A probe that was never there is not waited for.
    assert_eq!(work(app, token).await.status, 200);
    let fields = json!({ "url": target.url, "granularity": "hour", "places": [id] });
    let monitor = uptime::create(app, fields).await;
    let own = work(app, token).await;
    let slot = own.body["monitors"][0]["asked"].as_i64().unwrap();
    (monitor, slot)
}

/// Two slots of the probe's first monitor, more than a minute ahead.
async fn next_slots(app: &App, token: &str) -> (i64, i64) {
    let sent = work(app, token).await.body["monitors"][0].clone();
    let sent: RemoteMonitor = serde_json::from_value(sent).unwrap();
    let schedule = sent.into_monitor().unwrap().schedule;
    let first = schedule.next_after(app.clock.now_ms() + 120_000).unwrap();
    (first, schedule.next_after(first).unwrap())
}

/// Goes on to a moment, Unix milliseconds.
fn advance_to(app: &App, at_ms: i64) {
    let left = at_ms - app.clock.now_ms();
    app.clock
        .advance(Duration::from_millis(left.unsigned_abs()));
}

/// Results of the probe in Paris that are stored.
async fn count_in_paris(app: &App, monitor: &str) -> u64 {
    let by_region = rows(app, monitor, "uptime_by_region").await;
    let own = by_region.iter().find(|row| row["region"] == "Paris");
    own.map_or(0, |row| row["total_checks"].as_u64().unwrap())
}

#[actix::test]
async fn a_monitor_with_one_probe_is_down_in_the_slot_that_found_it_down() {
    let app = App::with(OPEN).await;
    let target = Target::start().await;
    let (id, token) = create(&app, "Paris").await;
    let (monitor, slot) = watch(&app, &target, (&id, &token)).await;
    let sent = report(&app, &token, &failed(&monitor, slot), None).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    until("it is down", async || {
        let body = json!({ "scheduleId": monitor });
        uptime::call_ok(&app, "getSchedule", body).await["state"] == "down"
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn a_result_is_kept_although_the_monitor_has_left_the_probe_since() {
    let app = App::with(OPEN).await;
    let target = Target::start().await;
    let (id, token) = create(&app, "Paris").await;
    let (monitor, slot) = watch(&app, &target, (&id, &token)).await;
    let change = json!({ "scheduleId": monitor, "places": null });
    uptime::call_ok(&app, "updateSchedule", change).await;
    let sent = report(&app, &token, &batch(&monitor, slot), None).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    until("the result is stored", async || {
        count_place_checks(&app, &monitor).await == 1
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn a_result_that_is_ahead_of_the_server_is_stored_when_its_slot_is_due() {
    // It is asked for as often as it takes.
    let settings = format!("{OPEN}limits.query_requests = 0\nlimits.key_requests = 0\n");
    let app = App::with(&settings).await;
    let target = Target::start().await;
    let (id, token) = create(&app, "Paris").await;
    let (monitor, slot) = watch(&app, &target, (&id, &token)).await;
    let (later, _) = next_slots(&app, &token).await;
    let mut body = batch(&monitor, later);
    let present = batch(&monitor, slot)["reports"][0].clone();
    body["reports"].as_array_mut().unwrap().push(present);
    let sent = report(&app, &token, &body, None).await;
    assert_eq!(sent.body["acknowledged"], 2, "{}", sent.text);
    until("the other result is stored", async || {
        count_place_checks(&app, &monitor).await == 1
    })
    .await;
    advance_to(&app, later);
    until("its slot is due", async || {
        count_place_checks(&app, &monitor).await == 2
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn a_result_that_is_ahead_is_ignored_if_the_monitor_has_left_the_probe() {
    let settings = format!("{OPEN}limits.query_requests = 0\nlimits.key_requests = 0\n");
    let app = App::with(&settings).await;
    let target = Target::start().await;
    let (id, token) = create(&app, "Paris").await;
    let (monitor, slot) = watch(&app, &target, (&id, &token)).await;
    let (ahead, later) = next_slots(&app, &token).await;
    let choose = async |places: Value| {
        let change = json!({ "scheduleId": monitor, "places": places });
        uptime::call_ok(&app, "updateSchedule", change).await;
    };
    choose(Value::Null).await;
    let mut body = batch(&monitor, ahead);
    let present = batch(&monitor, slot)["reports"][0].clone();
    body["reports"].as_array_mut().unwrap().push(present);
    let sent = report(&app, &token, &body, None).await;
    assert_eq!(sent.body["acknowledged"], 2, "{}", sent.text);
    until("the present result is stored", async || {
        count_in_paris(&app, &monitor).await == 1
    })
    .await;
    // The monitor has the probe again when the slot is due.
    choose(json!([id])).await;
    advance_to(&app, later);
    let mut body = batch(&monitor, later);
    body["first"] = json!(3);
    let sent = report(&app, &token, &body, None).await;
    assert_eq!(sent.body["acknowledged"], 3, "{}", sent.text);
    // What waits is taken before what is new.
    until("the later result is stored", async || {
        count_in_paris(&app, &monitor).await > 1
    })
    .await;
    assert_eq!(count_in_paris(&app, &monitor).await, 2);
    app.finish().await;
}

#[actix::test]
async fn a_token_that_was_renewed_has_no_voice_in_slots_to_come() {
    let settings = format!("{OPEN}limits.query_requests = 0\nlimits.key_requests = 0\n");
    let app = App::with(&settings).await;
    let target = Target::start().await;
    let (id, token) = create(&app, "Paris").await;
    let (monitor, slot) = watch(&app, &target, (&id, &token)).await;
    let (ahead, later) = next_slots(&app, &token).await;
    let mut body = batch(&monitor, ahead);
    let present = batch(&monitor, slot)["reports"][0].clone();
    body["reports"].as_array_mut().unwrap().push(present);
    let sent = report(&app, &token, &body, None).await;
    assert_eq!(sent.body["acknowledged"], 2, "{}", sent.text);
    until("the present result is stored", async || {
        count_in_paris(&app, &monitor).await == 1
    })
    .await;
    let renewed = call(&app, "renewToken", json!({ "id": id })).await;
    let token = renewed.body["token"].as_str().unwrap();
    advance_to(&app, later);
    let mut body = batch(&monitor, later);
    body["first"] = json!(3);
    let sent = report(&app, token, &body, None).await;
    assert_eq!(sent.body["acknowledged"], 3, "{}", sent.text);
    // What waits is taken before what is new.
    until("the later result is stored", async || {
        count_in_paris(&app, &monitor).await > 1
    })
    .await;
    assert_eq!(count_in_paris(&app, &monitor).await, 2);
    app.finish().await;
}

#[actix::test]
async fn a_result_for_a_moment_that_is_no_slot_is_not_stored() {
    let app = App::with(OPEN).await;
    let target = Target::start().await;
    let (id, token) = create(&app, "Paris").await;
    let (monitor, slot) = watch(&app, &target, (&id, &token)).await;
    let mut body = batch(&monitor, slot + 30_000);
    let asked = batch(&monitor, slot)["reports"][0].clone();
    body["reports"].as_array_mut().unwrap().push(asked);
    let sent = report(&app, &token, &body, None).await;
    assert_eq!(sent.body["acknowledged"], 2, "{}", sent.text);
    until("the result of a check out of turn is stored", async || {
        count_in_paris(&app, &monitor).await > 0
    })
    .await;
    assert_eq!(count_in_paris(&app, &monitor).await, 1);
    app.finish().await;
}
