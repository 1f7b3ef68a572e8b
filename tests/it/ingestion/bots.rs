//! Bots that say so are answered and not kept; a library is none, and what a key sends never is.

use serde_json::json;

use super::{Call, routes, stored, unlimited};
use crate::app::{Answer, App};

const BOT: (&str, &str) = (
    "user-agent",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
);

/// What every route that a tracker calls answers to this user agent.
async fn everywhere(app: &App, agent: &str) -> Vec<(&'static str, Answer)> {
    let mut answers = Vec::new();
    for (path, _, body, ..) in routes::table() {
        if path == "/mcp" {
            continue;
        }
        let call = Call {
            app,
            path: format!("{path}?client_id={0}&website_id={0}", app.website),
            key: false,
        };
        let request = call.request().header("user-agent", agent).json(&body);
        answers.push((path, Answer::send(request).await));
    }
    answers
}

#[actix::test]
async fn a_bot_that_says_so_is_answered_and_not_kept() {
    let app = unlimited().await;
    for (path, answer) in everywhere(&app, BOT.1).await {
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        if path == "/batch" {
            let item = &answer.body["results"][0];
            let expected = json!({
                "status": "error", "message": "Bot detected", "eventType": "track", "error": "ignored",
            });
            assert_eq!(*item, expected);
            continue;
        }
        assert_eq!(answer.body, json!({ "status": "ignored" }), "{path}");
    }
    assert!(stored(&app, "kind").await.is_empty());
    let totals = app.rows("data_quality_totals").await.remove(0);
    assert_eq!(totals["bots"], routes::table().len() - 1, "{totals}");
    app.finish().await;
}

#[actix::test]
async fn a_library_is_no_bot_and_a_server_never_is() {
    let app = unlimited().await;
    for agent in ["curl/8.5.0", "python-requests/2.32.3", "okhttp/4.12.0", ""] {
        let call = Call::server(&app, &format!("/track?website_id={}", app.website));
        let open = Call { key: false, ..call };
        let request = open.request().header("user-agent", agent);
        let answer = Answer::send(request.json(&json!({ "name": "n" }))).await;
        assert_eq!(answer.body["count"], 1, "{agent}");
    }
    for (path, body, status) in [
        ("/track", json!({ "name": "n" }), 200),
        ("/mcp", json!([{ "tool": "n", "durationMs": 1 }]), 202),
    ] {
        let request = Call::server(&app, path).request().header(BOT.0, BOT.1);
        let answer = Answer::send(request.json(&body)).await;
        assert_eq!((answer.status, &answer.body["count"]), (status, &json!(1)));
    }
    assert_eq!(stored(&app, "name").await, vec!["n"; 6]);
    app.finish().await;
}
