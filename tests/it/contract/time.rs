//! What happens when time has passed.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    app::{App, NOW, until},
    people::browser::Browser,
};

/// For so long what was deleted comes back.
const GRACE: Duration = Duration::from_hours(7 * 24);
const ALMOST_OVER: Duration = Duration::from_secs(7 * 86_400 - 1);

/// A day and an hour: what is not in a segment by then comes into one when the program starts.
const SEALED: Duration = Duration::from_hours(25);

#[actix::test]
async fn a_repeated_event_is_the_same_for_as_many_hours_as_is_said() {
    let mut app = App::with("ingest.dedup_hours = 2\nlimits.query_requests = 0").await;
    let event = json!({ "name": "e", "eventId": "1", "websiteId": app.website });
    let stored = async |app: &App| {
        let ask = json!({ "parameters": ["custom_events"], "preset": "last_7d" });
        assert_eq!(app.send(&event).await.status, 200);
        app.ask(&ask).await.rows(0)[0]["total_events"].clone()
    };
    assert_eq!(stored(&app).await, 1);
    app.clock.advance(Duration::from_secs(2 * 3_600 - 1));
    assert_eq!(stored(&app).await, 1);
    app.restart().await;
    assert_eq!(stored(&app).await, 1, "also after a restart");
    app.clock.advance(SEALED);
    app.restart().await;
    until("the id is forgotten", async || stored(&app).await == 2).await;
    app.finish().await;
}

#[actix::test]
async fn a_deleted_website_comes_back_for_seven_days_and_is_erased_then_with_a_receipt() {
    let mut app = App::outside("").await;
    let one = json!({ "id": app.website });
    let event = json!({ "name": "e", "websiteId": app.website });
    let call_ok = async |app: &App, path: &str, body: &Value| {
        let answer = app.post(format!("{}{path}", app.base), body).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        answer.body
    };
    assert_eq!(app.send(&event).await.status, 200);
    call_ok(&app, "/websites/delete", &one).await;
    assert_eq!(app.send(&event).await.status, 404, "it stops at once");
    app.clock.advance(ALMOST_OVER);
    let owner = Browser::owner(&app).await;
    let back = owner.post("/websites/restore", &one).await;
    assert_eq!(back.status, 200, "{}", back.text);
    let month = json!({ "parameters": ["custom_events"], "preset": "last_30d" });
    assert_eq!(app.ask(&month).await.rows(0)[0]["total_events"], 1);
    call_ok(&app, "/websites/delete", &one).await;
    let link = json!({ "name": "a", "targetUrl": "https://a.example/" });
    let link = call_ok(&app, "/links/create", &link).await;
    call_ok(&app, "/links/delete", &json!({ "id": link["id"] })).await;
    app.clock.advance(GRACE);
    // What is due is looked for when the program starts, and every hour.
    app.restart().await;
    let owner = Browser::owner(&app).await;
    for (action, of) in [("website.erase", &one["id"]), ("link.erase", &link["id"])] {
        let which = json!({ "organizationId": app.organization, "action": action });
        until("there is a receipt", async || {
            let log = owner.post("/audit/list", &which).await;
            log.body[0]["targetId"] == *of
        })
        .await;
    }
    let late = owner.post("/websites/restore", &one).await;
    assert_eq!(late.status, 404, "{}", late.text);
    app.finish().await;
}

#[actix::test]
async fn a_deleted_organization_comes_back_for_seven_days_and_is_erased_then() {
    let mut app = App::outside("").await;
    let which = json!({ "organizationId": app.organization });
    let event = json!({ "name": "e", "websiteId": app.website });
    assert_eq!(app.send(&event).await.status, 200);
    let owner = Browser::owner(&app).await;
    let gone = owner.post("/api/auth/organization/delete", &which).await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    assert_ne!(app.send(&event).await.status, 200, "it stops at once");
    app.clock.advance(ALMOST_OVER);
    let owner = Browser::owner(&app).await;
    let back = owner.post("/organizations/restore", &which).await;
    assert_eq!(back.status, 200, "{}", back.text);
    assert_eq!(app.send(&event).await.status, 200);
    let gone = owner.post("/api/auth/organization/delete", &which).await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    app.clock.advance(GRACE);
    app.restart().await;
    until("it is erased", async || {
        app.count_log_lines("a deleted organization was erased") == 1
    })
    .await;
    let owner = Browser::owner(&app).await;
    let late = owner.post("/organizations/restore", &which).await;
    assert_eq!(late.status, 404, "{}", late.text);
    app.finish().await;
}

#[actix::test]
async fn what_is_older_than_is_said_is_deleted_without_anybody_asking() {
    let settings = "events.retention_days = 30\nmonitors.retention_days = 3\nmonitors.retries = 0\n\
                    egress.allow = ['127.0.0.0/8']\nlimits.query_requests = 0";
    let mut app = App::with(settings).await;
    let at = |days: i64| pharos::clock::iso_ms(NOW - days * 86_400_000);
    for (name, days) in [("old", 31), ("young", 5)] {
        let event = json!({ "name": name, "websiteId": app.website, "timestamp": at(days) });
        assert_eq!(app.send(&event).await.status, 200);
    }
    let preview = json!({ "id": app.website });
    let url = format!("{}/websites/previewRetention", app.base);
    let told = app.post(url, &preview).await.body;
    assert_eq!(
        (&told["days"], &told["events"]),
        (&json!(30), &json!(1)),
        "{told}"
    );
    let nobody = format!("http://{}/", crate::process::free_address());
    let monitor = json!({ "url": nobody, "granularity": "day" });
    let url = format!("{}/uptime/createSchedule", app.base);
    let made = app.post(url, &monitor).await;
    let id = made.body["scheduleId"].as_str().unwrap().to_owned();
    let checks = async |app: &App| {
        let ask =
            json!({ "parameters": ["uptime_recent_checks"], "preset": "last_90d", "limit": 1000 });
        let url = format!("{}/v1/query?schedule_id={id}", app.base);
        app.post(url, &ask).await.rows(0)
    };
    until("it is checked", async || !checks(&app).await.is_empty()).await;
    let first = checks(&app).await.pop().unwrap();
    app.clock.advance(SEALED * 4);
    app.restart().await;
    let names = async || {
        let ask = json!({ "parameters": ["custom_events"], "preset": "last_90d", "limit": 10 });
        let rows = app.ask(&ask).await.rows(0);
        let names = rows.iter().map(|row| row["name"].clone());
        names.collect::<Vec<_>>()
    };
    until("the old event is gone", async || names().await == ["young"]).await;
    until("the old check is gone", async || {
        !checks(&app).await.contains(&first)
    })
    .await;
    app.finish().await;
}
