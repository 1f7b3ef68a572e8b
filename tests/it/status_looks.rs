//! What people see of a status page: its banner, its components, its days and its logo.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    app::{Answer, App, until},
    people::browser::Browser,
    status_pages::{call, call_ok, door, get_page, page, until_seen},
};

/// Puts another push monitor on a page; its heartbeat URL.
async fn add(app: &App, page: &str, name: &str) -> String {
    let url = format!("{}/uptime/createSchedule", app.base);
    let fields = json!({ "kind": "push", "granularity": "hour", "name": name, "retries": 0 });
    let made = app.post(url, &fields).await.body;
    let add = json!({ "statusPageId": page, "uptimeScheduleId": made["scheduleId"] });
    call_ok(app, "addMonitor", add).await;
    made["pushUrl"].as_str().unwrap().to_owned()
}

async fn ring(app: &App, url: String) {
    assert_eq!(Answer::send(app.http.post(url)).await.status, 200);
}

#[actix::test]
async fn a_monitor_above_its_threshold_is_degraded_everywhere() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (_, _, push) = page(&app).await;
    let listed = format!("{}/uptime/listSchedules", app.base);
    let id = app.post(listed, &json!({})).await.body[0]["id"].clone();
    let change = json!({ "scheduleId": id, "degradedAfter": 1_000 });
    let changed = app
        .post(format!("{}/uptime/updateSchedule", app.base), &change)
        .await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    ring(&app, format!("{push}/start")).await;
    app.clock.advance(Duration::from_secs(2));
    ring(&app, push).await;
    let shown = until_seen(&app, "it is degraded", |shown| {
        shown["overallStatus"] == "degraded"
    })
    .await;
    assert_eq!(shown["monitors"][0]["currentStatus"], "degraded");
    let public = door(&app, "", &[]).await.text;
    assert!(
        public.contains("<span class=\"degraded\">Degraded</span>"),
        "{public}"
    );
    assert!(public.contains("Partial outage"), "{public}");
    let badge = door(&app, "/badge.svg", &[]).await.text;
    assert!(badge.contains("partial outage"), "{badge}");
    let api = door(&app, "/api/v2/components.json", &[]).await.body;
    assert_eq!(api["components"][0]["status"], "degraded_performance");
    for path in [
        "/console/monitors".to_owned(),
        format!("/console/monitor/{}", id.as_str().unwrap()),
    ] {
        let seen = owner.get(&path).await.text;
        assert!(seen.contains("state warn\">Degraded<"), "{seen}");
    }
    app.finish().await;
}

#[actix::test]
async fn a_component_that_is_down_is_a_major_outage() {
    let app = App::spawn().await;
    let (id, _, push) = page(&app).await;
    let other = add(&app, &id, "Other").await;
    ring(&app, other).await;
    ring(&app, format!("{push}/fail")).await;
    until_seen(&app, "one is down", |shown| {
        shown["overallStatus"] == "degraded"
    })
    .await;
    let public = door(&app, "", &[]).await.text;
    assert!(
        public.contains("class=\"all down\" role=\"status\"") && public.contains("Major outage"),
        "{public}"
    );
    app.finish().await;
}

#[actix::test]
async fn an_address_is_published_only_by_its_owner() {
    let app = App::with("egress.allow = ['127.0.0.0/8']").await;
    let (id, ..) = page(&app).await;
    let target = "http://127.0.0.1:19999/internal";
    let fields = json!({ "url": target, "granularity": "day" });
    let url = format!("{}/uptime/createSchedule", app.base);
    let made = app.post(url, &fields).await.body;
    let put = json!({ "statusPageId": id, "uptimeScheduleId": made["scheduleId"] });
    let listed = call_ok(&app, "addMonitor", put).await;
    assert_eq!(listed["hideUrl"], true);
    for path in ["", "/api/v2/summary.json", "/badge.svg"] {
        let shown = door(&app, path, &[]).await.text;
        assert!(!shown.contains("127.0.0.1:19999"), "{path}: {shown}");
    }
    let seen = get_page(&app, "example").await;
    assert_eq!(seen["monitors"][1]["name"], "Unnamed monitor");
    assert!(seen["monitors"][1].get("domain").is_none(), "{seen}");
    let publish = json!({ "monitorId": listed["id"], "hideUrl": false });
    call_ok(&app, "updateMonitorSettings", publish).await;
    let shown = door(&app, "", &[]).await.text;
    assert!(shown.contains(target), "{shown}");
    app.finish().await;
}

