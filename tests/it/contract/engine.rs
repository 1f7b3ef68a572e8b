//! Settings of the query engine.

use std::fs;

use serde_json::{Value, json};

use crate::{
    app::{Answer, App, until},
    process::{pharos, set_up, start, threads},
    shift::ProcessClock,
};

/// A figure of `/metrics`.
async fn figure(app: &App, name: &str) -> f64 {
    let metrics = app.get(format!("{}/metrics", app.base)).await;
    let mut lines = metrics.text.lines();
    let line = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name}: {}", metrics.text))
        .parse()
        .unwrap()
}

#[actix::test]
async fn answers_are_given_again_unless_there_is_no_room_for_them() {
    for (settings, again) in [("", 1.0), ("query.cache = \"0\"", 0.0)] {
        let app = App::with(settings).await;
        let event = json!({ "name": "e", "websiteId": app.website });
        assert_eq!(app.send(&event).await.status, 200);
        let first = app.rows("custom_events").await;
        let before = figure(&app, "pharos_queries_remembered_total").await;
        assert_eq!(app.rows("custom_events").await, first);
        let after = figure(&app, "pharos_queries_remembered_total").await;
        assert!(
            (after - before - again).abs() < 0.5,
            "{settings}: {before} {after}"
        );
        app.finish().await;
    }
}

#[actix::test]
async fn as_many_queries_run_at_a_time_on_as_many_threads_as_is_said() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    for (queries, threads_of_one) in [(1, 3), (3, 1)] {
        let mut command = pharos(data.path());
        command
            .arg("serve")
            .env("PHAROS__QUERY__CONCURRENT", queries.to_string())
            .env("PHAROS__QUERY__THREADS", threads_of_one.to_string());
        let process = start(command).await;
        assert_eq!(threads(&process, "query-"), queries);
        // The thread that asks helps.
        assert_eq!(threads(&process, "engine"), threads_of_one - 1);
        process.stop();
    }
}

#[actix::test]
async fn a_question_takes_no_longer_than_is_said_and_the_next_one_is_answered() {
    let data = tempfile::tempdir().unwrap();
    let (made, hangs) = (set_up(data.path()), data.path().join("no-read"));
    let mut command = pharos(data.path());
    command
        .arg("serve")
        .env("PHAROS__QUERY__DEADLINE_SECONDS", "1")
        .env("PHAROS__LIMITS__QUERY_REQUESTS", "0")
        .env("PHAROS_TEST_NO_READ", &hangs);
    ProcessClock::new(data.path().join("clock")).on(&mut command);
    let process = start(command).await;
    let post = async |url: String, body: Value| {
        let request = crate::web::client().post(url);
        let answer = Answer::send(request.header("x-api-key", &made.key).json(&body)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer
    };
    let event = json!({ "name": "e", "websiteId": made.website });
    post(format!("{}/track", process.track), event).await;
    // What would be deleted is counted in files.
    let preview = format!("{}/websites/previewRetention", process.base);
    post(preview, json!({ "id": made.website, "days": 1 })).await;
    let ask = async || {
        let url = format!("{}/v1/query?website_id={}", process.base, made.website);
        post(
            url,
            json!({ "parameters": ["custom_events"], "preset": "today" }),
        )
        .await
    };
    fs::write(&hangs, "").unwrap();
    let late = ask().await;
    let member = &late.body["data"][0];
    assert_eq!(member["success"], false, "{}", late.text);
    let excuse = member["error"].as_str().unwrap();
    assert!(excuse.contains("longer than 1 second"), "{excuse}");
    fs::remove_file(&hangs).unwrap();
    until("the disk is back", async || {
        ask().await.body["data"][0]["data"][0]["name"] == "e"
    })
    .await;
    process.stop();
}

#[actix::test]
async fn the_engine_has_as_much_memory_as_is_said_and_lives_on_without() {
    let mut app = App::with("query.memory = \"32M\"").await;
    let properties = json!({ "text": "x".repeat(1_900) });
    for batch in 0..12 {
        let event = |number: usize| {
            let name = format!("{batch}-{number}");
            json!({ "name": name, "websiteId": app.website, "properties": properties })
        };
        let events: Vec<Value> = (0..900).map(event).collect();
        assert_eq!(app.send(&json!(events)).await.status, 200);
    }
    // All columns of ten thousand events, in order.
    let all = async |app: &App| {
        let url = format!("{}/v1/export?website_id={}", app.base, app.website);
        app.get(url).await
    };
    let refused = all(&app).await;
    assert_eq!(refused.status, 503, "{} bytes", refused.text.len());
    let event = json!({ "name": "e", "websiteId": app.website });
    assert_eq!(app.send(&event).await.status, 200, "it lives on");
    app.configure("");
    app.restart().await;
    let whole = all(&app).await;
    assert_eq!(whole.status, 200, "{}", whole.text);
    assert_eq!(whole.text.lines().count(), 10_802, "with its heading");
    app.finish().await;
}
