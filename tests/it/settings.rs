//! Settings that only the running program can show.

use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    app::Answer,
    process::{Credentials, Process, pharos, set_up, start},
};

async fn serving(data: &Path, settings: &[(&str, &str)]) -> Process {
    let mut command = pharos(data);
    command.arg("serve").envs(settings.iter().copied());
    start(command).await
}

/// The status of a stranger's question that says to come from this address, as a CDN would.
async fn stranger(process: &Process, address: &str) -> u16 {
    let request = crate::web::client().post(format!("{}/v1/query", process.base));
    let request = request.header("cf-connecting-ip", address).json(&json!({}));
    Answer::send(request).await.status
}

#[actix::test]
async fn a_cdns_header_is_believed_from_trusted_proxies_alone() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    let one_each = ("PHAROS__LIMITS__QUERY_REQUESTS_ANONYMOUS", "1");
    let header = ("PHAROS__SERVER__CLIENT_IP_HEADER", "CF-Connecting-IP");
    let trusted = ("PHAROS__SERVER__TRUSTED_PROXIES", "127.0.0.0/8");
    let process = serving(data.path(), &[one_each, header, trusted]).await;
    assert_eq!(stranger(&process, "198.51.100.1").await, 401);
    assert_eq!(stranger(&process, "198.51.100.1").await, 429);
    assert_eq!(
        stranger(&process, "198.51.100.2").await,
        401,
        "somebody else"
    );
    process.stop();
    let process = serving(data.path(), &[one_each, header]).await;
    assert_eq!(stranger(&process, "198.51.100.1").await, 401);
    assert_eq!(
        stranger(&process, "198.51.100.2").await,
        429,
        "it is the socket that counts"
    );
    process.stop();
}

async fn views(process: &Process, made: &Credentials) -> Value {
    let url = format!("{}/v1/query?website_id={}", process.base, made.website);
    let body = json!({ "parameters": ["summary_totals"], "preset": "today" });
    let request = crate::web::client()
        .post(url)
        .header("x-api-key", &made.key);
    Answer::send(request.json(&body)).await.rows(0)[0]["pageviews"].clone()
}

#[actix::test]
async fn visitors_who_opt_out_are_left_out_unless_the_operator_decides_otherwise() {
    let data = tempfile::tempdir().unwrap();
    let made = set_up(data.path());
    let view = async |process: &Process, id: &str| {
        let page = json!({ "eventId": id, "name": "screen_view", "path": "http://localhost/" });
        let url = format!("{}/?client_id={}", process.track, made.website);
        let request = crate::web::client().post(url).header("sec-gpc", "1");
        assert_eq!(Answer::send(request.json(&page)).await.status, 200);
    };
    let process = serving(data.path(), &[]).await;
    view(&process, "1").await;
    assert_eq!(views(&process, &made).await, 0);
    process.stop();
    let process = serving(data.path(), &[("PHAROS__INGEST__HONOUR_GPC", "false")]).await;
    view(&process, "2").await;
    assert_eq!(views(&process, &made).await, 1);
    process.stop();
}

#[actix::test]
async fn events_that_only_memory_holds_are_warned_of_and_visible() {
    let data = tempfile::tempdir().unwrap();
    let made = set_up(data.path());
    let process = serving(data.path(), &[("PHAROS__INGEST__ACK", "memory")]).await;
    assert_eq!(
        process.count_log_lines("acknowledged events can be lost in a crash"),
        1
    );
    let page = json!({ "eventId": "1", "name": "screen_view", "path": "http://localhost/" });
    let url = format!("{}/?client_id={}", process.track, made.website);
    assert_eq!(
        Answer::send(crate::web::client().post(url).json(&page))
            .await
            .status,
        200
    );
    assert_eq!(views(&process, &made).await, 1);
    process.stop();
    let process = serving(data.path(), &[]).await;
    assert_eq!(
        process.count_log_lines("acknowledged events can be lost"),
        0
    );
    assert_eq!(
        views(&process, &made).await,
        1,
        "a stop writes what there is"
    );
    process.stop();
}

#[actix::test]
async fn blocked_ports_are_the_operators_choice() {
    let data = tempfile::tempdir().unwrap();
    let made = set_up(data.path());
    let watch = async |process: &Process, port: u16| {
        let url = format!("{}/uptime/createSchedule", process.base);
        let monitor =
            json!({ "url": format!("https://example.com:{port}/"), "granularity": "day" });
        let request = crate::web::client()
            .post(url)
            .header("x-api-key", &made.key);
        Answer::send(request.json(&monitor)).await.status
    };
    let process = serving(data.path(), &[]).await;
    assert_eq!(
        (watch(&process, 25).await, watch(&process, 8_443).await),
        (400, 200)
    );
    process.stop();
    let process = serving(data.path(), &[("PHAROS__EGRESS__BLOCKED_PORTS", "8443")]).await;
    assert_eq!(
        (watch(&process, 25).await, watch(&process, 8_443).await),
        (200, 400)
    );
    process.stop();
}

#[actix::test]
async fn a_second_process_over_the_same_directory_ends_with_2_and_names_the_first() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    let process = serving(data.path(), &[]).await;
    for command in ["serve", "setup", "demo --events 1"] {
        let mut second = pharos(data.path());
        second
            .args(command.split(' '))
            .env("PHAROS__LOG__LEVEL", "error");
        for listener in ["API", "TRACK", "LINKS"] {
            second.env(format!("PHAROS__SERVER__{listener}_LISTEN"), "127.0.0.1:0");
        }
        let output = second.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        let holder = format!("is in use by process {}", process.child.id());
        assert!(
            said.starts_with("error: ") && said.contains(&holder),
            "{command}: {said}"
        );
        assert!(said.contains("\nhint: "), "{command}: {said}");
    }
    process.stop();
}

#[actix::test]
async fn an_interrupt_stops_it_as_gracefully_as_a_termination() {
    for signal in [Signal::INT, Signal::TERM] {
        let data = tempfile::tempdir().unwrap();
        let made = set_up(data.path());
        let mut process = serving(data.path(), &[]).await;
        let page = json!({ "eventId": "1", "name": "screen_view", "path": "http://localhost/" });
        let url = format!("{}/?client_id={}", process.track, made.website);
        assert_eq!(
            Answer::send(crate::web::client().post(url).json(&page))
                .await
                .status,
            200
        );
        process.signal(signal);
        let status = process.child.wait().unwrap();
        assert_eq!(status.code(), Some(0), "{signal:?}");
        let process = serving(data.path(), &[]).await;
        assert_eq!(views(&process, &made).await, 1);
        process.stop();
    }
}
