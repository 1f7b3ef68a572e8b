//! Whatever people write stays text on every page of the console, in a real browser and under the pages' own policy.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{browse, inert::HOSTILE};
use crate::{
    agents::answers::script::{Act, Script},
    app::{App, until},
    people::{OPEN, browser::Browser},
};

/// Pages that a browser is sent to at once.
const AT_ONCE: usize = 100;

/// What a procedure makes.
async fn create(app: &App, path: &str, body: Value) -> Value {
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
        &create(app, "uptime/createSchedule", push).await,
        "scheduleId",
    );
    let page = json!({ "name": text, "slug": format!("p{nth}"), "description": text });
    let page = id(&create(app, "statusPage/create", page).await, "id");
    let add = json!({ "statusPageId": page, "uptimeScheduleId": monitor });
    let listed = id(&create(app, "statusPage/addMonitor", add).await, "id");
    let look = json!({ "monitorId": listed, "group": text, "displayName": text });
    create(app, "statusPage/updateMonitorSettings", look).await;
    let incident = json!({ "statusPageId": page, "title": text, "message": text });
    let incident = id(
        &create(app, "statusPage/createIncident", incident).await,
        "id",
    );
    vec![
        format!("/console/monitor/{monitor}"),
        format!("/console/status-page/{page}"),
        format!("/console/status-page/{page}/incident/{incident}"),
    ]
}

/// Pages whose addresses have one text wherever an address says anything.
fn typed(app: &App, flag: &str, text: &str) -> Vec<String> {
    let typed: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    let site = format!("/console/site/{}", app.website);
    let query = format!(
        "f=path%3Aeq%3A{typed}&f={typed}%3Aeq%3A{typed}&sources={typed}&metric={typed}&preset={typed}&from={typed}&to={typed}&by={typed}"
    );
    vec![
        format!("{site}?f=path%3Aeq%3A{typed}&sources={typed}&metric={typed}"),
        format!("{site}?{query}"),
        format!("{site}/errors?{query}"),
        format!("{site}/journeys?f=journey_start%3Aeq%3A{typed}"),
        format!("/share/{}?{query}", app.website),
        format!("/console/search?q={typed}"),
        format!("/console/links?q={typed}&folder={typed}"),
        format!("/console/audit?action={typed}&before={typed}"),
        format!("/console/alarms/new?about={typed}"),
        format!("/console/flag/{flag}?userId={typed}&email={typed}&properties={typed}"),
        format!("/login?next={typed}"),
        format!("/invite/{typed}"),
        format!("/reset/{typed}"),
    ]
}

/// What visitors may send: views, events with properties, errors, clicks that lead away, and who they say that they are.
async fn visited(app: &App, nth: usize, text: &str) {
    let view = json!({
        "eventId": uuid::Uuid::new_v4().to_string(), "name": "screen_view", "anonymousId": format!("anon-{nth}"), "sessionId": format!("sess-{nth}"),
        "path": format!("https://localhost/{text}"), "title": text, "referrer": format!("https://there.example/{text}"),
        "utm_source": text, "utm_campaign": text, "timestamp": crate::app::NOW,
    });
    app.send_pages(&[view]).await;
    let short: String = text.chars().take(60).collect();
    let bought = json!({
        "name": short, "websiteId": app.website, "anonymousId": format!("anon-{nth}"), "sessionId": format!("sess-{nth}"), "timestamp": crate::app::NOW,
        "properties": { "revenue": 12.5, "currency": "EUR", "product": text, (short.clone()): text },
    });
    let sent = app.send(&bought).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    let error = json!([{
        "message": text, "errorType": short, "path": format!("https://localhost/{text}"), "timestamp": crate::app::NOW,
        "anonymousId": format!("anon-{nth}"), "sessionId": format!("sess-{nth}"), "stack": format!("{text}\n    at {text}"), "filename": text,
    }]);
    let url = format!("{}/errors?client_id={}", app.track, app.website);
    let sent = app.post_anonymously(url, &error).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    let person = json!({ "profileId": format!("person-{nth}"), "anonymousId": format!("anon-{nth}"), "traits": { "name": text, "plan": text } });
    let url = format!("{}/identify?client_id={}", app.track, app.website);
    let sent = app.post_anonymously(url, &person).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
}

/// What is called by one text without a page of its own, and a goal.
async fn named(app: &App, text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    let day = &pharos::clock::iso_ms(crate::app::NOW)[..10];
    let chart =
        json!({ "dateRange": { "start_date": day, "end_date": day, "granularity": "daily" } });
    let note = json!({ "websiteId": app.website, "chartType": "metrics", "chartContext": chart, "annotationType": "line", "xValue": day, "text": text });
    create(app, "annotations/create", note).await;
    create(app, "link-folders/create", json!({ "name": short })).await;
    let key = json!({ "name": short, "organizationId": app.organization, "scopes": ["read:data"] });
    app.post(format!("{}/apikeys/create", app.base), &key).await;
    let goal = json!({ "websiteId": app.website, "type": "PAGE_VIEW", "target": format!("/{}", text.replace('*', "")), "name": short, "description": text });
    let goal = id(&create(app, "goals/create", goal).await, "id");
    format!("/console/site/{}/goal/{goal}", app.website)
}

