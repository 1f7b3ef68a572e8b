//! Events are deleted after as many days as the installation or the website says.

use pharos::{
    actors::ingest::{Retain, RetentionOutcome, Seal},
    clock::iso_ms,
};
use serde_json::{Value, json};

use crate::app::{App, NOW};

const DAY: i64 = 86_400_000;

/// Stores an event of the app's website that happened so many days ago.
async fn send(app: &App, name: &str, days: i64) {
    let time = iso_ms(NOW - days * DAY);
    let event = json!({ "name": name, "websiteId": app.website, "timestamp": time });
    assert_eq!(app.send(&event).await.status, 200);
}

async fn names(app: &App) -> Vec<String> {
    let body = json!({ "parameters": ["custom_events"], "startDate": "2025-01-01", "endDate": "2026-10-14",
        "sortBy": "name", "sortOrder": "asc", "limit": 100 });
    let rows = app.ask(&body).await.rows(0);
    rows.iter()
        .map(|row| row["name"].as_str().unwrap().to_owned())
        .collect()
}

async fn retain(app: &App) -> RetentionOutcome {
    let ingest = &app.platform.as_ref().unwrap().domains().ingest;
    ingest.ask(Seal).await.unwrap();
    ingest.ask(Retain).await.unwrap()
}

async fn set(app: &App, days: Value) -> u16 {
    let body = json!({ "id": app.website, "settings": { "retentionDays": days } });
    let url = format!("{}/websites/updateSettings", app.base);
    app.post(url, &body).await.status
}

#[actix::test]
async fn a_websites_own_number_of_days_comes_first_and_null_takes_it_back() {
    let app = App::with("events.retention_days = 30").await;
    for (name, days) in [("a", 200), ("b", 100), ("c", 29), ("d", 0)] {
        send(&app, name, days).await;
    }
    // Said before it is done, exactly, and nothing is done.
    let preview = async |asked: Value| {
        let answer = app
            .post(format!("{}/websites/previewRetention", app.base), &asked)
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.body
    };
    for (days, gone) in [(0, 0), (201, 0), (150, 1), (100, 1), (99, 2), (1, 3)] {
        let told = preview(json!({ "id": app.website, "days": days })).await;
        assert_eq!(
            (&told["days"], &told["events"]),
            (&json!(days), &json!(gone)),
            "{told}"
        );
        let kinds = if gone == 0 {
            json!({})
        } else {
            json!({ "customEvents": gone })
        };
        assert_eq!(told["kinds"], kinds);
        assert_eq!(told["before"].is_null(), days == 0);
    }
    let told = preview(json!({ "id": app.website })).await;
    assert_eq!((&told["days"], &told["events"]), (&json!(30), &json!(2)));
    assert_eq!(names(&app).await, ["a", "b", "c", "d"]);
    assert_eq!(set(&app, json!(0)).await, 200);
    let told = preview(json!({ "id": app.website })).await;
    assert_eq!((&told["days"], &told["events"]), (&json!(0), &json!(0)));
    assert_eq!(
        retain(&app).await,
        RetentionOutcome::default(),
        "kept for ever"
    );
    assert_eq!(set(&app, json!(150)).await, 200);
    let part = RetentionOutcome {
        dropped: 0,
        rewritten: 1,
    };
    assert_eq!(retain(&app).await, part);
    assert_eq!(names(&app).await, ["b", "c", "d"]);
    assert_eq!(set(&app, Value::Null).await, 200);
    assert_eq!(retain(&app).await, part);
    assert_eq!(names(&app).await, ["c", "d"]);
    for refused in [json!(36_501), json!(-1), json!("30")] {
        assert_eq!(set(&app, refused).await, 400);
    }
    app.finish().await;
}
