//! Limits in Redis, over HTTP: while it is away (drill F15), and when it is back.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
};

use serde_json::json;

use crate::app::{Answer, App, until};

#[path = "../support/redis.rs"]
mod server;

pub(crate) use server::Redis;

async fn query(app: &App) -> Answer {
    let body = json!({ "parameters": ["summary_metrics"], "preset": "today" });
    app.post(app.query_url(), &body).await
}

async fn event(app: &App) -> Answer {
    app.send(&json!({ "name": "a", "websiteId": app.website }))
        .await
}

async fn ready(app: &App) -> Answer {
    Answer::send(app.http.get(format!("{}/health/ready", app.base))).await
}

fn is_away(answer: &Answer) {
    assert_eq!(answer.status, 503, "{}", answer.text);
    assert_eq!(answer.header("retry-after"), "5");
    assert_eq!(
        answer.body["code"], "SERVICE_UNAVAILABLE",
        "{}",
        answer.text
    );
}

async fn back(app: &App) {
    until("Redis is used again", async || {
        ready(app).await.status == 200
    })
    .await;
}

#[actix::test]
async fn while_redis_is_away_nobody_is_let_through_uncounted() {
    let Some(mut redis) = Redis::start() else {
        return;
    };
    let app = App::with(&format!(
        "redis.url = {:?}\nlimits.query_requests = 3",
        redis.url()
    ))
    .await;
    for _ in 0..3 {
        assert_eq!(query(&app).await.status, 200);
    }
    let full = query(&app).await;
    assert_eq!(full.status, 429, "{}", full.text);
    assert_eq!(full.header("x-ratelimit-limit"), "3");

    redis.freeze(true);
    is_away(&query(&app).await);
    is_away(&event(&app).await);
    let state = ready(&app).await;
    assert_eq!(state.status, 503);
    assert_eq!(state.body["failing"], json!(["redis"]));
    redis.freeze(false);
    back(&app).await;
    assert_eq!(query(&app).await.status, 429, "it has forgotten nothing");
    assert_eq!(event(&app).await.status, 200);

    redis.stop();
    is_away(&query(&app).await);
    is_away(&event(&app).await);
    // What needs no counting is there.
    let health = Answer::send(app.http.get(format!("{}/health", app.base))).await;
    assert_eq!(health.status, 200);
    redis.again();
    back(&app).await;
    for _ in 0..3 {
        assert_eq!(query(&app).await.status, 200);
    }
    assert_eq!(
        query(&app).await.status,
        429,
        "an empty Redis counts from the start"
    );
    app.finish().await;
}

/// How many keys it holds.
fn keys(redis: &Redis) -> usize {
    let address = redis.url().replace("redis://", "");
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"DBSIZE\r\n").unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    line.trim().trim_start_matches(':').parse().unwrap()
}

#[actix::test]
async fn made_up_client_ids_take_one_key_of_redis() {
    let Some(redis) = Redis::start() else {
        return;
    };
    let settings = "limits.flags_requests = 50";
    let app = App::with(&format!("redis.url = {:?}\n{settings}", redis.url())).await;
    let ask = async |client: &str| {
        let url = format!("{}/public/v1/flags/bulk?clientId={client}", app.base);
        Answer::send(app.http.get(url)).await.status
    };
    assert_eq!(ask("made-up").await, 200);
    let before = keys(&redis);
    for number in 1..50 {
        assert_eq!(ask(&format!("made-up-{number}")).await, 200);
    }
    assert_eq!(ask("made-up-50").await, 429);
    assert_eq!(keys(&redis), before);
    app.finish().await;
}

#[actix::test]
async fn events_may_be_counted_here_while_redis_is_away() {
    let Some(mut redis) = Redis::start() else {
        return;
    };
    let settings = "redis.ingest_degraded = \"local\"\nlimits.track_requests = 2";
    let app = App::with(&format!("redis.url = {:?}\n{settings}", redis.url())).await;
    redis.stop();
    is_away(&query(&app).await);
    for _ in 0..2 {
        assert_eq!(event(&app).await.status, 200);
    }
    assert_eq!(event(&app).await.status, 429);
    app.finish().await;
}

#[actix::test]
async fn an_answer_of_redis_may_take_as_long_as_is_said() {
    let Some(redis) = Redis::start() else {
        return;
    };
    let url = format!("redis.url = {:?}", redis.url());
    let (strict, patient) = (
        App::with(&url).await,
        App::with(&format!("{url}\nredis.timeout_ms = 60000")).await,
    );
    assert_eq!(query(&strict).await.status, 200);
    assert_eq!(query(&patient).await.status, 200);
    redis.freeze(true);
    let mut waiting = Box::pin(query(&patient));
    // By then the other has waited longer than the first may by default.
    let refused = tokio::select! {
        answer = &mut waiting => panic!("{}", answer.text),
        refused = query(&strict) => refused,
    };
    is_away(&refused);
    redis.freeze(false);
    assert_eq!(waiting.await.status, 200);
    strict.finish().await;
    patient.finish().await;
}
