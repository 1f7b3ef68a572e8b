//! Routing of alerts over HTTP: severities, quiet hours, fallbacks and rate limits, over restarts.

mod settings;

use std::{sync::atomic::Ordering::SeqCst, time::Duration};

use serde_json::{Value, json};

use crate::{
    alarms::{OPEN, Target, call_ok},
    app::{App, until},
    receiver::Receiver,
};

const MINUTE: Duration = Duration::from_mins(1);

async fn monitor(app: &App, target: &Target, name: &str) -> String {
    let fields = json!({ "url": target.url, "name": name, "granularity": "minute", "retries": 0 });
    let made = call_ok(app, "/uptime/createSchedule", fields).await;
    made["scheduleId"].as_str().unwrap().to_owned()
}

/// A webhook with settings.
fn webhook(receiver: &Receiver, settings: Value) -> Value {
    let mut one = json!({ "type": "webhook", "identifier": format!("{}/hook", receiver.url) });
    for (name, value) in settings.as_object().unwrap() {
        one[name] = value.clone();
    }
    one
}

/// A new alarm about every monitor, as the calls about it name it.
async fn alarm(app: &App, destinations: &[Value], more: Value) -> Value {
    let mut fields = json!({ "name": "Prod", "destinations": destinations, "repeatAfter": 0 });
    for (name, value) in more.as_object().unwrap() {
        fields[name] = value.clone();
    }
    let made = call_ok(app, "/alarms/create", fields).await;
    json!({ "alarmId": made["id"] })
}

async fn destinations(app: &App, alarm: &Value) -> Vec<Value> {
    let shown = call_ok(app, "/alarms/get", alarm.clone()).await;
    shown["destinations"].as_array().unwrap().clone()
}

/// The deliveries to a destination that are in the outbox: event and status, oldest first.
async fn deliveries(app: &App, alarm: &Value, nth: usize) -> Vec<(String, String)> {
    let id = destinations(app, alarm).await[nth]["id"].clone();
    let all = call_ok(app, "/alarms/deliveries", alarm.clone()).await;
    let own = all.as_array().unwrap().iter().rev();
    let own = own.filter(|one| one["destinationId"] == id);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    own.map(|one| (text(&one["event"]), text(&one["status"])))
        .collect()
}

async fn until_firing(app: &App, alarm: &Value, count: usize) {
    until("the alert fires", async || {
        let shown = call_ok(app, "/alarms/get", alarm.clone()).await;
        let standings = shown["standings"].as_array().unwrap();
        let firing = standings.iter().filter(|one| one["status"] == "firing");
        firing.count() == count
    })
    .await;
}

fn events(receiver: &Receiver) -> Vec<String> {
    let got = receiver.got();
    let kind = |text: &Value| text.as_str().unwrap().to_owned();
    got.iter().map(|one| kind(&one.json()["type"])).collect()
}

#[actix::test]
async fn an_alert_goes_to_the_channels_of_its_severity_and_its_end_to_those_that_know_it() {
    let mut app = App::with(OPEN).await;
    let target = Target::start(500).await;
    let (critical, all) = (Receiver::start().await, Receiver::start().await);
    let to = [
        webhook(&critical, json!({ "severities": ["critical"] })),
        webhook(&all, json!({})),
    ];
    let one = alarm(&app, &to, json!({ "severity": "warning" })).await;
    monitor(&app, &target, "API").await;
    let fired = all.wait_for(1).await.remove(0).json();
    assert_eq!(fired["data"]["alarm"]["severity"], "warning");
    // Both would have been put into the outbox at once.
    assert!(deliveries(&app, &one, 0).await.is_empty());
    app.restart().await;
    let change = json!({ "alarmId": one["alarmId"], "severity": "critical" });
    call_ok(&app, "/alarms/update", change).await;
    critical.wait_for(1).await;
    let change = json!({ "alarmId": one["alarmId"], "severity": "info" });
    call_ok(&app, "/alarms/update", change).await;
    target.status.store(200, SeqCst);
    app.clock.advance(MINUTE);
    for receiver in [&critical, &all] {
        receiver.wait_for(2).await;
        assert_eq!(events(receiver), ["alarm.fired", "alarm.resolved"]);
    }
    app.finish().await;
}

