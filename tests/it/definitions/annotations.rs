//! Notes on charts.

use serde_json::{Value, json};

use super::{call_ok, saved, with_website, wrong};
use pharos::clock::iso_ms;

use crate::app::{App, NOW};

fn range(start: &str, end: &str) -> Value {
    let range = json!({ "start_date": start, "end_date": end, "granularity": "daily" });
    json!({ "dateRange": range })
}

fn note(kind: &str, start: &str, end: Option<&str>) -> Value {
    json!({
        "chartType": "metrics", "chartContext": range("2026-10-01", "2026-10-31"), "annotationType": kind,
        "xValue": start, "xEndValue": end, "text": format!("{kind} {start}"), "tags": ["deploy"],
    })
}

#[actix::test]
async fn a_chart_shows_the_notes_that_fall_into_it() {
    let app = App::spawn().await;
    saved(&app, "annotations", &note("point", "2026-10-05", None)).await;
    saved(
        &app,
        "annotations",
        &note("line", "2026-10-06T12:00:00.000Z", None),
    )
    .await;
    saved(
        &app,
        "annotations",
        &note("range", "2026-10-07", Some("2026-10-09")),
    )
    .await;
    for (start, end, shown) in [
        ("2026-10-01", "2026-10-04", &[][..]),
        ("2026-10-01", "2026-10-05", &["point 2026-10-05"]),
        ("2026-10-05", "2026-10-05", &["point 2026-10-05"]),
        (
            "2026-10-06",
            "2026-10-06",
            &["line 2026-10-06T12:00:00.000Z"],
        ),
        ("2026-10-06T12:00:01.000Z", "2026-10-06T13:00:00.000Z", &[]),
        ("2026-10-08", "2026-10-08", &["range 2026-10-07"]),
        ("2026-10-09", "2026-10-20", &["range 2026-10-07"]),
        ("2026-10-10", "2026-10-20", &[]),
    ] {
        let question = with_website(
            &app,
            &json!({ "chartType": "metrics", "chartContext": range(start, end) }),
        );
        let listed = call_ok(&app, "/annotations/list", &question).await;
        let texts: Vec<&str> = listed
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["text"].as_str().unwrap())
            .collect();
        assert_eq!(texts, shown, "{start} to {end}");
    }
    let all = call_ok(&app, "/annotations/list", &with_website(&app, &json!({}))).await;
    assert_eq!(all.as_array().unwrap().len(), 3);
    assert_eq!(all[0]["color"], "#3B82F6");
    app.finish().await;
}

#[actix::test]
async fn a_note_says_what_it_is_and_where() {
    let app = App::spawn().await;
    let usual = note("range", "2026-10-07", Some("2026-10-07"));
    let id = saved(&app, "annotations", &usual).await;
    for (field, value, place) in [
        ("xEndValue", json!("2026-10-06"), "xEndValue"),
        ("xEndValue", json!(null), "xEndValue"),
        ("xValue", json!("soon"), "xValue"),
        ("text", json!(" "), "text"),
        ("text", json!("t".repeat(501)), "text"),
        ("color", json!("red"), "color"),
        ("tags", json!([""]), "tags"),
        ("chartType", json!("pie"), "chartType"),
        ("annotationType", json!("circle"), "annotationType"),
    ] {
        let mut body = usual.clone();
        body[field] = value;
        assert_eq!(
            wrong(&app, "/annotations/create", &with_website(&app, &body)).await,
            place,
            "{body}"
        );
    }
    let moved = json!({ "id": id, "xValue": "2026-10-08" });
    assert_eq!(wrong(&app, "/annotations/update", &moved).await, "xValue");
    app.finish().await;
}

#[actix::test]
async fn charts_tell_of_deploys_and_flags_by_themselves() {
    let app = App::spawn().await;
    let flag = json!({ "websiteId": app.website, "key": "new-checkout", "type": "boolean", "status": "active" });
    call_ok(&app, "/flags/create", &flag).await;
    let deploy = json!({
        "name": "deploy", "eventId": "d", "websiteId": app.website, "timestamp": NOW, "properties": { "version": "1.2.3" },
    });
    assert_eq!(app.send(&deploy).await.status, 200);
    let listed = async |start: &str, end: &str| {
        let question = with_website(
            &app,
            &json!({ "chartType": "metrics", "chartContext": range(start, end) }),
        );
        call_ok(&app, "/annotations/list", &question).await
    };
    let day = iso_ms(NOW)[..10].to_owned();
    let notes = listed(&day, &day).await;
    let texts: Vec<&str> = notes
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["Deploy 1.2.3", "Flag new-checkout was made"]);
    assert!(
        notes
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["isAutomatic"] == true)
    );
    assert_eq!(listed("2026-01-01", "2026-01-31").await, json!([]));
    // A list without a chart shows the stored annotations.
    assert_eq!(
        call_ok(&app, "/annotations/list", &with_website(&app, &json!({}))).await,
        json!([])
    );
    app.finish().await;
}

#[actix::test]
async fn charts_tell_of_the_incidents_that_concern_their_website() {
    let app = App::spawn().await;
    let monitor = async |name: &str, website: Value| {
        let fields =
            json!({ "kind": "push", "granularity": "hour", "name": name, "websiteId": website });
        call_ok(&app, "/uptime/createSchedule", &fields).await["scheduleId"].clone()
    };
    let (own, other) = (
        monitor("own", json!(app.website)).await,
        monitor("other", Value::Null).await,
    );
    let page = json!({ "name": "Example", "slug": "example" });
    let page = call_ok(&app, "/statusPage/create", &page).await["id"].clone();
    let listed = async |monitor: &Value| {
        let add = json!({ "statusPageId": page, "uptimeScheduleId": monitor });
        call_ok(&app, "/statusPage/addMonitor", &add).await["id"].clone()
    };
    let (own, other) = (listed(&own).await, listed(&other).await);
    for (title, affected) in [
        ("Shop is slow", vec![&own]),
        ("Mail is slow", vec![&other]),
        ("All is slow", vec![]),
    ] {
        let affected = affected
            .iter()
            .map(|id| json!({ "statusPageMonitorId": id, "impact": "degraded" }));
        let tell = json!({
            "statusPageId": page, "title": title, "message": "We look.", "affectedMonitors": affected.collect::<Vec<_>>(),
        });
        call_ok(&app, "/statusPage/createIncident", &tell).await;
    }
    let plan = json!({
        "statusPageId": page, "title": "New disks", "message": "Tomorrow.",
        "startsAt": iso_ms(NOW + 86_400_000), "endsAt": iso_ms(NOW + 90_000_000),
    });
    call_ok(&app, "/statusPage/createIncident", &plan).await;
    let texts = async |day_ms: i64| {
        let day = iso_ms(day_ms)[..10].to_owned();
        let question = with_website(
            &app,
            &json!({ "chartType": "metrics", "chartContext": range(&day, &day) }),
        );
        let notes = call_ok(&app, "/annotations/list", &question).await;
        let notes = notes.as_array().unwrap().iter();
        let mut texts: Vec<_> = notes
            .map(|one| (one["text"].clone(), one["tags"][1].clone()))
            .collect();
        texts.sort_by_key(|(text, _)| text.to_string());
        json!(texts)
    };
    assert_eq!(
        texts(NOW).await,
        json!([["All is slow", "incident"], ["Shop is slow", "incident"]])
    );
    assert_eq!(
        texts(NOW + 86_400_000).await,
        json!([["New disks", "maintenance"]])
    );
    assert_eq!(texts(NOW - 86_400_000).await, json!([]));
    app.finish().await;
}
