//! A request body has at most 2 MB. Threat T19: with every kind of declared or missing length.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use serde_json::Value;

use super::{
    Call, TOO_LARGE,
    raw::{self, chunked, exchange, head, statuses},
    stored, unlimited,
};
use crate::app::{Answer, App, NOW};

const LIMIT: usize = 2_097_152;

/// A body of exactly so many bytes that a route takes: one record, and white space.
fn sized(path: &str, bytes: usize) -> Vec<u8> {
    let mut record = match path {
        "/track" => r#"{"name":"n"}"#.to_owned(),
        "/mcp" => r#"{"tool":"t","durationMs":1}"#.to_owned(),
        "/" | "/batch" => {
            format!(r#"{{"eventId":"{path}","name":"n","path":"https://localhost/"}}"#)
        }
        "/vitals" => {
            format!(r#"{{"timestamp":{NOW},"path":"/a","metricName":"LCP","metricValue":1}}"#)
        }
        "/errors" => format!(r#"{{"timestamp":{NOW},"path":"/a","message":"m"}}"#),
        "/events" => format!(r#"{{"timestamp":{NOW},"path":"/a","eventName":"n"}}"#),
        "/engagement" => format!(
            r#"{{"timestamp":{NOW},"path":"/a","exitType":"spa","timeOnPage":1,"activeTime":1,"maxScrollDepth":1,
            "pageIndex":1,"scrollCount":1,"clickCount":1,"keyCount":1,"interactionCount":1,"copyCount":1,
            "rageClickCount":1,"deadClickCount":1,"formFieldCount":1,"formSubmitCount":1,"errorCount":1}}"#
        ),
        "/identify" => r#"{"profileId":"u"}"#.to_owned(),
        other => panic!("no body for {other}"),
    };
    if !matches!(path, "/" | "/identify") {
        record = format!("[{record}]");
    }
    record.push_str(&" ".repeat(bytes - record.len()));
    record.into_bytes()
}

const ROUTES: [&str; 9] = [
    "/track",
    "/",
    "/batch",
    "/vitals",
    "/errors",
    "/engagement",
    "/events",
    "/mcp",
    // Its people are no events.
    "/identify",
];

fn call<'a>(app: &'a App, path: &str) -> Call<'a> {
    if matches!(path, "/track" | "/mcp") {
        Call::server(app, path)
    } else {
        Call::page(app, path)
    }
}

