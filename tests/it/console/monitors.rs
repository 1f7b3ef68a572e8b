//! Monitors at the console.

use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::App,
    people::{OPEN, browser::Browser, team::invited},
    receiver::Receiver,
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
            .contains("No monitors yet")
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
        before.contains("Backup &lt;b&gt;") && before.contains("No data yet"),
        "{before}"
    );
    let push = before.split("curl -fsS ").nth(1).unwrap();
    let push = push.split('<').next().unwrap();
    assert_eq!(app.http.get(push).send().await.unwrap().status(), 200);
    crate::app::until("the sign of life counts", async || {
        page(&owner, "/console/monitors")
            .await
            .contains("state good\">Up<")
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
        format!("{path}?tab=settings&done=1")
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
    assert!(page(&owner, &path).await.contains(">Paused<"));
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
        !seen.contains("/push/") && !seen.contains("Delete monitor"),
        "{seen}"
    );
    is_page(&viewer.submit(&format!("{path}/pause"), &[]).await, 403);
    app.finish().await;
}

#[actix::test]
async fn suggested_monitors_are_created_from_a_form() {
    let app = App::with(&format!("{OPEN}\negress.allow = ['127.0.0.0/8']")).await;
    let owner = Browser::owner(&app).await;
    let form = page(&owner, "/console/monitors/new").await;
    for text in [
        "action=\"/console/monitors/suggest\"",
        "name=\"address\"",
        "Suggest monitors",
    ] {
        assert!(form.contains(text), "{text}: {form}");
    }
    page(&owner, "/console/monitors/suggest").await;
    let target = Receiver::saying(
        "200 OK\r\ncontent-type: text/html\r\n\r\n<title>A &amp; <script>alert(x)</title>",
    )
    .await;
    let fields = [("address", target.url.as_str())];
    let suggested = owner.submit("/console/monitors/suggest", &fields).await;
    is_page(&suggested, 200);
    assert!(
        suggested.text.contains("Create monitors"),
        "{}",
        suggested.text
    );
    let value = suggested
        .text
        .split("name=\"monitor\" type=\"checkbox\" value=\"")
        .nth(1);
    let (value, rest) = value.unwrap().split_once('"').unwrap();
    assert!(rest.starts_with(" checked"), "{rest}");
    let input = value
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let create = "/console/monitors/suggest/create";
    let sent = [("address", target.url.as_str()), ("monitor", &*input)];
    let created = owner.submit(create, &sent).await;
    assert_eq!(leads_to(&created), "/console/monitors?created=1");
    let list = page(&owner, leads_to(&created)).await;
    assert!(list.contains("1 monitor created."), "{list}");
    let url = format!("{}/uptime/listSchedules", app.base);
    let stored = app.post(url, &json!({})).await.body[0].clone();
    assert_eq!(stored["url"], format!("{}/", target.url));
    assert_eq!(stored["expect"]["contains"], "A &amp; <script>alert(x)");

    // It is there now, and can't be selected any more.
    let again = owner.submit("/console/monitors/suggest", &fields).await;
    assert!(
        again.text.contains("You have this monitor already."),
        "{}",
        again.text
    );
    assert!(again.text.contains(" disabled"), "{}", again.text);
    let taken = owner.submit(create, &sent).await;
    is_page(&taken, 409);
    assert!(
        taken.text.contains("is already monitored"),
        "{}",
        taken.text
    );
    app.finish().await;
}

#[actix::test]
async fn an_address_without_suggestions_is_shown_again_with_what_is_wrong() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let suggest = "/console/monitors/suggest";
    let create = "/console/monitors/suggest/create";
    let refused = owner
        .submit(suggest, &[("address", "http://10.0.0.1/")])
        .await;
    is_page(&refused, 400);
    for text in [
        "id=\"address-wrong\"",
        "value=\"http://10.0.0.1/\"",
        "Is refused: the target is not a public address",
    ] {
        assert!(refused.text.contains(text), "{text}: {}", refused.text);
    }
    assert!(
        !refused.text.contains("Create monitors"),
        "{}",
        refused.text
    );
    let nothing = owner.submit(create, &[("address", "acme.example")]).await;
    is_page(&nothing, 400);
    assert!(
        nothing.text.contains("Select at least one monitor"),
        "{}",
        nothing.text
    );
    is_page(&owner.submit(create, &[("monitor", "no JSON")]).await, 400);
    let viewer = invited(&app, &owner, "viewer").await;
    is_page(
        &viewer.submit(suggest, &[("address", "acme.example")]).await,
        403,
    );
    is_page(&viewer.submit(create, &[]).await, 403);
    app.finish().await;
}
