//! Figures, and what is written about them.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    sync::mpsc,
};

use crate::{
    app::{Answer, App, until},
    process::{pharos, set_up, start},
};

const GUIDE: &str = include_str!("../../docs/observability.md");
const DASHBOARD: &str = include_str!("../../docs/grafana.json");

/// Names of figures in a text.
fn names(text: &str) -> BTreeSet<String> {
    let word = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let named = text
        .split(word)
        .filter(|word| word.starts_with("pharos_") || word.starts_with("process_"));
    named.map(str::to_owned).collect()
}

/// What a figure is called in `# TYPE`.
fn family(name: &str) -> &str {
    ["_bucket", "_sum", "_count"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name)
}

#[actix::test]
async fn every_figure_of_the_guide_and_of_the_dashboard_exists_and_is_explained() {
    let app = App::spawn().await;
    app.send(&serde_json::json!({ "name": "a", "websiteId": app.website }))
        .await;
    app.rows("custom_events").await;
    let text = app.get(format!("{}/metrics", app.base)).await.text;
    let shown: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "))
        .filter_map(|line| line.split(' ').next())
        .map(str::to_owned)
        .collect();
    // These few are reported together.
    let guide = names(GUIDE);
    for name in guide.iter().filter(|name| *name != "pharos_dedup_") {
        assert!(shown.contains(family(name)), "the guide: {name}");
    }
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let expressions = dashboard["panels"].to_string();
    let drawn = names(&expressions);
    assert!(drawn.len() > 25, "{drawn:?}");
    for name in &drawn {
        assert!(shown.contains(family(name)), "the dashboard: {name}");
    }
    for name in &shown {
        let told = guide.contains(name) || name.starts_with("pharos_dedup_");
        assert!(told, "not in the guide: {name}");
    }
    for line in [
        "pharos_query_duration_seconds_count{type=\"custom_events\"} 1",
        "pharos_domain_restarts_total{domain=\"websites\"} 0",
        concat!(
            "pharos_build_info{version=\"",
            env!("CARGO_PKG_VERSION"),
            "\"} 1"
        ),
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    let memory = text
        .lines()
        .find_map(|line| line.strip_prefix("process_resident_memory_bytes "))
        .unwrap();
    assert!(memory.parse::<f64>().unwrap() > 1e6, "{memory}");
    app.finish().await;
}

/// A collector that gives every message to the test.
async fn collector() -> (String, mpsc::UnboundedReceiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (taken, messages) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let taken = taken.clone();
            tokio::spawn(async move {
                let mut bytes = Vec::new();
                loop {
                    let mut chunk = [0; 8_192];
                    let read = stream.read(&mut chunk).await.unwrap_or(0);
                    bytes.extend_from_slice(&chunk[..read]);
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let whole = text.split_once("\r\n\r\n").and_then(|(head, body)| {
                        assert!(head.starts_with("POST /v1/traces HTTP/1.1"), "{head}");
                        serde_json::from_str(body).ok()
                    });
                    if let Some(message) = whole {
                        taken.send(message).unwrap();
                        break;
                    }
                    if read == 0 {
                        return;
                    }
                }
                let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
                stream.write_all(answer).await.unwrap();
            });
        }
    });
    (format!("http://{address}"), messages)
}

fn text<'s>(span: &'s Value, name: &str) -> &'s str {
    let all = span["attributes"].as_array().unwrap();
    let found = all.iter().find(|one| one["key"] == name);
    let value = found.map(|one| &one["value"]);
    value
        .and_then(|value| {
            value["stringValue"]
                .as_str()
                .or_else(|| value["intValue"].as_str())
        })
        .unwrap_or_default()
}

