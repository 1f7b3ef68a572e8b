//! Monitors at the console.

use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::App,
    people::{OPEN, browser::Browser, team::invited},
};

async fn monitor(app: &App, id: &str) -> Value {
    let url = format!("{}/uptime/getSchedule", app.base);
    app.post(url, &json!({ "scheduleId": id })).await.body
}

#[actix::test]
async fn signs_of_life_are_seen_and_a_monitor_is_changed_paused_and_deleted() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    assert!(
        page(&owner, "/console/monitors")
            .await
            .contains("Nothing is watched yet")
    );
    page(&owner, "/console/monitors/new").await;
    let fields = [
        ("kind", "push"),
        ("name", "Backup <b>"),
        ("granularity", "hour"),
        ("grace", "120"),
        ("tags", "a, b"),
        ("maintenance.1.startsAt", "2026-12-31T22:00"),
        ("maintenance.1.endsAt", "2026-12-31T23:00"),
        ("maintenance.1.title", "Move"),
    ];
    let made = owner.submit("/console/monitors/new", &fields).await;
    let path = leads_to(&made).to_owned();
    let id = path.rsplit('/').next().unwrap();
    let stored = monitor(&app, id).await;
    assert_eq!(stored["grace"], 120);
    let window = json!([{ "title": "Move", "startsAt": "2026-12-31T22:00:00Z", "endsAt": "2026-12-31T23:00:00Z" }]);
    assert_eq!(stored["maintenance"], window);
    let before = page(&owner, &path).await;
    assert!(
        before.contains("Backup &lt;b&gt;") && before.contains("Nothing is known yet"),
        "{before}"
    );
    let push = before
        .split("<code>")
        .find(|text| text.contains("/push/"))
        .unwrap()
        .split('<')
        .next()
        .unwrap();
    assert_eq!(app.http.get(push).send().await.unwrap().status(), 200);
    crate::app::until("the sign of life counts", async || {
        page(&owner, "/console/monitors")
            .await
            .contains("state good\">up<")
    })
    .await;
    let after = page(&owner, &path).await;
    assert!(after.contains("100%"), "{after}");

    let change = [
        ("name", "Nightly"),
        ("granularity", "day"),
        ("group", "Jobs"),
    ];
    assert_eq!(
        leads_to(&owner.submit(&path, &change).await),
        format!("{path}?done=1")
    );
    let stored = monitor(&app, id).await;
    assert_eq!(
        (&stored["name"], &stored["tags"], &stored["grace"]),
        (&json!("Nightly"), &json!(null), &json!(null))
    );
    let wrong = owner
        .submit(
            &path,
            &[
                ("name", "Kept"),
                ("granularity", "day"),
                ("grace", "a while"),
            ],
        )
        .await;
    is_page(&wrong, 400);
    assert!(
        wrong.text.contains("id=\"grace-wrong\"") && wrong.text.contains("value=\"Kept\""),
        "{}",
        wrong.text
    );

    assert_eq!(
        leads_to(&owner.submit(&format!("{path}/pause"), &[]).await),
        path
    );
    assert!(page(&owner, &path).await.contains(">paused<"));
    assert_eq!(
        leads_to(&owner.submit(&format!("{path}/resume"), &[]).await),
        path
    );
    assert_eq!(monitor(&app, id).await["isPaused"], false);
    assert_eq!(
        leads_to(&owner.submit(&format!("{path}/delete"), &[]).await),
        "/console/monitors"
    );
    is_page(&owner.get(&path).await, 404);
    app.finish().await;
}

#[actix::test]
async fn what_is_wrong_with_a_monitor_is_said_and_viewers_only_look() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let send = async |browser: &Browser<'_>, fields: &[(&str, &str)]| {
        browser.submit("/console/monitors/new", fields).await
    };
    is_page(
        &send(&owner, &[("kind", "http"), ("granularity", "minute")]).await,
        400,
    );
    let wrong = send(
        &owner,
        &[
            ("kind", "http"),
            ("url", "http://"),
            ("name", "\"><script>alert(1)</script>"),
            ("granularity", "minute"),
        ],
    )
    .await;
    is_page(&wrong, 400);
    assert!(!wrong.text.contains("<script>alert"), "{}", wrong.text);
    let viewer = invited(&app, &owner, "viewer").await;
    is_page(
        &send(&viewer, &[("kind", "push"), ("granularity", "hour")]).await,
        403,
    );
    let made = send(&owner, &[("kind", "push"), ("granularity", "hour")]).await;
    let path = leads_to(&made).to_owned();
    let seen = page(&viewer, &path).await;
    assert!(
        !seen.contains("/push/") && !seen.contains("Delete this monitor"),
        "{seen}"
    );
    is_page(&viewer.submit(&format!("{path}/pause"), &[]).await, 403);
    app.finish().await;
}