/// Quiet hours in Berlin, an hour and a half from the start of the tests on.
fn quiet(days: &[&str]) -> Value {
    json!({ "quietHours": { "timezone": "Europe/Berlin", "from": "13:00", "to": "15:30", "days": days } })
}

#[actix::test]
async fn quiet_hours_hold_an_alert_over_a_restart_until_they_end() {
    let mut app = App::with(OPEN).await;
    let target = Target::start(500).await;
    let (held, other, always) = (
        Receiver::start().await,
        Receiver::start().await,
        Receiver::start().await,
    );
    let to = [
        webhook(&held, quiet(&["wednesday"])),
        webhook(&other, quiet(&["thursday"])),
        webhook(&always, json!({})),
    ];
    let one = alarm(&app, &to, json!({})).await;
    monitor(&app, &target, "API").await;
    other.wait_for(1).await;
    always.wait_for(1).await;
    assert!(deliveries(&app, &one, 0).await.is_empty());
    app.restart().await;
    app.clock.advance(89 * MINUTE);
    until_firing(&app, &one, 1).await;
    assert!(deliveries(&app, &one, 0).await.is_empty());
    app.restart().await;
    app.clock.advance(MINUTE);
    let fired = held.wait_for(1).await.remove(0).json();
    assert_eq!(fired["type"], "alarm.fired");
    assert_eq!(fired["data"]["alerts"].as_array().unwrap().len(), 1);
    target.status.store(200, SeqCst);
    app.clock.advance(MINUTE);
    held.wait_for(2).await;
    always.wait_for(2).await;
    for nth in 0..3 {
        let events = deliveries(&app, &one, nth).await;
        let events: Vec<&str> = events.iter().map(|(event, _)| event.as_str()).collect();
        assert_eq!(events, ["alarm.fired", "alarm.resolved"], "{nth}");
    }
    app.finish().await;
}

#[actix::test]
async fn an_alert_that_is_over_before_quiet_hours_end_is_dropped_and_a_critical_one_is_sent() {
    let app = App::with(OPEN).await;
    let target = Target::start(500).await;
    let (held, always) = (Receiver::start().await, Receiver::start().await);
    let to = [webhook(&held, quiet(&[])), webhook(&always, json!({}))];
    let one = alarm(&app, &to, json!({})).await;
    monitor(&app, &target, "API").await;
    always.wait_for(1).await;
    target.status.store(200, SeqCst);
    app.clock.advance(MINUTE);
    always.wait_for(2).await;
    let change = json!({ "alarmId": one["alarmId"], "severity": "critical" });
    call_ok(&app, "/alarms/update", change).await;
    target.status.store(500, SeqCst);
    app.clock.advance(MINUTE);
    held.wait_for(1).await;
    always.wait_for(3).await;
    let events = deliveries(&app, &one, 0).await;
    assert_eq!(events.len(), 1, "{events:?}");
    app.finish().await;
}

#[actix::test]
async fn a_fallback_gets_what_failed_for_good_and_its_end() {
    let mut app = App::with(OPEN).await;
    let target = Target::start(500).await;
    let (first, second) = (Receiver::start().await, Receiver::start().await);
    first.answer(&["500 A", "500 B", "500 C"]);
    let to = [
        webhook(&first, json!({ "fallback": "2" })),
        webhook(&second, json!({})),
    ];
    let one = alarm(&app, &to, json!({})).await;
    let shown = destinations(&app, &one).await;
    assert_eq!(shown[0]["fallback"], shown[1]["id"]);
    monitor(&app, &target, "API").await;
    for (attempt, pause) in [(1, 6), (2, 360)] {
        until("an attempt failed", async || {
            let all = call_ok(&app, "/alarms/deliveries", one.clone()).await;
            all[0]["attempts"] == attempt
        })
        .await;
        assert!(second.got().is_empty());
        app.clock.advance(Duration::from_secs(pause));
    }
    until("the delivery is given up", async || {
        deliveries(&app, &one, 0).await[0].1 == "dead"
    })
    .await;
    app.restart().await;
    second.wait_for(1).await;
    app.restart().await;
    target.status.store(200, SeqCst);
    app.clock.advance(MINUTE);
    second.wait_for(2).await;
    assert_eq!(events(&second), ["alarm.fired", "alarm.resolved"]);
    // The first one never knew of it.
    assert_eq!(deliveries(&app, &one, 0).await.len(), 1);
    app.finish().await;
}

