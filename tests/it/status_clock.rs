//! What pages do by themselves: maintenance by the clock, and incidents that monitors open and close.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    app::{Answer, App, until},
    receiver::Receiver,
    status_pages::{call, call_ok, page},
    subscribers::{link, noted},
};

const OPEN: &str = "egress.allow = ['127.0.0.0/8']\n";

/// Follows the page with a webhook; what comes to confirm it is the first message.
async fn follow(app: &App) -> Receiver {
    let receiver = Receiver::start().await;
    let url = format!("{}/status/example/subscribe", app.base);
    let wish = json!({ "address": format!("{}/hook", receiver.url) });
    assert_eq!(app.post_anonymously(url, &wish).await.status, 200);
    let said = receiver.wait_for(1).await.remove(0).json();
    let confirm = said["data"]["confirmUrl"].as_str().unwrap();
    let confirm = link(app, confirm, "/subscriptions/", "/confirm");
    assert_eq!(Answer::send(app.http.post(confirm)).await.status, 200);
    receiver
}

/// The messages of the page after the confirmation.
fn told(receiver: &Receiver) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = receiver.got().into_iter().skip(1).map(|got| got.json());
    all.map(|said| {
        (
            text(&said["type"]),
            text(&said["data"]["incident"]["status"]),
        )
    })
    .collect()
}

async fn incidents(app: &App, page: &str) -> Vec<Value> {
    let all = call_ok(app, "listIncidents", json!({ "statusPageId": page })).await;
    all.as_array().unwrap().clone()
}

#[actix::test]
async fn maintenance_begins_and_ends_by_the_clock_and_is_told_once_each_time() {
    let mut app = App::with(OPEN).await;
    let (page, monitor, push) = page(&app).await;
    Answer::send(app.http.post(&push)).await;
    let receiver = follow(&app).await;
    let plan = json!({ "statusPageId": page, "title": "Disks", "message": "New ones.",
        "startsAt": "2026-10-14T13:00:00Z", "endsAt": "2026-10-14T14:00:00Z", "automatic": true, "verifyMinutes": 10,
        "affectedMonitors": [{ "statusPageMonitorId": monitor, "impact": "down" }] });
    let planned = call_ok(&app, "createIncident", plan.clone()).await;
    assert_eq!(
        (&planned["status"], &planned["automatic"]),
        (&json!("scheduled"), &json!(true))
    );
    receiver.wait_for(2).await;
    for (minutes, status, count) in [
        (60, "in_progress", 3),
        (60, "verifying", 4),
        (10, "completed", 5),
    ] {
        app.clock.advance(Duration::from_mins(minutes));
        until("it went on", async || {
            incidents(&app, &page).await[0]["status"] == status
        })
        .await;
        receiver.wait_for(count).await;
        noted(&app).await;
        app.restart().await;
        assert_eq!(incidents(&app, &page).await[0]["status"], status);
    }
    app.clock.advance(Duration::from_hours(1));
    app.restart().await;
    let expected = [
        ("maintenance.scheduled", "scheduled"),
        ("maintenance.updated", "in_progress"),
        ("maintenance.updated", "verifying"),
        ("maintenance.completed", "completed"),
    ];
    let expected = expected.map(|(kind, status)| (kind.to_owned(), status.to_owned()));
    assert_eq!(told(&receiver), expected);
    let shown = incidents(&app, &page).await.remove(0);
    assert_eq!(shown["updates"].as_array().unwrap().len(), 4);
    assert_eq!(shown["resolvedAt"], "2026-10-14T14:10:00.000Z");
    for (field, value) in [("verifyMinutes", json!(1_441)), ("startsAt", Value::Null)] {
        let mut wrong = plan.clone();
        wrong[field] = value;
        if field == "startsAt" {
            wrong["endsAt"] = Value::Null;
        }
        let answer = call(&app, "createIncident", wrong).await;
        assert_eq!(answer.status, 400, "{field}: {}", answer.text);
    }
    app.finish().await;
}

#[actix::test]
async fn a_monitor_that_goes_down_opens_one_incident_however_often_we_start() {
    let mut app = App::with(OPEN).await;
    let (page, monitor, push) = page(&app).await;
    let push = |app: &App, rest: &str| {
        let path = push[push.find("/push/").unwrap()..].to_owned();
        app.http.post(format!("{}{path}{rest}", app.base))
    };
    let receiver = follow(&app).await;
    Answer::send(push(&app, "")).await;
    Answer::send(push(&app, "/fail")).await;
    let asked = json!({ "statusPageId": page, "automaticIncidents": true });
    assert_eq!(
        call_ok(&app, "update", asked).await["automaticIncidents"],
        true
    );
    until("it is opened", async || {
        incidents(&app, &page).await.len() == 1
    })
    .await;
    let opened = incidents(&app, &page).await.remove(0);
    assert_eq!(
        (&opened["title"], &opened["automatic"]),
        (&json!("Job is down"), &json!(true))
    );
    assert_eq!(
        opened["affectedMonitors"][0]["statusPageMonitorId"],
        monitor.as_str()
    );
    receiver.wait_for(2).await;
    for _ in 0..2 {
        noted(&app).await;
        app.restart().await;
        app.clock.advance(Duration::from_secs(30));
        Answer::send(push(&app, "/fail")).await;
    }
    app.clock.advance(Duration::from_secs(30));
    Answer::send(push(&app, "")).await;
    until("it is closed", async || {
        incidents(&app, &page).await[0]["status"] == "resolved"
    })
    .await;
    receiver.wait_for(3).await;
    noted(&app).await;
    app.restart().await;
    assert_eq!(incidents(&app, &page).await.len(), 1);
    let expected = [
        ("incident.created", "investigating"),
        ("incident.resolved", "resolved"),
    ];
    let expected = expected.map(|(kind, status)| (kind.to_owned(), status.to_owned()));
    assert_eq!(told(&receiver), expected);
    app.finish().await;
}
