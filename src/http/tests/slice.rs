//! From an event to an answer, and over real sockets.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use actix_web::test::TestRequest;
use serde_json::json;

use super::harness::{NOW, TestApp};
use crate::{
    http::{Host, Listeners, ServeOptions},
    store::limits::{Demand, Identity},
};

#[actix::test]
async fn an_event_that_was_answered_is_in_the_next_answer() {
    let app = TestApp::open().await;
    let (key, website) = (app.key(), app.website());
    for name in ["signup", "signup", "upgrade"] {
        let request = TestRequest::post()
            .uri("/track")
            .insert_header(("x-api-key", key.as_str()))
            .set_json(json!({ "name": name, "websiteId": website, "timestamp": NOW }));
        let answer = app.send(Host::Track, request).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
    }
    let body = json!([
        { "id": "a", "parameters": ["custom_events"], "preset": "last_7d" },
        { "id": "b", "parameters": ["no_such_type"], "preset": "last_7d" },
    ]);
    let headers = [("x-api-key", key.as_str())];
    let answer = app
        .post(&format!("/v1/query?website_id={website}"), &headers, body)
        .await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    let answer = answer.json();
    let rows = answer["results"][0]["data"][0]["data"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(rows.len(), 2, "{answer}");
    assert_eq!(
        (&rows[0]["name"], &rows[0]["total_events"]),
        (&json!("signup"), &json!(2))
    );
    assert_eq!(answer["results"][1]["success"], false);
    let all = app
        .post(
            "/v1/query",
            &headers,
            json!({ "parameters": ["custom_events"], "preset": "last_7d" }),
        )
        .await;
    assert_eq!(
        all.json()["data"][0]["data"].as_array().unwrap().len(),
        2,
        "the key's organization by itself"
    );
    let compiled = app
        .post(
            "/v1/query/compile",
            &headers,
            json!({ "parameters": ["top_pages"], "preset": "last_7d" }),
        )
        .await;
    assert_eq!(
        (compiled.status.as_u16(), &compiled.json()["success"]),
        (200, &json!(true))
    );
    app.close().await;
}

fn talk(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

#[actix::test]
async fn servers_start_on_free_ports_answer_and_stop() {
    let app = TestApp::open().await;
    let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let options = ServeOptions {
        api: any,
        track: any,
        links: any,
        https: None,
        http: None,
        workers: 1,
        connections: 512,
        write_patience: Duration::from_secs(30),
        tls: None,
    };
    let listeners = Listeners::bind(&options).unwrap();
    let at = listeners.addresses();
    let serving = listeners.serve(&app.shared).unwrap();
    for address in [at.api, at.track, at.links] {
        let answer = off_thread(move || {
            talk(
                address,
                "GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            )
        })
        .await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(answer.ends_with("{\"status\":\"ok\"}"), "{answer}");
        assert!(
            answer.to_ascii_lowercase().contains("x-request-id: "),
            "{answer}"
        );
    }
    let large = format!(
        "POST /v1/query HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}",
        3_000_000,
        " ".repeat(3_000_000)
    );
    let answer = off_thread(move || talk(at.api, &large)).await;
    assert!(
        answer.starts_with("HTTP/1.1 413") && answer.contains("PAYLOAD_TOO_LARGE"),
        "{answer}"
    );
    let taken = ServeOptions {
        api: at.api,
        ..options
    };
    let error = Listeners::bind(&taken).unwrap_err().to_string();
    assert!(error.contains(&at.api.to_string()), "{error}");
    serving.stop().await;
    app.close().await;
}

#[actix::test]
async fn requests_that_are_given_up_leave_no_slot_behind() {
    let app = TestApp::open().await;
    let key = app.key();
    let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let listeners = Listeners::bind(&ServeOptions {
        api: any,
        track: any,
        links: any,
        https: None,
        http: None,
        workers: 1,
        connections: 512,
        write_patience: Duration::from_secs(30),
        tls: None,
    })
    .unwrap();
    let address = listeners.addresses().api;
    let serving = listeners.serve(&app.shared).unwrap();
    let secret = key.clone();
    off_thread(move || {
        for _ in 0..300 {
            let mut stream = TcpStream::connect(address).unwrap();
            let head = format!(
                "POST /websites/list HTTP/1.1\r\nHost: x\r\nx-api-key: {secret}\r\nContent-Length: 100\r\n\r\n{{"
            );
            stream.write_all(head.as_bytes()).unwrap();
        }
    })
    .await;
    serving.stop().await;
    let id = app
        .shared
        .keys
        .view()
        .authenticate(&key, NOW)
        .unwrap()
        .id()
        .clone();
    let one = Demand::new(Identity::from_name("key", id.as_str())).in_flight(1);
    let _ = app.shared.admission.peek(one).await.unwrap();
    app.close().await;
}
