//! The console in a real browser: a newcomer's first half hour, and whatever people write on its pages.

use serde_json::{Value, json};

use super::{SETTINGS, browse, inert::HOSTILE};
use crate::{
    agents::answers::script::{Act, Script},
    app::App,
};

#[actix::test]
async fn a_newcomers_first_half_hour_goes_well_with_and_without_a_script() {
    if std::env::var_os("PHAROS_NO_BROWSER").is_some() {
        return;
    }
    let script = Script::start().await;
    for _ in 0..2 {
        script.then([Act::Say("All is "), Act::Say("well."), Act::Finish]);
    }
    let settings = format!("{}{SETTINGS}", script.settings());
    let mut app = App::at(pharos::clock::Clock::system(), &settings).await;
    let whole = json!({
        "base": app.base, "email": app.email, "password": app.password,
        "first": { "domain": "shop.example.com", "tag": "first" }, "second": { "domain": "store.example.com", "tag": "second" },
    });
    app.website = whole.to_string();
    let said = browse(&app, "newcomer").await;
    for quiet in ["console", "reports", "serious"] {
        assert_eq!(said[quiet], json!([]), "{quiet}");
    }
    assert!(said["pages"].as_u64() >= Some(40), "{said}");
    assert_eq!(said["control"], 1, "what is wrong would have been found");
    app.finish().await;
}

/// What a procedure makes.
async fn made(app: &App, path: &str, body: Value) -> Value {
    let answer = app.post(format!("{}/{path}", app.base), &body).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    answer.body
}

fn id(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap().to_owned()
}

/// A monitor, a status page with it, and an incident that are called by one text; gives the pages that show them.
async fn watched(app: &App, nth: usize, text: &str) -> Vec<String> {
    let push = json!({ "kind": "push", "granularity": "hour", "name": text });
    let monitor = id(
        &made(app, "uptime/createSchedule", push).await,
        "scheduleId",
    );
    let page = json!({ "name": text, "slug": format!("p{nth}"), "description": text });
    let page = id(&made(app, "statusPage/create", page).await, "id");
    let add = json!({ "statusPageId": page, "uptimeScheduleId": monitor });
    let listed = id(&made(app, "statusPage/addMonitor", add).await, "id");
    let look = json!({ "monitorId": listed, "group": text, "displayName": text });
    made(app, "statusPage/updateMonitorSettings", look).await;
    let incident = json!({ "statusPageId": page, "title": text, "message": text });
    let incident = id(
        &made(app, "statusPage/createIncident", incident).await,
        "id",
    );
    vec![
        format!("/console/monitor/{monitor}"),
        format!("/console/status-page/{page}"),
        format!("/console/status-page/{page}/incident/{incident}"),
    ]
}

/// Makes things that are called by one text; gives the pages that show them.
async fn hostile(app: &App, nth: usize, text: &str) -> Vec<String> {
    let mut paths = watched(app, nth, text).await;
    // Names have a hundred characters at most.
    let short: String = text.chars().take(100).collect();
    let destination =
        json!({ "type": "telegram", "identifier": text, "config": { "token": "1:t" } });
    let alarm = json!({ "name": short, "description": text, "destinations": [destination] });
    let alarm = app
        .post(format!("{}/alarms/create", app.base), &alarm)
        .await;
    let flag = json!({ "key": format!("f{nth}"), "name": short, "description": text, "websiteId": app.website });
    let flag = id(&made(app, "flags/create", flag).await, "id");
    let link = json!({ "name": short, "slug": format!("link-{nth}"), "targetUrl": "https://target.example/" });
    let link = id(&made(app, "links/create", link).await, "id");
    let step = json!({ "type": "EVENT", "target": "x", "name": short });
    let funnel = json!({ "websiteId": app.website, "name": short, "description": text, "steps": [step, step] });
    let funnel = id(&made(app, "funnels/create", funnel).await, "id");
    let filter = json!({ "field": "path", "operator": "equals", "value": text });
    let segment = json!({ "websiteId": app.website, "name": short, "description": text, "filters": [filter] });
    let segment = id(&made(app, "segments/create", segment).await, "id");
    let site = format!("/console/site/{}", app.website);
    paths.extend([
        format!("/console/flag/{flag}"),
        format!("/console/link/{link}"),
        format!("{site}/funnel/{funnel}"),
        format!("{site}/segment/{segment}"),
    ]);
    paths.extend(
        alarm.body["id"]
            .as_str()
            .map(|id| format!("/console/alarm/{id}")),
    );
    // What is typed into an address stands on the page as well.
    let typed = url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    paths.push(format!(
        "{site}?f=path%3Aeq%3A{typed}&sources={typed}&metric={typed}"
    ));
    paths.push(format!("/console/search?q={typed}"));
    paths
}

#[actix::test]
async fn nothing_that_people_write_does_anything_at_the_console() {
    if std::env::var_os("PHAROS_NO_BROWSER").is_some() {
        return;
    }
    let unlimited = "limits.query_requests = 0\nlimits.key_requests = 0\nlimits.track_requests = 0\nalarms.telegram_base_url = 'http://127.0.0.1:1'\n";
    let mut app = App::with(unlimited).await;
    let mut events = Vec::new();
    for text in HOSTILE {
        events.push(json!({
            "eventId": uuid::Uuid::new_v4().to_string(), "name": "screen_view", "anonymousId": "anon", "sessionId": "sess",
            "path": format!("https://localhost/{text}"), "title": text, "referrer": format!("https://there.example/{text}"),
            "utm_source": text, "utm_campaign": text, "timestamp": crate::app::NOW,
        }));
    }
    app.send_pages(&events).await;
    let mut paths = Vec::new();
    for (nth, text) in HOSTILE.into_iter().enumerate() {
        paths.extend(hostile(&app, nth, text).await);
    }
    let site = format!("/console/site/{}", app.website);
    let places = [
        "",
        "/now",
        "/sessions",
        "/people",
        "/events",
        "/journeys",
        "/retention",
        "/engagement",
        "/revenue",
        "/vitals",
        "/errors",
        "/quality",
        "/settings",
        "/setup",
        "/goals",
        "/funnels",
        "/segments",
    ];
    paths.extend(places.map(|place| format!("{site}{place}")));
    let lists = [
        "links",
        "monitors",
        "status-pages",
        "alarms",
        "flags",
        "keys",
        "members",
        "audit",
        "usage",
        "account",
    ];
    paths.extend(lists.map(|list| format!("/console/{list}")));
    let whole = json!({ "base": app.base, "email": app.email, "password": app.password, "paths": paths, "texts": HOSTILE });
    app.website = whole.to_string();
    let said = browse(&app, "consoleInert").await;
    for quiet in ["dialogs", "requests", "reports", "found"] {
        assert_eq!(said[quiet], json!([]), "{quiet}");
    }
    assert_eq!(said["popups"], 0);
    assert_eq!(said["pages"], json!(paths.len()));
    assert!(
        said["control"].as_u64() >= Some(1),
        "what is done would have been seen"
    );
    let seen = said["seen"].as_array().unwrap().len();
    assert_eq!(seen, HOSTILE.len(), "texts that are shown as they are");
    app.finish().await;
}
