//! Events go in: every route of the slice, from the outside.

use serde_json::json;

use crate::app::{Answer, App, NOW};

#[actix::test]
async fn a_custom_event_is_in_the_next_answer() {
    let app = App::spawn().await;
    let event = json!({
        "name": "signup", "websiteId": app.website, "anonymousId": "anon_1", "sessionId": "sess_1",
        "properties": { "plan": "pro" },
    });
    let sent = app.send(&event).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    assert_eq!(
        sent.body,
        json!({ "status": "success", "type": "custom_event", "count": 1 })
    );
    assert!(!sent.header("x-request-id").is_empty());

    let rows = app.rows("custom_events").await;
    assert_eq!(rows[0]["name"], "signup");
    assert_eq!(rows[0]["total_events"], 1);
    assert_eq!(rows[0]["unique_users"], 1);
    app.finish().await;
}

#[actix::test]
async fn a_visit_of_a_tracker_is_counted_as_one() {
    let app = App::spawn().await;
    let page = |id: &str, name: &str, at: i64, path: &str| {
        json!({
            "eventId": id, "name": name, "anonymousId": "anon_1", "sessionId": "sess_1", "timestamp": NOW + at,
            "path": format!("https://localhost{path}"), "referrer": "https://www.google.com/",
            "time_on_page": if name == "page_exit" { json!(30) } else { json!(null) },
        })
    };
    let batch = json!([
        page("1", "screen_view", -60_000, "/"),
        page("2", "page_exit", -30_000, "/"),
        page("3", "screen_view", -30_000, "/pricing/"),
        page("4", "page_exit", 0, "/pricing/"),
    ]);
    let url = format!("{}/batch?client_id={}", app.track, app.website);
    let sent = app.post_anonymously(url, &batch).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    assert_eq!(sent.body["processed"], 4);

    let summary = app.rows("summary_metrics").await;
    assert_eq!(summary.len(), 1, "{summary:?}");
    let today = &summary[0];
    assert_eq!(today["date"], "2026-10-14");
    for (field, value) in [
        ("pageviews", 2),
        ("visitors", 1),
        ("unique_visitors", 1),
        ("sessions", 1),
        ("total_events", 4),
    ] {
        assert_eq!(today[field], value, "{field}: {today}");
    }
    assert_eq!(today["bounce_rate"].as_f64(), Some(0.0));
    assert_eq!(today["median_session_duration"].as_f64(), Some(60.0));
    let pages = app.rows("top_pages").await;
    let paths: Vec<_> = pages
        .iter()
        .map(|row| row["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["/", "/pricing"]);
    let sources = app.rows("traffic_sources").await;
    assert_eq!(sources[0]["source"], "Google");
    app.finish().await;
}

#[actix::test]
async fn vitals_and_errors_are_answered_with_exact_percentiles_and_counts() {
    let app = App::spawn().await;
    let vitals: Vec<_> = (1..=9)
        .map(|n| json!({ "timestamp": NOW, "path": "https://localhost/", "metricName": "LCP", "metricValue": n * 100 }))
        .collect();
    let url = format!("{}/vitals?client_id={}", app.track, app.website);
    let sent = app.post_anonymously(url, &json!(vitals)).await;
    assert_eq!(
        sent.body,
        json!({ "status": "success", "type": "web_vitals", "count": 9 })
    );
    let rows = app.rows("vitals_overview").await;
    let lcp = rows.iter().find(|row| row["metric_name"] == "LCP").unwrap();
    assert_eq!(
        (lcp["p50"].as_f64(), lcp["samples"].as_i64()),
        (Some(500.0), Some(9))
    );

    let error = json!([{
        "timestamp": NOW, "path": "https://localhost/", "message": "x is not a function",
        "errorType": "TypeError", "stack": "at f (a.js:1:2)", "sessionId": "sess_1",
    }]);
    let url = format!("{}/errors?client_id={}", app.track, app.website);
    let sent = app.post_anonymously(url, &error).await;
    assert_eq!(
        sent.body,
        json!({ "status": "success", "type": "error", "count": 1 })
    );
    let recent = app.rows("recent_errors").await;
    assert_eq!(recent[0]["message"], "x is not a function");
    assert_eq!(app.rows("error_summary").await[0]["totalErrors"], 1);
    app.finish().await;
}

#[actix::test]
async fn an_event_id_counts_once_also_after_a_restart() {
    let mut app = App::spawn().await;
    let event = json!({ "name": "paid", "websiteId": app.website, "eventId": "order-1" });
    for _ in 0..2 {
        assert_eq!(
            app.send(&event).await.body["count"],
            1,
            "a retry gets the same answer"
        );
    }
    app.restart().await;
    assert_eq!(app.send(&event).await.status, 200);
    assert_eq!(app.rows("custom_events").await[0]["total_events"], 1);
    app.finish().await;
}

#[actix::test]
async fn an_id_with_the_public_client_id_swallows_no_event_with_a_key() {
    let app = App::spawn().await;
    let event = json!({ "name": "paid", "eventId": "order-1", "properties": { "amount": 5 } });
    let url = format!("{}/track?website_id={}", app.track, app.website);
    // Anyone can read the public client id, and guess an id.
    for _ in 0..2 {
        let forged = json!({ "name": "forged", "eventId": "order-1" });
        let sent = app.post_anonymously(url.clone(), &forged).await;
        assert_eq!(sent.status, 200, "{}", sent.text);
    }
    for _ in 0..2 {
        let sent = app.post(url.clone(), &event).await;
        assert_eq!(sent.status, 200, "{}", sent.text);
    }
    let rows = app.rows("custom_events").await;
    let mut stored: Vec<_> = rows
        .iter()
        .map(|row| (row["name"].as_str().unwrap(), row["total_events"].as_u64()))
        .collect();
    stored.sort_unstable();
    assert_eq!(stored, [("forged", Some(1)), ("paid", Some(1))]);
    app.finish().await;
}

#[actix::test]
async fn a_bad_event_in_an_array_refuses_all_of_it_and_stores_nothing() {
    let app = App::spawn().await;
    let events = json!([
        { "name": "good", "websiteId": app.website },
        { "name": "", "websiteId": app.website },
    ]);
    let answer = app.send(&events).await;
    assert_eq!(answer.status, 400);
    assert_eq!(answer.body["success"], false);
    assert_eq!(answer.body["status"], "error");
    assert_eq!(answer.body["error"], "Invalid request body");
    assert_eq!(answer.body["code"], "INVALID_REQUEST_BODY");
    assert_eq!(answer.body["retryable"], false);
    assert_eq!(answer.body["requestId"], answer.header("x-request-id"));
    assert!(
        answer.body["errors"][0]["field"]
            .as_str()
            .unwrap()
            .contains('1'),
        "{}",
        answer.text
    );
    assert!(app.rows("custom_events").await.is_empty());
    app.finish().await;
}

#[actix::test]
async fn every_refusal_of_the_ingestion_table_has_its_own_answer() {
    let app = App::spawn().await;
    let track = format!("{}/track", app.track);
    let event = json!({ "name": "a" });
    let refused = [
        (app.post_anonymously(track.clone(), &event).await, 401, "AUTH_REQUIRED"),
        (app.post_anonymously(format!("{track}?website_id=nope"), &event).await, 404, "WEBSITE_NOT_FOUND"),
        (
            app.send(&json!({ "name": "a", "websiteId": "nope" })).await,
            404,
            "WEBSITE_NOT_FOUND",
        ),
        (
            app.send(&json!({ "name": "a", "websiteId": app.website, "properties": { "big": "x".repeat(33_000) } })).await,
            413,
            "PAYLOAD_TOO_LARGE",
        ),
        (app.send(&json!({ "name": "a", "websiteId": app.website, "timestamp": NOW + 3_600_001 })).await, 400, "INVALID_REQUEST_BODY"),
        (
            Answer::send(app.http.post(&track).header("x-api-key", "svc_wrong").json(&event)).await,
            401,
            "AUTH_REQUIRED",
        ),
        (
            Answer::send(app.http.post(&track).header("x-api-key", &app.key).body("{")).await,
            400,
            "INVALID_REQUEST_BODY",
        ),
    ];
    for (answer, status, code) in refused {
        assert_eq!(answer.status, status, "{}", answer.text);
        assert_eq!(answer.body["code"], code, "{}", answer.text);
        assert_eq!(answer.body["status"], "error");
        assert_eq!(answer.body["requestId"], answer.header("x-request-id"));
    }
    assert!(app.rows("custom_events").await.is_empty());
    app.finish().await;
}

#[actix::test]
async fn a_body_may_be_as_large_as_the_limit_and_not_a_byte_larger() {
    let app = App::spawn().await;
    let body = |bytes: usize| {
        let event = format!(r#"{{"name":"a","websiteId":"{}"}}"#, app.website);
        let mut text = format!("[{event}");
        text.push_str(&" ".repeat(bytes - text.len() - 1));
        text.push(']');
        assert_eq!(text.len(), bytes);
        app.http
            .post(format!("{}/track", app.track))
            .header("x-api-key", &app.key)
            .body(text)
    };
    assert_eq!(Answer::send(body(2_097_152)).await.status, 200);
    let large = Answer::send(body(2_097_153)).await;
    assert_eq!(
        (large.status, large.body["code"].as_str()),
        (413, Some("PAYLOAD_TOO_LARGE"))
    );
    app.finish().await;
}