#[actix::test]
async fn days_have_their_incidents_and_the_past_is_told_by_date() {
    let app = App::spawn().await;
    let (id, monitor, push) = page(&app).await;
    ring(&app, push).await;
    until_seen(&app, "its days are known", |shown| {
        shown["monitors"][0]["dailyData"][89]["total_checks"] == 1
    })
    .await;
    let affected = json!([{ "statusPageMonitorId": monitor, "impact": "degraded" }]);
    let tell = json!({ "statusPageId": id, "title": "Slow & steady", "message": "We look.", "affectedMonitors": affected });
    let told = call_ok(&app, "createIncident", tell).await;
    let link = format!(
        "<a href=\"#{}\">Slow &amp; steady</a>",
        told["id"].as_str().unwrap()
    );
    let active = door(&app, "", &[]).await.text;
    assert!(active.contains(&link), "its day links to it: {active}");
    assert_eq!(active.matches("No incidents.").count(), 13);
    let over = json!({ "incidentId": told["id"], "status": "resolved", "message": "Fast." });
    call_ok(&app, "updateIncident", over).await;
    let shown = door(&app, "", &[]).await.text;
    assert!(shown.contains("<strong>Resolved</strong>"), "{shown}");
    let card = "<i class=\"up\"><b>Oct 14, 2026: 100% uptime<br>Slow &amp; steady</b></i>";
    assert!(shown.contains(card), "{shown}");
    assert!(
        shown.contains("1 day with downtime or incidents"),
        "{shown}"
    );
    let link = format!("href=\"#{}\"", told["id"].as_str().unwrap());
    assert!(shown.contains(&link), "{shown}");
    assert_eq!(shown.matches("<div class=\"day\">").count(), 14);
    assert_eq!(shown.matches("No incidents.").count(), 13);
    app.clock.advance(Duration::from_hours(20 * 24));
    until("another day", async || {
        door(&app, "", &[]).await.text.contains("Older incidents")
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn a_logo_is_uploaded_shown_and_can_do_nothing() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (id, ..) = page(&app).await;
    let path = format!("/console/status-page/{id}");
    assert_eq!(door(&app, "/logo", &[]).await.status, 404);
    let png = b"\x89PNG\r\n\x1a\nnot a picture in full";
    let done = owner.upload(&format!("{path}/logo"), png).await;
    assert_eq!(done.status, 303, "{}", done.text);
    let console = owner.get(&path).await.text;
    assert!(
        console.contains("src=\"/status/example/logo\""),
        "{console}"
    );
    let public = door(&app, "", &[]).await;
    let source = format!("<img src=\"{}/status/example/logo?v=", app.base);
    assert!(public.text.contains(&source), "{}", public.text);
    let policy = public.header("content-security-policy");
    assert!(
        policy.contains(&format!("img-src {}", app.base)),
        "{policy}"
    );
    let logo = door(&app, "/logo", &[]).await;
    assert_eq!(logo.header("content-type"), "image/png");
    assert_eq!(logo.header("x-content-type-options"), "nosniff");
    let policy = logo.header("content-security-policy");
    assert!(policy.contains("sandbox"), "{policy}");
    let tag = logo.header("etag").to_owned();
    let again = door(&app, "/logo", &[("if-none-match", &tag)]).await;
    assert_eq!(again.status, 304);

    let mut large = png.to_vec();
    large.resize(140 << 10, 0);
    let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script/></svg>";
    for (bytes, says) in [
        (&svg[..], "Choose a PNG, JPEG, WebP or GIF image."),
        (b"", "Choose a PNG"),
        (&large, "at most 128 KiB"),
    ] {
        let refused = owner.upload(&format!("{path}/logo"), bytes).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert!(refused.text.contains(says), "{says}: {}", refused.text);
    }
    let wrong = json!({ "statusPageId": id, "data": "***" });
    assert_eq!(call(&app, "setLogo", wrong).await.status, 400);
    let gone = json!({ "statusPageId": id, "data": Value::Null });
    assert_eq!(call_ok(&app, "setLogo", gone).await["hasLogo"], false);
    assert_eq!(door(&app, "/logo", &[]).await.status, 404);
    app.finish().await;
}
