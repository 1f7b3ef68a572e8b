//! Flags for clients of other products: what they are told, what is refused, and published clients that decide alike.

mod clients;
mod definitions;
mod hostile;
mod posthog;
mod random;
mod unleash;

use pharos::clock::Clock;
use serde_json::{Value, json};

use crate::{
    app::{Answer, App},
    clients::flag,
};

const SERVERS: &str = "*:default.servers";
const BROWSERS: &str = "*:default.browsers";

/// An app whose website has a token of every kind.
async fn app() -> App {
    let app = App::with("limits.flags_requests = 0").await;
    enable(&app).await;
    app
}

/// The same with the machine's time, which published clients say in events.
async fn app_now() -> App {
    let app = App::at(Clock::system(), "limits.flags_requests = 0").await;
    enable(&app).await;
    app
}

async fn enable(app: &App) {
    let entries = json!([
        { "protocol": "unleash", "id": SERVERS }, { "protocol": "unleash-frontend", "id": BROWSERS },
        { "protocol": "posthog", "id": "phc_test" },
    ]);
    let body = json!({ "id": app.website, "compatibility": entries });
    let url = format!("{}/websites/update", app.base);
    assert_eq!(app.post(url, &body).await.status, 200);
}

/// A flag that is on for those who pay, and one with two values.
async fn two_flags(app: &App) {
    let pays = json!({ "type": "property", "field": "plan", "operator": "equals", "value": "pro" });
    let banner = json!({ "key": "banner", "rules": [pays], "payload": { "text": "Hello" } });
    flag(app, banner).await;
    let variants = json!([{ "key": "red", "value": "#f00", "weight": 0 }, { "key": "blue", "value": "#00f", "weight": 100 }]);
    let colour = json!({ "key": "colour", "type": "multivariant", "variants": variants, "bucketing": "unleash" });
    flag(app, colour).await;
}

/// Gets with an Unleash token.
async fn get(app: &App, path: &str, token: &str) -> Answer {
    let request = app.http.get(format!("{}{path}", app.base));
    Answer::send(request.header("authorization", token)).await
}

/// Posts with an Unleash token.
async fn post(app: &App, path: &str, token: &str, body: &Value) -> Answer {
    let request = app.http.post(format!("{}{path}", app.base));
    Answer::send(request.header("authorization", token).json(body)).await
}

/// The toggles that are on for a context, as the server says to browsers.
async fn toggles(app: &App, context: &Value) -> Vec<Value> {
    let asked = json!({ "context": context });
    let told = post(app, "/api/frontend", BROWSERS, &asked).await;
    assert_eq!(told.status, 200, "{}", told.text);
    told.body["toggles"].as_array().unwrap().clone()
}
