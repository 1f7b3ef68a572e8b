//! Bodies that no client sends: a clear answer in the protocol's words, and nothing is kept.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use serde_json::json;

use super::{custom, numbers, with};
use crate::app::{Answer, App};

/// A route of every protocol, with its media type.
const ROUTES: [&str; 9] = [
    "/api/event",
    "/api/send",
    "/api/batch",
    "/batch/",
    "/e/",
    "/v1/batch",
    "/v1/track",
    "/matomo.php",
    "/mp/collect?measurement_id=G-TEST",
];

async fn app() -> App {
    with(json!([
        { "protocol": "plausible", "id": "id" }, { "protocol": "umami", "id": "id" },
        { "protocol": "posthog", "id": "id" }, { "protocol": "segment", "id": "id" },
        { "protocol": "matomo", "id": "id" }, { "protocol": "ga4", "id": "G-TEST" },
    ]))
    .await
}

async fn send(app: &App, path: &str, encoding: Option<&str>, body: Vec<u8>) -> Answer {
    let mut request = app.http.post(format!("{}{path}", app.track));
    if path.starts_with("/v1/") {
        request = request.basic_auth("id", Some(""));
    }
    if let Some(encoding) = encoding {
        request = request.header("content-encoding", encoding);
    }
    let request = request.header("content-type", "application/json");
    Answer::send(request.body(body)).await
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[actix::test]
async fn broken_bodies_are_refused_with_a_reason() {
    let app = app().await;
    let deep = |open: &str, levels: usize| format!("{{\"a\":{}", open.repeat(levels)).into_bytes();
    for path in ROUTES {
        for (what, body) in [
            ("nothing", b"{".to_vec()),
            (
                "a list of nothing",
                b"{\"batch\":[null],\"requests\":[null],\"events\":[null],\"client_id\":1}"
                    .to_vec(),
            ),
            (
                "half an object",
                b"{\"api_key\":\"id\",\"batch\":[{\"event\":".to_vec(),
            ),
            ("more behind it", b"{} {}".to_vec()),
            ("invalid UTF-8", b"{\"n\":\"\xff\xfe\"}".to_vec()),
            ("a lone surrogate", br#"{"n":"\ud800"}"#.to_vec()),
            ("a hundred thousand brackets", deep("[", 100_000)),
            ("gzip that is none", b"\x1f\x8b\x08nonsense".to_vec()),
            (
                "gzip that is cut off",
                packed(b"{\"api_key\":\"id\"}")[..20].to_vec(),
            ),
        ] {
            let answer = send(&app, path, None, body).await;
            assert!(
                matches!(answer.status, 400 | 401),
                "{path} {what}: {}",
                answer.text
            );
            assert!((2..8_192).contains(&answer.text.len()), "{path} {what}");
        }
    }
    assert_eq!(numbers(&app).await, [0, 0, 0]);
    assert!(custom(&app).await.is_empty());
    app.finish().await;
}

#[actix::test]
async fn bombs_and_unknown_encodings_are_refused_however_they_are_wrapped() {
    let app = app().await;
    let bomb = packed(&vec![b' '; 8 * 1_024 * 1_024]);
    for path in ROUTES {
        for encoding in [None, Some("gzip")] {
            let answer = send(&app, path, encoding, bomb.clone()).await;
            assert_eq!(answer.status, 413, "{path} {encoding:?}: {}", answer.text);
        }
        let twice = send(&app, path, Some("gzip"), packed(&bomb)).await;
        assert_eq!(twice.status, 400, "{path}: {}", twice.text);
        let unknown = send(&app, path, Some("br"), b"{}".to_vec()).await;
        assert_eq!(unknown.status, 415, "{path}: {}", unknown.text);
        let long = send(&app, path, None, vec![b'x'; 3 * 1_024 * 1_024]).await;
        assert_eq!(long.status, 413, "{path}: {}", long.text);
    }
    app.finish().await;
}

#[actix::test]
async fn so_many_persons_are_too_many_and_large_properties_are_too_large() {
    let app = app().await;
    let person = |n: usize| json!({ "type": "identify", "userId": format!("user-{n}"), "traits": { "n": n } });
    let body = json!({ "batch": (0..101).map(person).collect::<Vec<_>>() });
    let refused = send(&app, "/v1/batch", None, body.to_string().into_bytes()).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    let large =
        json!({ "userId": "user-1", "event": "x", "properties": { "k": "x".repeat(40_000) } });
    let refused = send(&app, "/v1/track", None, large.to_string().into_bytes()).await;
    assert_eq!(refused.status, 413, "{}", refused.text);
    let keys: serde_json::Map<_, _> = (0..80).map(|n| (format!("k{n}"), json!(n))).collect();
    let many = json!({ "userId": "user-1", "event": "x", "properties": keys });
    let taken = send(&app, "/v1/track", None, many.to_string().into_bytes()).await;
    assert_eq!(taken.status, 200, "{}", taken.text);
    assert!(super::people(&app).await.as_array().unwrap().len() <= 1);
    app.finish().await;
}