#[actix::test]
async fn a_fallback_replaces_a_channel_that_is_disabled() {
    let app = App::with(OPEN).await;
    let target = Target::start(500).await;
    let (first, second) = (Receiver::start().await, Receiver::start().await);
    first.answer(&["410 Gone"]);
    let to = [
        webhook(&first, json!({ "fallback": "2" })),
        webhook(&second, json!({})),
    ];
    let one = alarm(&app, &to, json!({})).await;
    // A failure disables what was there before it.
    app.clock.advance(MINUTE);
    monitor(&app, &target, "API").await;
    second.wait_for(1).await;
    until("it is disabled", async || {
        destinations(&app, &one).await[0]["disabled"].is_string()
    })
    .await;
    target.status.store(200, SeqCst);
    app.clock.advance(MINUTE);
    second.wait_for(2).await;
    target.status.store(500, SeqCst);
    app.clock.advance(MINUTE);
    second.wait_for(3).await;
    let expected = ["alarm.fired", "alarm.resolved", "alarm.fired"];
    assert_eq!(events(&second), expected);
    assert_eq!(deliveries(&app, &one, 0).await.len(), 1);
    app.finish().await;
}

#[actix::test]
async fn above_the_rate_limit_one_message_follows_for_all() {
    let mut app = App::with(OPEN).await;
    let receiver = Receiver::start().await;
    let limit = json!({ "rateLimit": { "messages": 1, "minutes": 60 } });
    let one = alarm(&app, &[webhook(&receiver, limit)], json!({})).await;
    let mut targets = Vec::new();
    for (nth, name) in ["A", "B", "C"].into_iter().enumerate() {
        let target = Target::start(500).await;
        monitor(&app, &target, name).await;
        targets.push(target);
        until_firing(&app, &one, nth + 1).await;
    }
    assert_eq!(deliveries(&app, &one, 0).await.len(), 1);
    app.restart().await;
    app.clock.advance(59 * MINUTE);
    until_firing(&app, &one, 3).await;
    assert_eq!(deliveries(&app, &one, 0).await.len(), 1);
    app.clock.advance(MINUTE);
    let summary = receiver.wait_for(2).await.remove(1).json();
    assert_eq!(summary["type"], "alarm.fired");
    let alerts = summary["data"]["alerts"].as_array().unwrap().iter();
    let names: Vec<&Value> = alerts.map(|one| &one["subject"]["name"]).collect();
    assert_eq!(names, ["B", "C"]);
    app.finish().await;
}

#[actix::test]
async fn the_end_of_an_alert_that_is_changed_counts_for_the_rate_limit() {
    let app = App::with(OPEN).await;
    let (target, receiver) = (Target::start(500).await, Receiver::start().await);
    let limit = json!({ "rateLimit": { "messages": 2, "minutes": 60 } });
    let one = alarm(&app, &[webhook(&receiver, limit)], json!({})).await;
    monitor(&app, &target, "API").await;
    receiver.wait_for(1).await;
    let conditions = json!({ "down": true, "consecutiveFailures": 9 });
    let change = json!({ "alarmId": one["alarmId"], "triggerConditions": conditions });
    call_ok(&app, "/alarms/update", change).await;
    receiver.wait_for(2).await;
    until_firing(&app, &one, 1).await;
    assert_eq!(deliveries(&app, &one, 0).await.len(), 2);
    app.clock.advance(60 * MINUTE);
    receiver.wait_for(3).await;
    let expected = ["alarm.fired", "alarm.resolved", "alarm.fired"];
    assert_eq!(events(&receiver), expected);
    app.finish().await;
}
