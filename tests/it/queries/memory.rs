//! The memory of the program stays below `query.memory` and a constant, whatever is asked (threat T17).

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::view;
use crate::{
    app::Answer,
    process::{Credentials, Process, pharos, set_up, start},
};

/// `query.memory` of these tests, and what `docs/deployment.md` states beside it.
const CEILING: usize = (192 + 512) << 20;
/// Views whose paths are as long as they may be.
const PATHS: usize = 10_000;
const AT_ONCE: usize = 24;

/// The largest memory the process has had, bytes.
fn peak(process: &Process) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.unwrap().split_whitespace().nth(1).unwrap();
    number.parse::<usize>().unwrap() * 1_024
}

/// A public website with long paths.
async fn fill(process: &Process, made: &Credentials, http: &reqwest::Client) {
    let public = json!({ "id": made.website, "isPublic": true });
    let request = http.post(format!("{}/websites/togglePublic", process.base));
    let answer = Answer::send(request.header("x-api-key", &made.key).json(&public)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let now = pharos::clock::Clock::system().now_ms() - 60_000;
    let url = format!("{}/batch?client_id={}", process.track, made.website);
    for part in 0..PATHS / 500 {
        let views = (0..500).map(|place| {
            let path = format!("/{part}-{place}-{:x<2020}", "");
            view(format!("{part}-{place}"), now, &path)
        });
        let views: Vec<Value> = views.collect();
        let sent = Answer::send(http.post(&url).json(&views)).await;
        assert_eq!(sent.status, 200, "{}", sent.text);
    }
}

/// Each body asks the same of other days.
fn bodies(count: usize, parameters: usize, limit: usize) -> Value {
    let body = |day: usize| {
        let parameters: Vec<Value> = (0..parameters)
            .map(|place| json!({ "name": "top_pages", "id": format!("p{place}"), "granularity": if place.is_multiple_of(2) { "daily" } else { "hourly" } }))
            .collect();
        json!({ "parameters": parameters, "preset": if day.is_multiple_of(2) { "last_7d" } else { "last_14d" }, "limit": limit, "offset": day })
    };
    json!((0..count).map(body).collect::<Vec<_>>())
}

/// Status and text of an answer. Those of many megabytes are held against no document: that takes longer than to make them.
async fn read(request: reqwest::RequestBuilder) -> (u16, String) {
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[actix::test]
async fn many_worst_requests_at_once_take_no_more_memory_than_is_stated() {
    let data = tempfile::tempdir().unwrap();
    let made = set_up(data.path());
    let mut command = pharos(data.path());
    command
        .env("PHAROS__LIMITS__QUERY_REQUESTS_ANONYMOUS", "0")
        .env("PHAROS__LIMITS__QUERY_REQUESTS", "0")
        .env("PHAROS__LIMITS__KEY_IN_FLIGHT", "0")
        .env("PHAROS__LIMITS__TRACK_REQUESTS", "0")
        // Machines that test are small and busy.
        .env("PHAROS__QUERY__DEADLINE_SECONDS", "600")
        .env("PHAROS__SERVER__WRITE_SECONDS", "600");
    let process = start(command).await;
    let http = crate::web::client();
    fill(&process, &made, &http).await;
    let url = format!("{}/v1/query?website_id={}", process.base, made.website);
    let ask = |body: &Value, key: Option<&str>| {
        let request = http.post(&url).json(body);
        read(match key {
            Some(key) => request.header("x-api-key", key),
            None => request,
        })
    };

    // As large as an answer may be, to callers without credentials and with a key.
    let (small, large) = (bodies(1, 1, 1_900), bodies(3, 1, 2_500));
    let visitors = join_all((0..AT_ONCE).map(|_| ask(&small, None))).await;
    let owners = join_all((0..8).map(|_| ask(&large, Some(&made.key)))).await;
    for (status, text) in visitors.iter().chain(&owners) {
        assert_eq!(*status, 200, "{text:.400}");
        let is_whole = text.contains("\"success\":true") && !text.contains("\"success\":false");
        assert!(is_whole && text.len() > 2_000_000, "{text:.400}");
    }
    drop((visitors, owners));
    let taken = peak(&process);
    assert!(taken < CEILING, "answers took {} MB", taken >> 20);

    // The largest that can be asked.
    let most = bodies(50, 100, 10_000);
    let visitors = join_all((0..AT_ONCE).map(|_| ask(&most, None))).await;
    let owners = join_all((0..AT_ONCE / 4).map(|_| ask(&most, Some(&made.key)))).await;
    for (status, text) in visitors.iter().chain(&owners) {
        assert_eq!(*status, 400, "{text:.400}");
        let body: Value = serde_json::from_str(text).unwrap();
        let budget = body["details"][0]["message"].as_str().unwrap();
        assert!(
            budget.starts_with("A request may be answered with at most"),
            "{budget}"
        );
    }
    let taken = peak(&process);
    assert!(
        taken < CEILING,
        "the worst requests took {} MB",
        taken >> 20
    );
    let health = Answer::send(http.get(format!("{}/health", process.base))).await;
    assert_eq!(health.status, 200);
    process.stop();
}
