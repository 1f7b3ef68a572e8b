//! Clients that send or take slowly, or hold many connections and much memory (threat T22).

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::TcpStream,
    process::Command,
};

use rustix::net::{AddressFamily, SocketType, connect, socket, sockopt};
use serde_json::json;

use crate::{
    app::{Answer, App, until},
    limits::is_answered,
    process::{binary, pharos, set_up, start},
};

fn dial(url: &str) -> TcpStream {
    TcpStream::connect(url.trim_start_matches("http://")).unwrap()
}

fn ask(stream: &mut TcpStream, head: &str) {
    let head = format!("{head}\r\nHost: localhost\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
}

/// What comes next, which is not less than the status line.
fn status(stream: &mut TcpStream) -> String {
    let mut come = [0; 4_096];
    let length = stream.read(&mut come).unwrap();
    let line = String::from_utf8_lossy(&come[..length]).into_owned();
    line.lines().next().unwrap_or_default().to_owned()
}

#[actix::test]
async fn a_body_that_drips_without_a_pause_is_ended() {
    let app = App::with("server.body_seconds = 1").await;
    let mut stream = dial(&app.track);
    ask(
        &mut stream,
        "POST /track?website_id=none HTTP/1.1\r\nContent-Length: 2000000",
    );
    until("the body is given up", async || {
        let _ = stream.write_all(b" ");
        is_answered(&stream)
    })
    .await;
    assert!(status(&mut stream).starts_with("HTTP/1.1 400"));
    app.finish().await;
}

#[actix::test]
async fn bodies_that_are_half_sent_take_no_more_memory_than_is_said() {
    let settings = "limits.body_bytes = 262144\nserver.body_memory = '1M'\nserver.trusted_proxies = ['127.0.0.0/8']";
    let app = App::with(settings).await;
    let half = || {
        let mut stream = dial(&app.track);
        ask(
            &mut stream,
            "POST /track HTTP/1.1\r\nContent-Length: 262144",
        );
        let _ = stream.write_all(&vec![b' '; 200_000]);
        stream
    };
    let mut halves: Vec<TcpStream> = (0..8).map(|_| half()).collect();
    until("there is no memory for some of them", async || {
        halves.iter().filter(|stream| is_answered(stream)).count() == 6
    })
    .await;
    let refused = halves.iter_mut().find(|stream| is_answered(stream));
    assert!(status(refused.unwrap()).starts_with("HTTP/1.1 503"));

    let send = async |forwarded: Option<&str>, name: &str| {
        let request = app
            .http
            .post(format!("{}/track", app.track))
            .header("x-api-key", &app.key);
        let request = match forwarded {
            Some(address) => request.header("x-forwarded-for", address),
            None => request,
        };
        let event = json!({ "name": name, "websiteId": app.website });
        // White space makes it large without many events.
        let body = format!(
            "{event}{}",
            " ".repeat(if name == "small" { 0 } else { 200_000 })
        );
        Answer::send(request.body(body)).await
    };
    let refused = send(None, "large").await;
    assert_eq!(refused.status, 503, "{}", refused.text);
    assert_eq!(
        refused.body["code"], "SERVICE_UNAVAILABLE",
        "{}",
        refused.text
    );
    assert!(!refused.header("retry-after").is_empty());
    assert_eq!(send(None, "small").await.status, 200);
    let other = send(Some("203.0.113.9"), "of another address").await;
    assert_eq!(other.status, 200, "{}", other.text);

    drop(halves);
    until("the memory is free again", async || {
        send(None, "large").await.status == 200
    })
    .await;
    app.finish().await;
}

/// A connection of a client with next to no room for what it is sent.
fn narrow(url: &str) -> TcpStream {
    let address: std::net::SocketAddr = url.trim_start_matches("http://").parse().unwrap();
    let narrow = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    sockopt::set_socket_recv_buffer_size(&narrow, 4_096).unwrap();
    connect(&narrow, &address).unwrap();
    narrow.into()
}

#[actix::test]
async fn a_client_that_takes_nothing_of_its_answer_loses_the_connection() {
    let app = App::with("server.write_seconds = 1").await;
    let mut stream = narrow(&app.base);
    for _ in 0..16 {
        ask(&mut stream, "GET /openapi.json HTTP/1.1");
    }
    // What is sent to a connection that is gone is answered with a reset.
    stream.set_nonblocking(true).unwrap();
    until("the connection is gone", async || {
        let sent = stream.write(b" ");
        sent.is_err_and(|error| error.kind() != ErrorKind::WouldBlock)
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn further_connections_wait_until_one_ends() {
    const HEALTH: &str = "GET /health HTTP/1.1";
    let app = App::with("server.max_connections = 2").await;
    let mut first = dial(&app.track);
    let mut second = dial(&app.track);
    for stream in [&mut first, &mut second] {
        ask(stream, HEALTH);
        assert!(status(stream).starts_with("HTTP/1.1 200"));
    }
    let mut third = dial(&app.track);
    ask(&mut third, HEALTH);
    // The one worker would have seen the third long before it has answered all of these.
    for _ in 0..100 {
        ask(&mut first, HEALTH);
        assert!(status(&mut first).starts_with("HTTP/1.1 200"));
    }
    assert!(!is_answered(&third));
    // The other listeners have connections of their own.
    let health = Answer::send(app.http.get(format!("{}/health", app.base))).await;
    assert_eq!(health.status, 200);
    drop(second);
    until("the third has its turn", async || is_answered(&third)).await;
    assert!(status(&mut third).starts_with("HTTP/1.1 200"));
    drop((first, third));
    app.finish().await;
}

#[actix::test]
async fn streams_leave_descriptors_and_connections_for_events() {
    const STREAMS: usize = 200;
    let data = tempfile::tempdir().unwrap();
    let made = set_up(data.path());
    let usual = pharos(data.path());
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -n 256 && exec \"$0\" serve"])
        .arg(binary())
        .current_dir(data.path())
        .envs(
            usual
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .env("PHAROS__LIMITS__FLAGS_REQUESTS", "0");
    let process = start(command).await;
    let path = format!("/public/v1/flags/{}/ofrep/v1/stream", made.website);
    let mut streams: Vec<TcpStream> = (0..STREAMS)
        .map(|_| {
            let mut stream = dial(&process.base);
            ask(
                &mut stream,
                &format!("GET {path} HTTP/1.1\r\nConnection: close"),
            );
            stream
        })
        .collect();
    let refused =
        |stream: &mut TcpStream| is_answered(stream) && status(stream).starts_with("HTTP/1.1 503");
    until("a stream is refused", async || {
        streams.iter_mut().any(refused)
    })
    .await;
    let event = json!({ "name": "a", "websiteId": made.website });
    let request = crate::web::client().post(format!("{}/track", process.track));
    let sent = Answer::send(request.header("x-api-key", &made.key).json(&event)).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    assert_eq!(process.count_log_lines("Too many open files"), 0);
    drop(streams);
    process.stop();
}
