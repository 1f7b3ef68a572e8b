//! The list of monitors, what its filters and boxes do, and the views of one monitor.

use std::time::Duration;

use serde_json::{Value, json};

use super::{leads_to, page};
use crate::{
    app::{Answer, App, until},
    people::{OPEN, browser::Browser, team::invited},
};

const LIST: &str = "/console/monitors";

/// A push monitor: its id, and its heartbeat URL.
async fn heartbeat(app: &App, more: Value) -> (String, String) {
    let mut fields =
        json!({ "kind": "push", "granularity": "minute", "retries": 0, "grace": 86_400 });
    for (name, value) in more.as_object().unwrap() {
        fields[name] = value.clone();
    }
    let url = format!("{}/uptime/createSchedule", app.base);
    let made = app.post(url, &fields).await.body;
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    (text("scheduleId"), text("pushUrl"))
}

async fn ring(app: &App, push: &str, rest: &str) {
    let answer = Answer::send(app.http.post(format!("{push}{rest}"))).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

/// Waits until the list of monitors has these words.
async fn until_listed(owner: &Browser<'_>, words: &str) -> String {
    until(words, async || page(owner, LIST).await.contains(words)).await;
    page(owner, LIST).await
}

#[actix::test]
async fn a_list_shows_the_last_checks_and_no_response_time_of_plain_heartbeats() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (id, push) = heartbeat(&app, json!({ "name": "Backup" })).await;
    ring(&app, &push, "").await;
    until_listed(&owner, "state good\">Up<").await;
    app.clock.advance(Duration::from_mins(6));
    ring(&app, &push, "/fail").await;
    let list = until_listed(&owner, "state bad\">Down<").await;
    assert!(
        list.contains("aria-label=\"Backup, Last 2 checks: 1 down, 0 degraded\""),
        "{list}"
    );
    assert!(
        list.contains("<i class=\"up\">") && list.contains("<i class=\"down\">"),
        "{list}"
    );
    assert!(
        !list.contains("0\u{202f}ms"),
        "nothing was measured: {list}"
    );
    let (_, table) = list.split_once(">View as table</summary>").unwrap();
    assert!(
        table.contains(">Backup</th><td>1 up, 1 down</td>"),
        "{table}"
    );
    assert!(
        table.contains(": Down</div><div>Oct "),
        "newest first: {table}"
    );
    let detail = page(&owner, &format!("/console/monitor/{id}?range=1h")).await;
    assert!(!detail.contains("<dt>Response time"), "{detail}");
    assert!(
        detail.contains("class=\"outages\"") && detail.contains("1 outage<"),
        "{detail}"
    );

    let url = format!("{}/uptime/listSummaries", app.base);
    let all = app.post(url, &json!({})).await.body;
    assert_eq!(all[0]["scheduleId"], id);
    assert_eq!(all[0]["checks"][1]["outcome"], "down");
    assert_eq!(all[0]["checks"][1]["responseTime"], Value::Null);
    assert_eq!(
        all[0]["lastDay"],
        json!({ "uptimePercentage": 100.0, "knownSeconds": 360.0 })
    );
    app.finish().await;
}

#[actix::test]
async fn minutes_of_data_are_no_uptime_of_thirty_days() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (id, push) = heartbeat(&app, json!({ "name": "Backup" })).await;
    ring(&app, &push, "").await;
    until_listed(&owner, "state good\">Up<").await;
    app.clock.advance(Duration::from_mins(1));
    ring(&app, &push, "/fail").await;
    until_listed(&owner, "state bad\">Down<").await;
    app.clock.advance(Duration::from_mins(6));
    ring(&app, &push, "").await;
    let list = until_listed(&owner, "state good\">Up<").await;
    let shown = "14.29% <span class=\"dim\">over 7";
    assert_eq!(
        list.matches(shown).count(),
        2,
        "of 24 h and 30 days: {list}"
    );
    let detail = page(&owner, &format!("/console/monitor/{id}")).await;
    assert_eq!(detail.matches(shown).count(), 4, "{detail}");
    app.finish().await;
}