fn packed(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

#[actix::test]
async fn every_route_takes_2097152_bytes_and_not_one_more() {
    let app = unlimited().await;
    for (number, path) in ROUTES.into_iter().enumerate() {
        let call = call(&app, path);
        let fits = call.bytes(sized(path, LIMIT)).await;
        assert!(matches!(fits.status, 200 | 202), "{path}: {}", fits.text);
        let events = number + usize::from(path != "/identify");
        assert_eq!(stored(&app, "kind").await.len(), events, "{path}");
        TOO_LARGE.is(&call.bytes(sized(path, LIMIT + 1)).await);
        assert_eq!(stored(&app, "kind").await.len(), events, "{path}");
    }
    app.finish().await;
}

#[actix::test]
async fn gzip_is_counted_as_what_comes_out_of_it() {
    let app = unlimited().await;
    for path in ROUTES {
        let call = call(&app, path);
        let send = async |bytes: usize| {
            let request = call.request().header("content-encoding", "gzip");
            Answer::send(request.body(packed(&sized(path, bytes)))).await
        };
        let fits = send(LIMIT).await;
        assert!(matches!(fits.status, 200 | 202), "{path}: {}", fits.text);
        TOO_LARGE.is(&send(LIMIT + 1).await);
    }
    assert_eq!(stored(&app, "kind").await.len(), ROUTES.len() - 1);
    app.finish().await;
}

#[actix::test]
async fn a_body_in_chunks_has_the_same_limit() {
    let app = unlimited().await;
    for (bytes, size, expected) in [
        (LIMIT, 65_536, 200),
        (LIMIT, 1_000_003, 200),
        (LIMIT + 1, 65_536, 413),
        (LIMIT + 1, LIMIT + 1, 413),
        (8 * LIMIT, 65_536, 413),
    ] {
        let mut request = head(&app, "/track", "Transfer-Encoding: chunked\r\n");
        request.extend(chunked(&sized("/track", bytes), size));
        let answer = exchange(&app, request).await;
        assert_eq!(statuses(&answer), [expected], "{bytes} by {size}: {answer}");
    }
    assert_eq!(stored(&app, "name").await, ["n", "n"]);
    app.finish().await;
}

#[actix::test]
async fn a_body_without_an_end_is_cut_off() {
    let app = unlimited().await;
    let mut stream = raw::connect(&app);
    let head = head(&app, "/track", "Transfer-Encoding: chunked\r\n");
    let sent = tokio::task::spawn_blocking(move || {
        let mut reading = stream.try_clone().unwrap();
        let answer = std::thread::spawn(move || raw::read_all(&mut reading));
        assert!(raw::write_all(&mut stream, &head));
        let chunk = [b"10000\r\n", " ".repeat(65_536).as_bytes(), b"\r\n"].concat();
        // Endless, unless the server stops it.
        let sent = (0_u64..).take_while(|_| raw::write_all(&mut stream, &chunk));
        (sent.count(), answer.join().unwrap())
    });
    let (sent, answer) = sent.await.unwrap();
    assert!(sent > 32, "{sent} chunks were read");
    assert!(matches!(statuses(&answer)[..], [413]), "{answer}");
    assert!(stored(&app, "name").await.is_empty());
    app.finish().await;
}

#[actix::test]
async fn a_wrong_length_stores_nothing_that_was_not_whole() {
    let app = unlimited().await;
    let event = |name: &str| format!(r#"{{"name":"{name}"}}"#).into_bytes();
    let with = |headers: &str, body: &[u8]| [head(&app, "/track", headers), body.to_vec()].concat();
    let length = |length: usize| format!("Content-Length: {length}\r\n");

    // Longer than what comes: the client goes away in the middle.
    let short = event("short");
    let answer = exchange(&app, with(&length(short.len() + 1), &short)).await;
    assert!(matches!(statuses(&answer)[..], [400] | []), "{answer}");
    // Shorter: half an event is no event.
    let cut = event("cut");
    let answer = exchange(&app, with(&length(cut.len() - 1), &cut)).await;
    assert_eq!(statuses(&answer)[0], 400, "{answer}");
    // Exactly as long as the first of two.
    let first = event("first");
    let two = [first.clone(), event("second")].concat();
    let answer = exchange(&app, with(&length(first.len()), &two)).await;
    assert_eq!(statuses(&answer)[0], 200, "{answer}");
    assert_eq!(stored(&app, "name").await, ["first"]);
    app.finish().await;
}

#[actix::test]
async fn lengths_that_nobody_can_mean_are_refused_unread() {
    let app = unlimited().await;
    let body = r#"{"name":"n"}"#;
    for headers in [
        "Content-Length: -1\r\n",
        "Content-Length: +12\r\n",
        "Content-Length: 12, 12\r\n",
        "Content-Length: twelve\r\n",
        "Content-Length: 99999999999999999999999\r\n",
        "Content-Length: 12\r\nContent-Length: 13\r\n",
        "Content-Length: 12\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
    ] {
        let request = [head(&app, "/track", headers), body.as_bytes().to_vec()].concat();
        let answer = exchange(&app, request).await;
        let refused = statuses(&answer);
        assert!(
            matches!(refused[..], [400 | 413 | 501]),
            "{headers}: {answer}"
        );
    }
    assert!(stored(&app, "name").await.is_empty());
    app.finish().await;
}

#[actix::test]
async fn a_declared_length_over_the_limit_is_refused_before_the_body() {
    let app = unlimited().await;
    for length in ["2097153", "10000000000"] {
        let headers = format!("Content-Length: {length}\r\n");
        let answer = exchange(&app, head(&app, "/track", &headers)).await;
        assert_eq!(statuses(&answer), [413], "{answer}");
        let body: Value = serde_json::from_str(answer.rsplit("\r\n\r\n").next().unwrap()).unwrap();
        assert_eq!(body["code"], "PAYLOAD_TOO_LARGE");
    }
    app.finish().await;
}
