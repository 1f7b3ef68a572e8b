//! Clients of other products: what they send becomes events, and what is wrong is said in their words.

mod ga4;
mod hostile;
mod matomo;
mod plausible;
mod posthog;
mod segment;
mod settings;
mod umami;

use pharos::events::accept::protocols::Protocol;
use serde_json::{Value, json};

use crate::app::{Answer, App};

const CHROME: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";

/// An app whose website takes events under these ids.
async fn with(entries: Value) -> App {
    let app = App::with("limits.track_requests = 0").await;
    let updated = enable(&app, &app.website, entries).await;
    assert_eq!(updated.status, 200, "{}", updated.text);
    app
}

/// Sets the ids of a website.
async fn enable(app: &App, website: &str, entries: Value) -> Answer {
    let body = json!({ "id": website, "compatibility": entries });
    app.post(format!("{}/websites/update", app.base), &body)
        .await
}

/// Posts as a browser does.
async fn send(app: &App, path: &str, body: &Value) -> Answer {
    send_text(app, path, "application/json", &body.to_string()).await
}

/// Posts text as a browser does.
async fn send_text(app: &App, path: &str, media: &str, body: &str) -> Answer {
    let request = app.http.post(format!("{}{path}", app.track));
    let request = request
        .header("content-type", media)
        .header("user-agent", CHROME)
        .header("accept-language", "en");
    Answer::send(request.body(body.to_owned())).await
}

/// The numbers of today: page views, visitors, sessions.
async fn numbers(app: &App) -> [i64; 3] {
    let rows = app.rows("summary_metrics").await;
    ["pageviews", "visitors", "sessions"].map(|field| {
        let found = rows.first().and_then(|row| row[field].as_i64());
        found.unwrap_or(0)
    })
}

/// Custom events by name with how many there were, sorted.
async fn custom(app: &App) -> Vec<(String, i64)> {
    let rows = app.rows("custom_events").await;
    let mut found: Vec<_> = rows
        .iter()
        .map(|row| {
            let name = row["name"].as_str().unwrap().to_owned();
            (name, row["total_events"].as_i64().unwrap())
        })
        .collect();
    found.sort();
    found
}

fn named(expected: &[(&str, i64)]) -> Vec<(String, i64)> {
    let owned = expected.iter();
    owned
        .map(|(name, count)| ((*name).to_owned(), *count))
        .collect()
}

/// The people of the last week: id, email, traits.
async fn people(app: &App) -> Value {
    let body = json!({ "parameters": ["profile_list"], "preset": "last_7d", "sortBy": "profile_id", "sortOrder": "asc",
        "filters": [{ "field": "profile_id", "op": "starts_with", "value": "user-" }] });
    let rows = app.ask(&body).await.rows(0);
    let told = rows.iter().map(|row| {
        let fields = ["profile_id", "email", "traits", "total_events"];
        json!(fields.map(|field| row[field].clone()))
    });
    told.collect()
}

/// Sales of today: amount, currency, event, newest first.
async fn sales(app: &App) -> Vec<(String, f64, String)> {
    let rows = app.rows("recent_transactions").await;
    let mut found: Vec<_> = rows
        .iter()
        .map(|row| {
            let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
            (
                text("event_name"),
                row["amount"].as_f64().unwrap(),
                text("currency"),
            )
        })
        .collect();
    found.sort_by(|a, b| a.partial_cmp(b).unwrap());
    found
}

#[test]
fn every_protocol_is_documented() {
    let guide = include_str!("../../../docs/compatibility.md");
    for protocol in Protocol::ALL {
        let adapter = protocol.adapter();
        assert!(
            guide.contains(&format!("\n## {}\n", adapter.product)),
            "{protocol}"
        );
        assert!(guide.contains(&format!("| `{protocol}` |")), "{protocol}");
        for route in adapter.routes {
            assert!(guide.contains(route.path), "{}", route.path);
        }
    }
}
