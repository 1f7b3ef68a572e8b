//! Threat T15 from outside: whatever is written into a question, every type answers or refuses, and nobody else's rows
//! are ever in an answer. That no text reaches a statement is proven beside the compiler.

use futures_util::{StreamExt as _, stream};
use serde_json::json;

use super::view;
use crate::app::{App, NOW};

/// Questions that are asked at a time.
const SIDE_BY_SIDE: usize = 4;
/// In every text of other organizations' rows.
const CANARY: &str = "canary";

const TEXTS: [&str; 8] = [
    "' OR 1=1 --",
    "\") OR true UNION ALL SELECT * FROM {events} --",
    "'; ATTACH '/etc/passwd' AS x; --",
    "{events}",
    "%",
    "\\",
    "\u{0}\u{202e}⁂",
    "read_csv('/etc/passwd')",
];

/// A website of ours beside another one, whose rows all say so.
async fn beside_a_canary() -> App {
    let app = App::with("limits.query_requests = 0\nlimits.key_requests = 0").await;
    let create = json!({ "name": "Other", "domain": "canary.example" });
    let made = app
        .post(format!("{}/websites/create", app.base), &create)
        .await;
    let other = made.body["id"].as_str().unwrap().to_owned();
    let theirs = json!({ "name": CANARY, "websiteId": other, "timestamp": NOW, "properties": { CANARY: CANARY },
        "profileId": CANARY });
    assert_eq!(app.send(&theirs).await.status, 200);
    let pages = format!("{}/batch?client_id={other}", app.track);
    let page = json!([{ "eventId": "c", "name": "screen_view", "anonymousId": CANARY, "sessionId": CANARY,
        "timestamp": NOW, "path": "https://canary.example/canary", "title": CANARY, "utm_source": CANARY }]);
    let sent = app.post_anonymously(pages, &page).await;
    assert_eq!(sent.body["batched"]["track"], 1, "{}", sent.text);
    app.send_pages(&[view("own", NOW, "/own")]).await;
    let own = json!({ "name": "own", "websiteId": app.website, "timestamp": NOW });
    assert_eq!(app.send(&own).await.status, 200);
    app
}

#[actix::test]
async fn no_text_opens_the_way_to_somebody_elses_rows() {
    let app = beside_a_canary().await;
    let types = app.get(format!("{}/v1/query/types", app.base)).await;
    let configs = types.body["configs"].as_object().unwrap();
    let mut questions = Vec::new();
    for (number, (name, config)) in configs.iter().enumerate() {
        if name.starts_with("link_") || name.starts_with("uptime_") {
            continue;
        }
        let fields = config["allowedFilters"].as_array().unwrap();
        let mut batch = Vec::new();
        // Every text meets every operator and field somewhere.
        let ops = ["eq", "ne", "contains", "not_in"].into_iter().enumerate();
        for (at, op) in ops.skip(number % 2).step_by(2) {
            let turn = number + at * 3;
            let text = TEXTS[turn % TEXTS.len()];
            let value = if op == "not_in" {
                json!([text])
            } else {
                json!(text)
            };
            let mut filters =
                vec![json!({ "field": format!("trait:{text}"), "op": "ne", "value": text })];
            if !fields.is_empty() {
                let field = &fields[turn * 7 % fields.len()];
                filters.push(json!({ "field": field, "op": op, "value": value }));
            }
            batch.push(json!({
                "id": text, "parameters": [{ "name": name, "id": text }], "preset": "last_7d", "filters": filters,
            }));
        }
        questions.push((name, json!(batch)));
    }
    // Side by side: what takes time is the engine's planning, on one thread each.
    let asked = stream::iter(&questions)
        .map(async |(name, batch)| (name, app.ask(batch).await))
        .buffer_unordered(SIDE_BY_SIDE);
    let answers: Vec<_> = asked.collect().await;
    let mut answered = 0;
    for (name, answer) in answers {
        assert!(!answer.text.contains(CANARY), "{name}: {}", answer.text);
        for result in answer.body["results"].as_array().unwrap() {
            let entry = &result["data"][0];
            // A type may want a filter of its own; the engine never stumbles.
            let said = entry["error"].as_str().unwrap_or_default();
            let failed = said.starts_with("Query execution failed");
            assert!(!failed, "{name}: {result}");
            answered += usize::from(entry["success"] == true);
        }
    }
    assert!(answered > configs.len() / 2, "{answered}");
    // The canary is there to be found.
    let all = app
        .post(
            format!("{}/v1/query", app.base),
            &json!({ "parameters": ["custom_events"], "preset": "last_7d" }),
        )
        .await;
    assert!(all.text.contains(CANARY));
    app.finish().await;
}

#[actix::test]
async fn names_are_refused_wherever_they_are_not_ours() {
    let app = beside_a_canary().await;
    for text in TEXTS {
        let good = json!({ "parameters": ["top_pages"], "preset": "last_7d" });
        for (field, value) in [
            ("parameters", json!([text])),
            ("parameters", json!([{ "name": text }])),
            ("preset", json!(text)),
            ("granularity", json!(text)),
            ("sortBy", json!(text)),
            ("sortOrder", json!(text)),
            ("groupBy", json!(text)),
            ("timeZone", json!(text)),
            (
                "filters",
                json!([{ "field": text, "op": "eq", "value": "a" }]),
            ),
            (
                "filters",
                json!([{ "field": "path", "op": text, "value": "a" }]),
            ),
        ] {
            let mut body = good.clone();
            body[field] = value;
            let wrong = app.refused(&body).await;
            let place = wrong["field"].as_str().unwrap();
            assert!(place.starts_with(field), "{wrong}");
        }
    }
    app.finish().await;
}