/// Makes things that are called by one text; gives the pages that show them.
async fn hostile(app: &App, nth: usize, text: &str) -> Vec<String> {
    visited(app, nth, text).await;
    let mut paths = watched(app, nth, text).await;
    paths.push(named(app, text).await);
    // Names have a hundred characters at most.
    let short: String = text.chars().take(100).collect();
    let typed: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    let destination =
        json!({ "type": "telegram", "identifier": text, "config": { "token": "1:t" } });
    let alarm = json!({ "name": short, "description": text, "destinations": [destination] });
    let alarm = app
        .post(format!("{}/alarms/create", app.base), &alarm)
        .await;
    let flag = json!({ "key": format!("f{nth}"), "name": short, "description": text, "websiteId": app.website,
        "rules": [{ "type": "email", "operator": "ends_with", "value": text, "enabled": true }] });
    let flag = id(&create(app, "flags/create", flag).await, "id");
    let link = json!({ "name": short, "slug": format!("link-{nth}"),
        "targetUrl": format!("https://target.example/?a={nth}&utm_source={typed}"), "ogTitle": short, "ogDescription": text, "externalId": short });
    let link = id(&create(app, "links/create", link).await, "id");
    let step = json!({ "type": "EVENT", "target": "x", "name": short });
    let funnel = json!({ "websiteId": app.website, "name": short, "description": text, "steps": [step, step] });
    let funnel = id(&create(app, "funnels/create", funnel).await, "id");
    let filter = json!({ "field": "path", "operator": "equals", "value": text });
    let segment = json!({ "websiteId": app.website, "name": short, "description": text, "filters": [filter] });
    let segment = id(&create(app, "segments/create", segment).await, "id");
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
    // Every address with seven texts, every text in four or five addresses: a browser takes a moment for each.
    let typed = self::typed(app, &flag, text).into_iter().enumerate();
    paths.extend(
        typed
            .filter(|(at, _)| at % 3 == nth % 3)
            .map(|(_, path)| path),
    );
    paths
}

/// Chats with each text as a question, which the model repeats.
async fn chats(app: &App, script: &Script) -> Vec<String> {
    let owner = Browser::owner(app).await;
    let mut paths = Vec::new();
    for text in HOSTILE {
        script.then([Act::Say(text), Act::Finish]);
        let asked = owner.submit("/console/chats", &[("message", text)]).await;
        assert_eq!(asked.status, 303, "{}", asked.text);
        let path = asked.header("location").to_owned();
        until("the answer is whole", async || {
            !owner.get(&path).await.text.contains("data-talk")
        })
        .await;
        paths.push(path);
    }
    paths
}

/// What people call themselves, their organizations and their websites; and who is known of visitors.
async fn ourselves(app: &App) -> Vec<String> {
    let owner = Browser::owner(app).await;
    for (path, field, text) in [
        ("/console/account/name", "name", HOSTILE[0]),
        ("/console/organization/new", "name", HOSTILE[4]),
    ] {
        let done = owner.submit(path, &[(field, text)]).await;
        assert_eq!(done.status, 303, "{path}: {}", done.text);
    }
    // A new organization is the one that is worked in.
    let back = [("organizationId", app.organization.as_str())];
    owner.submit("/console/organization/switch", &back).await;
    let public = json!({ "id": app.website, "isPublic": true });
    create(app, "websites/togglePublic", public).await;
    let site = format!("/console/site/{}", app.website);
    let mut paths = Vec::new();
    for list in ["sessions", "people"] {
        let shown = owner.get(&format!("{site}/{list}")).await.text;
        let ways = shown.split('"').filter(|word| {
            word.starts_with(&format!("{site}/session/"))
                || word.starts_with(&format!("{site}/person/"))
        });
        paths.extend(ways.map(|way| way.replace("&amp;", "&")));
    }
    assert!(paths.len() >= HOSTILE.len(), "{paths:?}");
    paths.sort();
    paths.dedup();
    paths
}

#[actix::test]
async fn nothing_that_people_write_does_anything_at_the_console() {
    if std::env::var_os("PHAROS_NO_BROWSER").is_some() {
        return;
    }
    let unlimited = "limits.query_requests = 0\nlimits.key_requests = 0\nlimits.track_requests = 0\nalarms.telegram_base_url = 'http://127.0.0.1:1'\n";
    let script = Script::start().await;
    let settings = format!("{}{unlimited}{OPEN}", script.settings());
    let mut app = App::with(&settings).await;
    let mut paths = Vec::new();
    for (nth, text) in HOSTILE.into_iter().enumerate() {
        paths.extend(hostile(&app, nth, text).await);
    }
    paths.extend(chats(&app, &script).await);
    paths.extend(ourselves(&app).await);
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
        "links/folders",
        "chats",
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
    paths.push("/".to_owned());
    paths.push(format!("/share/{}", app.website));
    let website = app.website.clone();
    let mut seen = BTreeSet::new();
    // A command has only so much room for what is said to it.
    for some in paths.chunks(AT_ONCE) {
        let whole = json!({ "base": app.base, "email": app.email, "password": app.password, "paths": some, "texts": HOSTILE });
        app.website = whole.to_string();
        let said = browse(&app, "consoleInert").await;
        for quiet in ["dialogs", "requests", "reports", "found"] {
            assert_eq!(said[quiet], json!([]), "{quiet}");
        }
        assert_eq!(said["popups"], 0);
        assert_eq!(said["pages"], some.len());
        assert!(
            said["control"].as_u64() >= Some(1),
            "what is done would have been seen"
        );
        seen.extend(
            said["seen"]
                .as_array()
                .unwrap()
                .iter()
                .map(Value::to_string),
        );
    }
    assert_eq!(
        seen.len(),
        HOSTILE.len(),
        "texts that are shown as they are"
    );
    app.website = website;
    app.finish().await;
}
