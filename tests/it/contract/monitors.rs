//! Settings of monitors.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::SeqCst},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Barrier,
    task::JoinSet,
};

use crate::app::{App, until};

const OPEN: &str =
    "egress.allow = ['127.0.0.0/8']\nlimits.query_requests = 0\nlimits.key_requests = 0\n";

async fn watch(app: &App, fields: Value) -> Value {
    let url = format!("{}/uptime/createSchedule", app.base);
    let made = app.post(url, &fields).await;
    assert_eq!(made.status, 200, "{fields}: {}", made.text);
    made.body["scheduleId"].clone()
}

async fn answer(stream: &mut TcpStream) {
    let mut head = [0; 4096];
    let _ = stream.read(&mut head).await;
    let text = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let _ = stream.write_all(text.as_bytes()).await;
}

#[actix::test]
async fn no_more_checks_run_at_a_time_than_is_said() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (most, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    // Each request waits for a second one, and is not answered alone.
    let pair = Arc::new(Barrier::new(2));
    let (seen, ended) = (Arc::clone(&most), Arc::clone(&done));
    let mut task = JoinSet::new();
    task.spawn(async move {
        let mut asking = JoinSet::new();
        let now = Arc::new(AtomicUsize::new(0));
        while let Ok((mut stream, _)) = listener.accept().await {
            let (pair, now, seen, ended) = (
                Arc::clone(&pair),
                Arc::clone(&now),
                Arc::clone(&seen),
                Arc::clone(&ended),
            );
            asking.spawn(async move {
                seen.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
                pair.wait().await;
                now.fetch_sub(1, SeqCst);
                answer(&mut stream).await;
                ended.fetch_add(1, SeqCst);
            });
        }
    });
    let app = App::with(&format!("{OPEN}monitors.concurrency = 2")).await;
    for number in 0..8 {
        watch(
            &app,
            json!({ "url": format!("{url}/{number}"), "granularity": "day" }),
        )
        .await;
    }
    until("all were checked", async || done.load(SeqCst) == 8).await;
    assert_eq!(most.load(SeqCst), 2);
    app.finish().await;
}

#[actix::test]
async fn a_monitor_is_down_after_as_many_failed_rechecks_as_is_said() {
    let nobody = format!("http://{}/", crate::process::free_address());
    let state = async |app: &App, id: &Value| {
        let url = format!("{}/uptime/getSchedule", app.base);
        app.post(url, &json!({ "scheduleId": id })).await.body["state"].clone()
    };
    let app = App::with(&format!("{OPEN}monitors.retries = 0")).await;
    let id = watch(&app, json!({ "url": nobody, "granularity": "day" })).await;
    until("one failure is enough", async || {
        state(&app, &id).await == "down"
    })
    .await;
    app.finish().await;
    let app = App::with(OPEN).await;
    let id = watch(&app, json!({ "url": nobody, "granularity": "day" })).await;
    until("it failed once", async || {
        state(&app, &id).await == "pending"
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn targets_that_are_not_public_are_checked_only_where_the_operator_allows_it() {
    let private = json!({ "url": "http://127.0.0.1:8999/", "granularity": "day" });
    for (settings, status) in [("", 400), (OPEN, 200)] {
        let app = App::with(settings).await;
        let made = app
            .post(format!("{}/uptime/createSchedule", app.base), &private)
            .await;
        assert_eq!(made.status, status, "{}", made.text);
        app.finish().await;
    }
}