#[actix::test]
async fn spans_of_requests_and_of_what_they_do_come_to_the_collector_without_secrets() {
    let (endpoint, mut messages) = collector().await;
    let data = tempfile::tempdir().unwrap();
    let made = set_up(data.path());
    let mut command = pharos(data.path());
    command
        .arg("serve")
        .env("PHAROS__TELEMETRY__OTLP_ENDPOINT", &endpoint);
    let process = start(command).await;
    let http = crate::web::client();
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let event = json!({ "name": "private-name", "websiteId": made.website });
    let send = http
        .post(format!("{}/track", process.track))
        .header("x-api-key", &made.key);
    let sent = Answer::send(send.header("traceparent", parent).json(&event)).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    let url = format!("{}/v1/query?website_id={}", process.base, made.website);
    let body = json!({ "parameters": ["custom_events"], "preset": "today" });
    let asked = http
        .post(url)
        .header("x-api-key", &made.key)
        .header("x-request-id", "mine-1");
    assert_eq!(Answer::send(asked.json(&body)).await.status, 200);
    let unwanted = parent.replace("-01", "-00");
    let quiet = format!("{}/health?secret-query=1", process.base);
    let quiet = Answer::send(http.get(quiet).header("traceparent", &unwanted)).await;
    assert_eq!(quiet.status, 200);

    let mut spans: Vec<Value> = Vec::new();
    let mut said = String::new();
    until("all four spans have come", async || {
        while let Ok(message) = messages.try_recv() {
            said.push_str(&message.to_string());
            let own = &message["resourceSpans"][0]["scopeSpans"][0]["spans"];
            spans.extend(own.as_array().unwrap().iter().cloned());
        }
        let routes = ["/track", "/v1/query"];
        let has = |route: &str| spans.iter().any(|span| text(span, "http.route") == route);
        routes.iter().all(|route| has(route))
    })
    .await;
    let request = |route: &str| {
        spans
            .iter()
            .find(|span| text(span, "http.route") == route)
            .unwrap()
    };
    let child = |name: &str, of: &Value| {
        let own = |span: &&Value| span["name"] == name && span["parentSpanId"] == of["spanId"];
        spans
            .iter()
            .find(own)
            .unwrap_or_else(|| panic!("{name}: {said}"))
    };
    let track = request("/track");
    assert_eq!(track["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(
        (&track["parentSpanId"], &track["kind"]),
        (&json!("00f067aa0ba902b7"), &json!(2))
    );
    assert_eq!(text(track, "http.response.status_code"), "200");
    assert_eq!(child("append", track)["traceId"], track["traceId"]);
    let query = request("/v1/query");
    assert_ne!(query["traceId"], track["traceId"]);
    assert_eq!(text(query, "request.id"), "mine-1");
    child("query", query);
    assert!(
        !spans
            .iter()
            .any(|span| text(span, "http.route") == "/health"),
        "nobody wanted it traced"
    );
    for secret in [
        &made.key,
        &made.website,
        "private-name",
        "127.0.0.1",
        "secret-query",
    ] {
        assert!(!said.contains(secret), "{secret}: {said}");
    }
    let metrics = Answer::send(http.get(format!("{}/metrics", process.base))).await;
    assert!(
        metrics.text.contains("pharos_spans_dropped_total 0"),
        "{}",
        metrics.text
    );
    process.stop();
}

#[actix::test]
async fn a_collector_that_is_away_costs_spans_and_nothing_else() {
    let data = tempfile::tempdir().unwrap();
    let made = set_up(data.path());
    let mut command = pharos(data.path());
    let nobody = format!("http://{}", crate::process::free_address());
    command
        .arg("serve")
        .env("PHAROS__TELEMETRY__OTLP_ENDPOINT", nobody);
    let process = start(command).await;
    let http = crate::web::client();
    let event = json!({ "name": "a", "websiteId": made.website });
    let send = http
        .post(format!("{}/track", process.track))
        .header("x-api-key", &made.key);
    assert_eq!(Answer::send(send.json(&event)).await.status, 200);
    until("the lost spans are counted", async || {
        let metrics = Answer::send(http.get(format!("{}/metrics", process.base)))
            .await
            .text;
        let mut lines = metrics.lines();
        let line = lines.find(|line| line.starts_with("pharos_spans_dropped_total "));
        line.is_some_and(|line| !line.ends_with(" 0"))
    })
    .await;
    assert_eq!(
        process.count_log_lines("the collector does not take traces"),
        1
    );
    process.stop();
}