#[actix::test]
async fn ticked_monitors_are_paused_and_resumed_together() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let (first, _) = heartbeat(&app, json!({ "name": "First", "tags": ["eu"] })).await;
    let (second, _) = heartbeat(&app, json!({ "name": "Second", "group": "Jobs" })).await;
    heartbeat(&app, json!({ "name": "Third" })).await;
    let ticked = [
        ("monitor", first.as_str()),
        ("monitor", &second),
        ("group", "Jobs"),
    ];
    let paused = owner.submit("/console/monitors/pause", &ticked).await;
    assert_eq!(leads_to(&paused), "/console/monitors?paused=2&group=Jobs");
    let list = page(&owner, leads_to(&paused)).await;
    assert!(list.contains("2 monitors paused."), "{list}");
    assert!(list.contains(">Second<") && !list.contains(">First<"));
    let again = owner.submit("/console/monitors/pause", &ticked[..1]).await;
    assert_eq!(leads_to(&again), "/console/monitors?paused=0");
    let said = page(&owner, leads_to(&again)).await;
    assert!(said.contains("Select at least one monitor"), "{said}");
    for (query, shown) in [
        ("status=paused", [true, true, false]),
        ("status=unknown", [false, false, true]),
        ("tag=eu", [true, false, false]),
        ("group=Jobs", [false, true, false]),
        ("group=Jobs&status=up", [false, false, false]),
    ] {
        let list = page(&owner, &format!("{LIST}?{query}")).await;
        let names = [">First<", ">Second<", ">Third<"];
        assert_eq!(names.map(|name| list.contains(name)), shown, "{query}");
    }
    let viewer = invited(&app, &owner, "viewer").await;
    assert!(!page(&viewer, LIST).await.contains("Pause selected"));
    let refused = viewer.submit("/console/monitors/resume", &ticked).await;
    assert_eq!(refused.status, 403);
    let resumed = owner.submit("/console/monitors/resume", &ticked[..2]).await;
    assert_eq!(leads_to(&resumed), "/console/monitors?resumed=2");
    app.finish().await;
}

#[actix::test]
async fn a_form_has_headers_authentication_and_assertions() {
    let app = App::with("egress.allow = ['127.0.0.0/8']").await;
    let owner = Browser::owner(&app).await;
    let blank = page(&owner, "/console/monitors/new").await;
    for word in ["only only-push", "only only-http", "JSON assertions"] {
        assert!(blank.contains(word), "{word}: {blank}");
    }
    let fields = [
        ("kind", "http"),
        ("url", "http://127.0.0.1:19999/"),
        ("name", "API"),
        ("granularity", "day"),
        ("expect.matches", "\"v\":\\d"),
        ("expect.json.0.path", "$.status"),
        ("expect.json.0.equals", "ok"),
        ("expect.json.4.path", "$.count"),
        ("expect.json.4.equals", "5"),
        ("expect.responseTime", "900"),
        ("request.headers", "Accept: text/plain\nX-Api-Key: s3cr3t"),
        ("request.auth.type", "basic"),
        ("request.auth.username", "ada"),
        ("request.auth.password", "pa55"),
        ("request.followRedirects", "on"),
    ];
    let made = owner.submit("/console/monitors/new", &fields).await;
    let path = leads_to(&made).to_owned();
    let stored = async || {
        let id = path.rsplit('/').next().unwrap();
        let url = format!("{}/uptime/getSchedule", app.base);
        app.post(url, &json!({ "scheduleId": id })).await.body
    };
    let first = stored().await;
    let json = json!([{ "path": "$.status", "equals": "ok" }, { "path": "$.count", "equals": 5 }]);
    assert_eq!(first["expect"]["json"], json);
    assert_eq!(first["expect"]["matches"], "\"v\":\\d");
    assert_eq!(first["expect"]["responseTime"], 900);
    assert_eq!(first["request"]["verifyTls"], false);
    let headers = json!({ "Accept": "text/plain", "X-Api-Key": "" });
    assert_eq!(first["request"]["headers"], headers);
    let auth = json!({ "type": "basic", "username": "ada", "password": "" });
    assert_eq!(first["request"]["auth"], auth);

    let settings = page(&owner, &format!("{path}?tab=settings")).await;
    assert!(!settings.contains("s3cr3t") && !settings.contains("pa55"));
    assert!(settings.contains("value=\"$.count\""), "{settings}");
    let change = [
        ("url", "http://127.0.0.1:19999/"),
        ("granularity", "day"),
        ("request.headersStored", "Accept"),
        ("request.headersStored", "X-Api-Key"),
        ("request.headers", "X-Api-Key:"),
        ("request.auth.type", "bearer"),
        ("request.auth.token", "t0k3n"),
    ];
    let changed = owner.submit(&path, &change).await;
    assert_eq!(leads_to(&changed), format!("{path}?tab=settings&done=1"));
    let second = stored().await;
    assert_eq!(second["request"]["headers"], json!({ "X-Api-Key": "" }));
    assert_eq!(second["request"]["auth"]["type"], "bearer");
    assert_eq!(second["expect"]["json"], Value::Null);
    let wrong = [
        ("url", "http://127.0.0.1:19999/"),
        ("granularity", "day"),
        ("request.headers", "no colon"),
    ];
    let wrong = owner.submit(&path, &wrong).await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.text.contains("has no colon"), "{}", wrong.text);
    app.finish().await;
}
