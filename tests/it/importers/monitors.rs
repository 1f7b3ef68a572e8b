use std::fmt::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{call, counts, file, fixture, kuma, named, reason};
use crate::app::App;

async fn monitors(app: &App) -> Vec<Value> {
    let listed = call(app, "/uptime/listSchedules", json!({})).await;
    listed.as_array().unwrap().clone()
}

async fn pages(app: &App) -> Vec<Value> {
    let listed = call(app, "/statusPage/list", json!({})).await;
    listed.as_array().unwrap().clone()
}

fn find<'m>(monitors: &'m [Value], name: &str) -> &'m Value {
    monitors.iter().find(|one| one["name"] == name).unwrap()
}

#[actix::test]
async fn a_kuma_database_becomes_monitors_and_pages_once() {
    let app = App::spawn().await;
    let content = STANDARD.encode(kuma().await);
    let body = json!({ "format": "uptime-kuma", "content": content, "encoding": "base64" });
    let plan = call(&app, "/imports/planMonitors", body.clone()).await;
    assert_eq!(counts(&plan), [8, 0, 0], "{plan}");
    assert!(monitors(&app).await.is_empty() && pages(&app).await.is_empty());
    assert!(!plan.to_string().contains("a secret"));

    let applied = call(&app, "/imports/applyMonitors", body.clone()).await;
    let expected = [
        "Website",
        "No errors",
        "API",
        "Database",
        "Gateway",
        "Names",
        "Backup",
        "shop",
    ];
    assert_eq!(named(&applied, "created"), expected, "{applied}");
    let made = monitors(&app).await;
    assert_eq!(made.len(), 7);
    let website = find(&made, "Website");
    assert_eq!(website["group"], "Shop");
    assert_eq!(website["tags"], json!(["env: prod", "public"]));
    assert_eq!(website["maintenance"].as_array().unwrap().len(), 2);
    assert_eq!(website["isPaused"], false);
    assert_eq!(find(&made, "Gateway")["isPaused"], true);
    assert_eq!(find(&made, "Database")["url"], "tcp://db.shop.example:8443");

    let page = pages(&app).await[0].clone();
    assert_eq!(
        (&page["slug"], &page["theme"]),
        (&json!("shop"), &json!("dark"))
    );
    let whole = call(
        &app,
        "/statusPage/get",
        json!({ "statusPageId": page["id"] }),
    )
    .await;
    let listed = whole["monitors"].as_array().unwrap().iter();
    let listed = listed.map(|one| {
        (
            one["uptimeSchedule"]["name"].clone(),
            one["group"].clone(),
            one["hideUrl"].clone(),
        )
    });
    let listed: Vec<_> = listed.collect();
    let expected = [
        (json!("Website"), json!("Services"), json!(false)),
        (json!("API"), json!("Services"), json!(true)),
        (json!("Database"), json!("Infrastructure"), json!(true)),
    ];
    assert_eq!(listed, expected);

    let again = call(&app, "/imports/applyMonitors", body).await;
    assert_eq!(counts(&again), [0, 8, 0], "{again}");
    assert_eq!(
        (monitors(&app).await.len(), pages(&app).await.len()),
        (7, 1)
    );
    app.finish().await;
}

#[actix::test]
async fn gatus_and_uptimerobot_become_monitors_once() {
    for (format, content, expected) in [
        ("gatus", fixture!("gatus.yaml"), 9),
        ("uptimerobot", fixture!("uptimerobot.csv"), 5),
        ("uptime-kuma", fixture!("kuma-backup.json"), 1),
    ] {
        let app = App::spawn().await;
        let plan = call(&app, "/imports/planMonitors", file(format, content)).await;
        assert_eq!(counts(&plan), [expected, 0, 0], "{plan}");
        assert!(monitors(&app).await.is_empty());
        let applied = call(&app, "/imports/applyMonitors", file(format, content)).await;
        assert_eq!(counts(&applied), [expected, 0, 0], "{applied}");
        assert_eq!(monitors(&app).await.len() as u64, expected);
        let again = call(&app, "/imports/applyMonitors", file(format, content)).await;
        assert_eq!(counts(&again), [0, expected, 0], "{again}");
        assert_eq!(monitors(&app).await.len() as u64, expected);
        app.finish().await;
    }
}

