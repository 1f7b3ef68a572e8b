//! Threat T20: what is packed may not become large in memory, and is packed once and with gzip.

use std::{io::Write as _, time::Duration};

use flate2::{Compression, write::GzEncoder};
use pharos::access::Scope;
use serde_json::json;

use super::{
    Call, ExpectedError, INVALID, LIMITED, NO_CREDENTIALS, NO_SCOPE, NO_WEBSITE, TOO_LARGE,
    refusal, stored, unlimited,
};
use crate::{
    app::{Answer, App},
    process::{pharos, set_up, start},
};

const LIMIT: usize = 2_097_152;
const UNKNOWN_ENCODING: ExpectedError = refusal(
    415,
    "Only gzip or no Content-Encoding is understood",
    "UNSUPPORTED_ENCODING",
);

fn packed(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// As many copies of a gzip member as the limit of a body allows.
fn repeated(member: &[u8]) -> Vec<u8> {
    member.repeat(LIMIT / member.len())
}

#[actix::test]
async fn one_layer_of_gzip_or_none() {
    let app = unlimited().await;
    let call = Call::server(&app, "/track");
    let plain = json!({ "name": "n" }).to_string().into_bytes();
    let send = async |encodings: &[&str], body: Vec<u8>| {
        let mut request = call.request();
        for encoding in encodings {
            request = request.header("content-encoding", *encoding);
        }
        Answer::send(request.body(body)).await
    };
    for (taken, body) in [
        (vec![], plain.clone()),
        (vec!["identity"], plain.clone()),
        (vec!["gzip"], packed(&plain)),
        (vec!["GZIP"], packed(&plain)),
        (vec!["x-gzip"], packed(&plain)),
    ] {
        assert_eq!(send(&taken, body).await.status, 200, "{taken:?}");
    }
    for refused in [
        vec!["br"],
        vec!["zstd"],
        vec!["deflate"],
        vec!["compress"],
        vec!["gzip, gzip"],
        vec!["gzip", "gzip"],
        vec!["br, gzip"],
        vec!["nonsense"],
    ] {
        let answer = send(&refused, packed(&packed(&plain))).await;
        UNKNOWN_ENCODING.is(&answer);
    }
    // Packed twice, declared once: what comes out is no JSON.
    let nested = send(&["gzip"], packed(&packed(&plain))).await;
    assert_eq!(INVALID.is(&nested)[0]["code"], "invalid_json");
    // Not packed at all, packed in part, and more behind it.
    let whole = packed(&plain);
    for body in [
        plain.clone(),
        Vec::new(),
        whole[..whole.len() - 4].to_vec(),
        [whole.clone(), b"x".to_vec()].concat(),
    ] {
        let answer = send(&["gzip"], body).await;
        assert_eq!(INVALID.is(&answer)[0]["code"], "invalid_gzip");
    }
    assert_eq!(stored(&app, "name").await, vec!["n"; 5]);
    app.finish().await;
}

/// Order of checks: who may not send, and who has sent too much, learns nothing of an encoding.
#[actix::test]
async fn an_encoding_is_refused_after_credentials_and_window() {
    let app = App::with("limits.track_requests = 10").await;
    let broken = [("br", packed(b"[]")), ("gzip", b"no gzip".to_vec())];
    let send = async |path: &str, key: Option<&str>, encoding: &str, body: &[u8]| {
        let request = app.http.post(format!("{}{path}", app.track));
        let request = request
            .header("content-encoding", encoding)
            .body(body.to_vec());
        Answer::send(match key {
            Some(key) => request.header("x-api-key", key),
            None => request,
        })
        .await
    };
    let reader = app.key_with(&[Scope::ReadData]).await;
    let routes = [
        "/track",
        "/",
        "/batch",
        "/vitals",
        "/errors",
        "/engagement",
        "/events",
        "/identify",
        "/ai-traffic",
    ];
    for (encoding, body) in &broken {
        for path in routes {
            eprintln!("{path} {encoding}");
            NO_CREDENTIALS.is(&send(path, None, encoding, body).await);
            NO_SCOPE.is(&send(path, Some(&reader), encoding, body).await);
            let unknown = format!("{path}?website_id=x");
            NO_WEBSITE.is(&send(&unknown, None, encoding, body).await);
            app.clock.advance(Duration::from_mins(1));
        }
        NO_CREDENTIALS.is(&send("/mcp", None, encoding, body).await);
        NO_SCOPE.is(&send("/mcp", Some(&reader), encoding, body).await);
    }
    let own = format!("/track?website_id={}", app.website);
    for number in 0..10 {
        let (encoding, body) = &broken[number % 2];
        let answer = send(&own, None, encoding, body).await;
        match *encoding {
            "br" => drop(UNKNOWN_ENCODING.is(&answer)),
            _ => assert_eq!(INVALID.is(&answer)[0]["code"], "invalid_gzip"),
        }
    }
    for (encoding, body) in &broken {
        LIMITED.is(&send(&own, None, encoding, body).await);
    }
    app.finish().await;
}

/// The largest memory the process has had, bytes.
fn peak(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<usize>()
        .unwrap()
        * 1_024
}

#[actix::test]
async fn a_bomb_takes_no_memory() {
    let data = tempfile::tempdir().unwrap();
    let made = set_up(data.path());
    let process = start(pharos(data.path())).await;
    let http = crate::web::client();
    let url = format!("{}/track?website_id={}", process.track, made.website);
    let send = async |body: &[u8], gzip: bool| {
        let request = http.post(&url).body(body.to_vec());
        Answer::send(if gzip {
            request.header("content-encoding", "gzip")
        } else {
            request
        })
        .await
    };
    // What bodies of legal size take is no bomb's doing.
    let mut legal = br#"{"name":"n"}"#.to_vec();
    legal.resize(LIMIT, b' ');
    for _ in 0..3 {
        assert_eq!(send(&legal, false).await.status, 200);
        assert_eq!(send(&packed(&legal), true).await.status, 200);
    }
    let megabyte = packed(&vec![b' '; 1_048_576]);
    let bombs = [
        // 64 MB in one member, 2 GB in two thousand, and a hundred thousand members of nothing.
        packed(&vec![0; 64 * 1_048_576]),
        repeated(&megabyte),
        repeated(&packed(b"")),
    ];
    let before = peak(process.child.id());
    for _ in 0..3 {
        TOO_LARGE.is(&send(&bombs[0], true).await);
        TOO_LARGE.is(&send(&bombs[1], true).await);
        INVALID.is(&send(&bombs[2], true).await);
    }
    // The kernel counts pages roughly, and what starts beside (tables of places and agents) takes some; the smallest bomb
    // is twice as large.
    let grown = peak(process.child.id()).saturating_sub(before);
    assert!(grown < 32 * 1_048_576, "memory grew by {grown} bytes");
    assert_eq!(send(br#"{"name":"n"}"#, false).await.status, 200);
}
