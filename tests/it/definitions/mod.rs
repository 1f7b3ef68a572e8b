//! What people save about a website: goals, funnels, annotations and segments, as callers meet them.

mod annotations;
mod every_kind;
mod funnels;
mod goals;
mod segments;

use serde_json::{Value, json};

use crate::app::{Answer, App, NOW};

const SECOND: i64 = 1_000;

async fn call(app: &App, path: &str, body: &Value) -> Answer {
    app.post(format!("{}{path}", app.base), body).await
}

async fn call_ok(app: &App, path: &str, body: &Value) -> Value {
    let answer = call(app, path, body).await;
    assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text);
    answer.body
}

/// Saves something about the app's website and gives its id.
async fn saved(app: &App, group: &str, fields: &Value) -> String {
    let made = call_ok(app, &format!("/{group}/create"), &with_website(app, fields)).await;
    made["id"].as_str().unwrap().to_owned()
}

/// The same fields with the app's website.
fn with_website(app: &App, fields: &Value) -> Value {
    let mut body = json!({ "websiteId": app.website });
    let own = fields.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(own);
    body
}

/// The place and code of what is wrong with an input.
async fn wrong(app: &App, path: &str, body: &Value) -> String {
    let answer = call(app, path, body).await;
    assert_eq!(answer.status, 400, "{path} {body}: {}", answer.text);
    assert_eq!(answer.body["code"], "BAD_REQUEST");
    let issue = &answer.body["data"]["issues"][0];
    let mut place = String::new();
    for part in issue["path"].as_array().unwrap() {
        match part.as_str() {
            Some(name) if place.is_empty() => place.push_str(name),
            Some(name) => place.extend([".", name]),
            None => place.extend(["[", &part.to_string(), "]"]),
        }
    }
    place
}

/// What a visitor does: so many seconds before now, a page (`/…`) or an event.
async fn does(app: &App, visitor: &str, deeds: &[(i64, &str)]) {
    let mut pages = Vec::new();
    for (ago, what) in deeds {
        let time = NOW - ago * SECOND;
        let id = format!("{visitor} {ago} {what}");
        if what.starts_with('/') {
            pages.push(json!({
                "eventId": id, "anonymousId": visitor, "sessionId": format!("s-{visitor}"),
                "name": "screen_view", "path": format!("https://localhost{what}"), "timestamp": time,
                "referrer": if visitor.starts_with('g') { "https://www.google.com/" } else { "" },
            }));
        } else {
            let event = json!({
                "name": what, "eventId": id, "anonymousId": visitor, "sessionId": format!("s-{visitor}"),
                "timestamp": time, "websiteId": app.website, "properties": { "plan": visitor },
            });
            let url = format!("{}/track", app.track);
            let sent = app.post_anonymously(url, &event).await;
            assert_eq!(sent.status, 200, "{}", sent.text);
        }
    }
    if !pages.is_empty() {
        app.send_pages(&pages).await;
    }
}
