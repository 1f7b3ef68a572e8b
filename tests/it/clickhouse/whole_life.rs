//! A program whose events are in ClickHouse, from its first event to their erasure.

use pharos::actors::ingest::{EraseThings, Retain};
use serde_json::json;

use super::{Server, count, settings, shipped};
use crate::app::{Answer, App, until};

async fn names(app: &App) -> Vec<String> {
    let rows = app.rows("custom_events").await;
    let mut names: Vec<String> = rows
        .iter()
        .map(|row| row["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

async fn event(app: &App, name: &str) -> Answer {
    let event = json!({ "name": name, "websiteId": app.website, "eventId": name });
    app.send(&event).await
}

async fn ready(app: &App) -> Answer {
    Answer::send(app.http.get(format!("{}/health/ready", app.base))).await
}

/// A figure of `/metrics`.
async fn figure(app: &App, name: &str) -> f64 {
    let text = app.get(format!("{}/metrics", app.base)).await.text;
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    let (_, value) = lines.find(|(found, _)| *found == name).unwrap();
    value.parse().unwrap()
}

#[actix::test]
async fn events_are_there_after_a_restart_and_once() {
    let Some(server) = Server::start() else {
        return;
    };
    let mut app = App::with(&settings(&server)).await;
    for name in ["a", "b", "a"] {
        assert_eq!(event(&app, name).await.status, 200);
    }
    // What was acknowledged is seen, without anybody waiting for a batch.
    assert_eq!(names(&app).await, ["a", "b"]);
    app.restart().await;
    assert_eq!(event(&app, "b").await.status, 200);
    assert_eq!(event(&app, "c").await.status, 200);
    assert_eq!(names(&app).await, ["a", "b", "c"]);
    shipped(&app).await;
    assert_eq!(count(&server, "kind = 2"), 3);
    assert!(figure(&app, "pharos_ship_events_total").await >= 1.0);
    assert!(figure(&app, "pharos_ship_backlog_bytes").await.abs() < 1.0);
    app.finish().await;
}

#[actix::test]
async fn while_clickhouse_is_away_events_are_taken_and_questions_refused() {
    let Some(mut server) = Server::start() else {
        return;
    };
    let app = App::with(&settings(&server)).await;
    assert_eq!(event(&app, "a").await.status, 200);
    shipped(&app).await;
    server.stop();
    assert_eq!(event(&app, "b").await.status, 200, "it waits in the log");
    let body = json!({ "parameters": ["custom_events"], "preset": "today" });
    let refused = app.post(app.query_url(), &body).await;
    assert_eq!(refused.status, 503, "{}", refused.text);
    assert!(!refused.header("retry-after").is_empty());
    let state = ready(&app).await;
    assert_eq!(
        (state.status, &state.body["failing"]),
        (503, &json!(["clickhouse"]))
    );
    until("it is noticed that nothing is shipped", async || {
        let troubles = ready(&app).await.body["troubles"].to_string();
        troubles.contains("ClickHouse")
    })
    .await;
    assert!(figure(&app, "pharos_ship_backlog_bytes").await > 1.0);
    server.again();
    shipped(&app).await;
    assert_eq!(names(&app).await, ["a", "b"]);
    assert_eq!(ready(&app).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn an_acknowledgement_says_that_clickhouse_has_it_where_that_is_promised() {
    let Some(server) = Server::start() else {
        return;
    };
    let app = App::with(&format!("{}ingest.ack = \"remote\"", settings(&server))).await;
    for n in 0..3 {
        assert_eq!(event(&app, &format!("e{n}")).await.status, 200);
        assert_eq!(count(&server, "kind = 2"), n + 1);
    }
    drop(server);
    let refused = event(&app, "late").await;
    assert_eq!(refused.status, 503, "{}", refused.text);
    assert_eq!(refused.header("retry-after"), "5");
    app.finish().await;
}

#[actix::test]
async fn a_large_body_that_waits_for_clickhouse_keeps_no_other_waiting() {
    let Some(server) = Server::start() else {
        return;
    };
    let app = App::with(&format!("{}ingest.ack = \"remote\"", settings(&server))).await;
    assert_eq!(event(&app, "small").await.status, 200);
    let large = |name: &str| {
        let properties = json!({ "text": "x".repeat(1_000) });
        let event = json!({ "name": name, "websiteId": app.website, "properties": properties });
        json!(vec![event; 400])
    };
    server.freeze(true);
    let request = app.http.post(format!("{}/track", app.track));
    let request = request.header("x-api-key", &app.key).json(&large("waits"));
    let waiting = actix::spawn(Answer::send(request));
    until("it is in the log", async || {
        figure(&app, "pharos_ship_backlog_bytes").await > 100_000.0
    })
    .await;
    let refused = app.send(&large("")).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(!waiting.is_finished());
    server.freeze(false);
    assert_eq!(waiting.await.unwrap().status, 200);
    app.finish().await;
}

#[actix::test]
async fn what_has_to_go_goes_there() {
    let Some(server) = Server::start() else {
        return;
    };
    let mut app = App::with(&settings(&server)).await;
    event(&app, "a").await;
    let keeper = app.platform.as_ref().unwrap().domains().ingest.clone();
    let view = app.platform.as_ref().unwrap().domains().websites.view();
    let key = view.by_id(&app.website).unwrap().key.0;
    // What is not shipped yet is erased with the rest.
    let keys = [key].into();
    assert_eq!(keeper.ask(EraseThings { keys }).await.unwrap(), 1);
    assert_eq!(count(&server, "kind = 2"), 0);
    assert!(names(&app).await.is_empty());
    keeper.ask(Retain).await.unwrap();
    assert!(!table(&server).contains("TTL"), "{}", table(&server));
    app.configure(&format!("{}events.retention_days = 90", settings(&server)));
    app.restart().await;
    let keeper = app.platform.as_ref().unwrap().domains().ingest.clone();
    keeper.ask(Retain).await.unwrap();
    assert!(
        table(&server).contains("toIntervalDay(90)"),
        "{}",
        table(&server)
    );
    app.finish().await;
}

fn table(server: &Server) -> String {
    server.tell("SHOW CREATE TABLE pharos_events")
}

#[actix::test]
async fn a_backup_says_that_it_does_not_reach_there() {
    let Some(server) = Server::start() else {
        return;
    };
    let app = App::with(&settings(&server)).await;
    let to = tempfile::tempdir().unwrap();
    let settings = app.platform.as_ref().unwrap().settings().clone();
    let refused = pharos::platform::backup(&settings, &to.path().join("b"), None).map(drop);
    assert!(refused.unwrap_err().to_string().contains("ClickHouse"));
    app.finish().await;
}
