//! Questions about change: planted in stored events, found by the tools.

use serde_json::{Value, json};

use super::{call, call_ok};
use crate::app::{App, NOW};

const DAY: i64 = 86_400_000;

/// So many events of a name at noon, so many days ago.
fn events(app: &App, name: &str, days_ago: i64, count: usize) -> Vec<Value> {
    let at = NOW - days_ago * DAY - 60_000;
    (0..count)
        .map(|index| {
            json!({
                "name": name, "websiteId": app.website, "timestamp": at - index as i64, "anonymousId": format!("v{index}"),
                "eventId": format!("{name}-{days_ago}-{index}"),
            })
        })
        .collect()
}

async fn stored(app: &App, events: Vec<Value>) {
    for some in events.chunks(500) {
        let sent = app.send(&json!(some)).await;
        assert_eq!(sent.status, 200, "{}", sent.text);
    }
}

#[actix::test]
async fn a_planted_anomaly_is_found_on_its_day() {
    let app = App::with("limits.track_requests = 0").await;
    let mut all = Vec::new();
    for days_ago in 1..=42 {
        // Two days of each week are quiet, and one of those was not.
        let usual = if days_ago % 7 < 2 { 5 } else { 40 };
        let count = if days_ago == 14 { 60 } else { usual };
        all.extend(events(&app, "buy", days_ago, count));
    }
    stored(&app, all).await;
    let period = json!({ "metric": "total_events", "websiteId": app.website, "from": "2026-09-02", "to": "2026-10-14" });
    let found = call_ok(&app, "detect_anomalies", period).await;
    assert_eq!(found["season"], "weekday");
    // Today still goes on.
    assert_eq!(found["lookedAt"], 42, "{found}");
    let anomalies = found["anomalies"].as_array().unwrap();
    assert_eq!(anomalies.len(), 1, "{found}");
    let date = anomalies[0]["date"].as_str().unwrap();
    assert!(date.starts_with("2026-09-30"), "{date}");
    assert_eq!(
        (&anomalies[0]["value"], &anomalies[0]["expected"]),
        (&json!(60.0), &json!(5.0))
    );
    let (told, failed) = call(
        &app,
        &app.key,
        "detect_anomalies",
        json!({ "metric": "visitorz" }),
    )
    .await;
    assert!(
        failed && told.to_string().contains("Did you mean 'visitors'?"),
        "{told}"
    );
    app.finish().await;
}

#[actix::test]
async fn what_moved_is_told_from_what_did_not() {
    let app = App::with("limits.track_requests = 0").await;
    let mut all = Vec::new();
    for (name, before, now) in [
        ("steady", 50, 52),
        ("rising", 20, 90),
        ("falling", 80, 10),
        ("new", 0, 30),
    ] {
        all.extend(events(&app, name, 9, before));
        all.extend(events(&app, name, 2, now));
    }
    stored(&app, all).await;
    let asked =
        json!({ "type": "custom_events", "websiteDomain": "localhost", "preset": "last_7d" });
    let found = call_ok(&app, "top_movers", asked).await;
    let told: Vec<_> = found["movers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mover| json!([mover["name"], mover["change"], mover["significant"]]))
        .collect();
    assert_eq!(
        json!(told),
        json!([
            ["falling", -70.0, true],
            ["rising", 70.0, true],
            ["new", 30.0, true],
            ["steady", 2.0, false]
        ])
    );
    assert_eq!(found["measure"], "total_events");
    let compared = call_ok(
        &app,
        "compare_metric",
        json!({ "metric": "total_events", "preset": "last_7d" }),
    )
    .await;
    let metric = &compared["metrics"][0];
    assert_eq!(
        (&metric["current"], &metric["previous"]),
        (&json!(182.0), &json!(150.0))
    );
    assert_eq!(
        (&metric["changePercent"], &metric["significant"]),
        (&json!(21.33), &json!(false))
    );
    let summary = call_ok(&app, "summarize_insights", json!({ "preset": "last_7d" })).await;
    assert_eq!(
        summary["comparison"]["metrics"].as_array().unwrap().len(),
        7
    );
    let (told, failed) = call(
        &app,
        &app.key,
        "top_movers",
        json!({ "type": "summary_metrics" }),
    )
    .await;
    assert!(failed && told["issues"][0]["field"] == "type", "{told}");
    app.finish().await;
}
