//! Event ingestion: methods, paths, bodies and answers.

use reqwest::Method;
use serde_json::{Value, json};

use super::{Call, NO_CREDENTIALS, NO_WEBSITE, stored, unlimited};
use crate::app::{Answer, App, NOW};

fn span() -> Value {
    let mut span = json!({
        "timestamp": NOW, "path": "/a", "exitType": "spa", "timeOnPage": 1, "activeTime": 1, "maxScrollDepth": 1,
    });
    for count in [
        "pageIndex",
        "scrollCount",
        "clickCount",
        "keyCount",
        "interactionCount",
        "copyCount",
        "rageClickCount",
        "deadClickCount",
        "formFieldCount",
        "formSubmitCount",
        "errorCount",
    ] {
        span[count] = json!(0);
    }
    span
}

/// Every POST route: path, whether it needs a key, a body that is taken, status and answer.
pub fn table() -> Vec<(&'static str, bool, Value, u16, Value)> {
    let counted = |kind: &str| json!({ "status": "success", "type": kind, "count": 1 });
    let view =
        |id: &str| json!({ "eventId": id, "name": "screen_view", "path": "https://localhost/" });
    let link = json!({ "type": "outgoing_link", "eventId": "l", "href": "https://x.example/" });
    let vital = json!({ "timestamp": NOW, "path": "/a", "metricName": "LCP", "metricValue": 1 });
    let error = json!({ "timestamp": NOW, "path": "/a", "message": "m" });
    let batch = json!({
        "status": "success", "batch": true, "processed": 1, "batched": { "track": 1, "outgoing_link": 0 },
        "results": [{ "status": "success", "type": "track", "eventId": "b" }],
    });
    let old = json!({ "timestamp": NOW, "path": "/a", "eventName": "old" });
    vec![
        (
            "/track",
            true,
            json!({ "name": "n" }),
            200,
            counted("custom_event"),
        ),
        (
            "/track",
            true,
            json!([{ "name": "n" }]),
            200,
            counted("custom_event"),
        ),
        ("/vitals", false, json!([vital]), 200, counted("web_vitals")),
        ("/errors", false, json!([error]), 200, counted("error")),
        (
            "/mcp",
            true,
            json!([{ "tool": "t", "durationMs": 1 }]),
            202,
            json!({ "status": "success", "count": 1 }),
        ),
        (
            "/",
            false,
            view("v"),
            200,
            json!({ "status": "success", "type": "track" }),
        ),
        (
            "/",
            false,
            link,
            200,
            json!({ "status": "success", "type": "outgoing_link" }),
        ),
        ("/batch", false, json!([view("b")]), 200, batch),
        (
            "/engagement",
            false,
            json!([span()]),
            200,
            counted("engagement"),
        ),
        ("/events", false, json!([old]), 200, counted("custom_event")),
    ]
}

fn call<'a>(app: &'a App, path: &str, key: bool) -> Call<'a> {
    if key {
        Call::server(app, path)
    } else {
        Call::page(app, path)
    }
}

#[actix::test]
async fn every_route_answers_and_stores() {
    let app = unlimited().await;
    for (number, (path, key, body, status, expected)) in table().into_iter().enumerate() {
        let answer = call(&app, path, key).send(&body).await;
        assert_eq!((answer.status, &answer.body), (status, &expected), "{path}");
        assert!(!answer.header("x-request-id").is_empty());
        assert_eq!(stored(&app, "kind").await.len(), number + 1, "{path}");
    }
    app.finish().await;
}

#[actix::test]
async fn a_key_in_either_header_and_a_client_id_in_query_or_header() {
    let app = unlimited().await;
    let event = json!({ "name": "n" });
    let url = format!("{}/track", app.track);
    let with = async |name: &str, value: &str| {
        Answer::send(app.http.post(&url).header(name, value).json(&event))
            .await
            .status
    };
    assert_eq!(with("x-api-key", &app.key).await, 200);
    assert_eq!(
        with("authorization", &format!("Bearer {}", app.key)).await,
        200
    );
    let by_query = app.post_anonymously(format!("{url}?website_id={}", app.website), &event);
    assert_eq!(by_query.await.status, 200);
    let by_body = json!({ "name": "n", "websiteId": app.website });
    assert_eq!(
        app.post_anonymously(url.clone(), &by_body).await.status,
        200
    );
    assert_eq!(stored(&app, "trust").await, ["0", "0", "1", "1"]);
    app.finish().await;
}

#[actix::test]
async fn every_route_takes_the_website_by_either_name_in_the_query_or_in_the_header() {
    let app = unlimited().await;
    let identify = ("/identify", false, json!({ "profileId": "p" }), 200);
    let read = json!({ "path": "/a", "userAgent": "GPTBot/1.2" });
    let agent = ("/ai-traffic", false, read, 202);
    let routes = table().into_iter();
    let routes = routes.map(|(path, _, body, status, _)| (path, path == "/mcp", body, status));
    for (path, key, body, status) in routes.chain([identify, agent]) {
        let url = format!("{}{path}", app.track);
        let ask = async |query: &str, header: Option<&str>| {
            let mut request = app.http.post(format!("{url}{query}")).json(&body);
            if key {
                request = request.header("x-api-key", &app.key);
            }
            Answer::send(match header {
                Some(id) => request.header("databuddy-client-id", id),
                None => request,
            })
            .await
        };
        for name in ["client_id", "website_id"] {
            let named = ask(&format!("?{name}={}", app.website), None).await;
            assert_eq!(named.status, status, "{path} {name}: {}", named.text);
            NO_WEBSITE.is(&ask(&format!("?{name}=x"), None).await);
        }
        let named = ask("", Some(&app.website)).await;
        assert_eq!(named.status, status, "{path}: {}", named.text);
        NO_WEBSITE.is(&ask("", Some("x")).await);
        if !key {
            NO_CREDENTIALS.is(&ask("", None).await);
        }
    }
    for query in ["client_id", "website_id"] {
        let url = format!(
            "{}/px.jpg?{query}={}&name=screen_view",
            app.track, app.website
        );
        let event = format!("{url}&eventId=px-{query}&path=https%3A%2F%2Flocalhost%2Fpixel");
        assert_eq!(Answer::send(app.http.get(event)).await.status, 200);
    }
    let pages = app.rows("top_pages").await;
    let pixel = pages.iter().find(|row| row["path"] == "/pixel").unwrap();
    assert_eq!(pixel["pageviews"], 2);
    app.finish().await;
}

#[actix::test]
async fn other_methods_are_refused_and_say_which_there_are() {
    let app = unlimited().await;
    for path in [
        "/track",
        "/vitals",
        "/errors",
        "/mcp",
        "/",
        "/batch",
        "/engagement",
        "/events",
        "/identify",
    ] {
        for method in [Method::GET, Method::PUT, Method::DELETE, Method::PATCH] {
            let request = app
                .http
                .request(method.clone(), format!("{}{path}", app.track));
            let answer = Answer::send(request).await;
            assert_eq!(
                (answer.status, answer.header("allow"), &answer.body["code"]),
                (405, "POST", &json!("METHOD_NOT_ALLOWED")),
                "{method} {path}"
            );
            assert_eq!(answer.body["requestId"], answer.header("x-request-id"));
        }
    }
    app.finish().await;
}