#[actix::test]
async fn a_target_twice_and_one_of_the_inside_are_refused() {
    let app = App::spawn().await;
    let csv = "Friendly Name,URL,Type,Interval,Status\n\
               One,https://a.example/,HTTP,60,Paused\nTwo,https://a.example/,HTTP,60,Paused\n\
               Inside,http://127.0.0.1/,HTTP,60,Paused\nNight,,Heartbeat,60,Up\nNight,,Heartbeat,60,Up\n";
    let applied = call(&app, "/imports/applyMonitors", file("uptimerobot", csv)).await;
    assert_eq!(counts(&applied), [3, 0, 2], "{applied}");
    assert!(reason(&applied, "Two").contains("twice"));
    assert!(reason(&applied, "Inside").contains("refused"), "{applied}");
    let again = call(&app, "/imports/applyMonitors", file("uptimerobot", csv)).await;
    assert_eq!(
        counts(&again),
        [0, 3, 2],
        "push monitors of one name are told apart"
    );
    assert_eq!(monitors(&app).await.len(), 3);
    app.finish().await;
}

#[actix::test]
async fn incidents_of_the_past_are_on_the_page_at_their_time() {
    let app = App::spawn().await;
    let body = file("statuspage", fixture!("statuspage.json"));
    let plan = call(&app, "/imports/planMonitors", body.clone()).await;
    assert_eq!(counts(&plan), [5, 0, 0], "{plan}");
    let applied = call(&app, "/imports/applyMonitors", body.clone()).await;
    assert_eq!(counts(&applied), [5, 0, 0], "{applied}");
    let page = pages(&app).await[0]["id"].clone();
    let incidents = call(
        &app,
        "/statusPage/listIncidents",
        json!({ "statusPageId": page }),
    )
    .await;
    let told: Vec<_> = incidents
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["title"].as_str().unwrap(),
                one["status"].as_str().unwrap(),
                one["createdAt"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("Database upgrade", "completed", "2026-05-25T00:00:00.000Z"),
        ("Checkout failed", "resolved", "2026-05-01T10:00:00.000Z"),
    ];
    assert_eq!(told, expected);
    let checkout = &incidents[1];
    assert_eq!(checkout["postmortem"], "We learned.");
    assert_eq!(checkout["affectedMonitors"][0]["monitorName"], "API");
    assert_eq!(checkout["resolvedAt"], "2026-05-01T12:00:00.000Z");
    let again = call(&app, "/imports/applyMonitors", body).await;
    assert_eq!(counts(&again), [0, 5, 0], "{again}");
    app.finish().await;
}

#[actix::test]
async fn broken_databases_and_bombs_are_refused_and_nothing_is_made() {
    let app = App::spawn().await;
    let whole = kuma().await;
    let mut broken = whole.clone();
    broken[100..4_000].fill(0xff);
    for bytes in [&whole[..30], &broken] {
        let content = STANDARD.encode(bytes);
        let body = json!({ "format": "uptime-kuma", "content": content, "encoding": "base64" });
        let answer = app
            .post(format!("{}/imports/applyMonitors", app.base), &body)
            .await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        assert!(answer.text.contains("SQLite"), "{}", answer.text);
    }
    let mut laughs = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for (name, before) in ["b", "c", "d", "e", "f", "g"]
        .into_iter()
        .zip(["a", "b", "c", "d", "e", "f"])
    {
        let list = vec![format!("*{before}"); 9].join(",");
        let _ = writeln!(laughs, "{name}: &{name} [{list}]");
    }
    laughs += "endpoints: *g\n";
    let answer = app
        .post(
            format!("{}/imports/applyMonitors", app.base),
            &file("gatus", &laughs),
        )
        .await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert!(monitors(&app).await.is_empty());
    app.finish().await;
}
