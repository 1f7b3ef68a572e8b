//! Packed bodies on `{base_url}`: one layer of gzip is understood everywhere, anything else is 415, and neither is told to
//! who may not ask. Ingestion: [`ingestion::bombs`](crate::ingestion).

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

use crate::app::{Answer, App};

const LIMIT: usize = 2_097_152;

fn packed(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

async fn send(app: &App, path: &str, key: Option<&str>, encoding: &str, body: Vec<u8>) -> Answer {
    let request = app.http.post(format!("{}{path}", app.base));
    let request = request
        .header("content-type", "application/json")
        .header("content-encoding", encoding)
        .body(body);
    Answer::send(match key {
        Some(key) => request.header("x-api-key", key),
        None => request,
    })
    .await
}

/// A route of each kind, with a body that it takes.
fn routes(app: &App) -> [(String, Value); 6] {
    let query = json!({ "parameters": ["summary_totals"], "preset": "today" });
    let flags = json!({ "clientId": app.website });
    [
        (
            format!("/v1/query?website_id={}", app.website),
            query.clone(),
        ),
        (
            format!("/v1/query/compile?website_id={}", app.website),
            query,
        ),
        ("/websites/list".to_owned(), json!({})),
        ("/rpc/websites/list".to_owned(), json!({ "json": {} })),
        ("/public/v1/flags/bulk".to_owned(), flags),
        (
            "/v1/mcp".to_owned(),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }),
        ),
    ]
}

#[actix::test]
async fn every_route_understands_gzip_and_refuses_every_other_packing() {
    let app = App::spawn().await;
    let key = Some(app.key.as_str());
    for (path, body) in routes(&app) {
        let plain = body.to_string().into_bytes();
        for (encoding, sent) in [
            ("identity", plain.clone()),
            ("gzip", packed(&plain)),
            ("x-gzip", packed(&plain)),
        ] {
            let answer = send(&app, &path, key, encoding, sent).await;
            assert_eq!(answer.status, 200, "{path} {encoding}: {}", answer.text);
        }
        for encoding in ["br", "deflate", "zstd", "gzip, gzip", "nonsense"] {
            let answer = send(&app, &path, key, encoding, plain.clone()).await;
            assert_eq!(answer.status, 415, "{path} {encoding}: {}", answer.text);
            let code = answer
                .body
                .pointer("/json/code")
                .unwrap_or(&answer.body["code"]);
            assert_eq!(*code, "UNSUPPORTED_ENCODING", "{path}: {}", answer.text);
        }
        let whole = packed(&plain);
        for broken in [plain.clone(), whole[..whole.len() - 4].to_vec()] {
            let answer = send(&app, &path, key, "gzip", broken).await;
            assert_eq!(answer.status, 400, "{path}: {}", answer.text);
        }
    }
    let named = json!({ "name": "Packed", "domain": "packed.example" });
    let made = send(
        &app,
        "/websites/create",
        key,
        "gzip",
        packed(named.to_string().as_bytes()),
    )
    .await;
    assert_eq!(
        (made.status, &made.body["name"]),
        (200, &json!("Packed")),
        "{}",
        made.text
    );
    app.finish().await;
}

#[actix::test]
async fn what_comes_out_has_the_limit_of_a_body() {
    let app = App::spawn().await;
    let mut body = json!({ "parameters": ["summary_totals"], "preset": "today" })
        .to_string()
        .into_bytes();
    let path = format!("/v1/query?website_id={}", app.website);
    body.resize(LIMIT, b' ');
    let fits = send(&app, &path, Some(&app.key), "gzip", packed(&body)).await;
    assert_eq!(fits.status, 200, "{}", fits.text);
    body.push(b' ');
    let bomb = packed(&vec![b' '; 64 * 1_048_576]);
    for large in [packed(&body), bomb] {
        let answer = send(&app, &path, Some(&app.key), "gzip", large).await;
        assert_eq!(answer.status, 413, "{}", answer.text);
    }
    app.finish().await;
}

#[actix::test]
async fn an_encoding_is_judged_after_the_key_and_the_window() {
    let app = App::with("limits.query_requests = 1").await;
    let path = format!("/v1/query?website_id={}", app.website);
    for (encoding, body) in [("br", b"[]".to_vec()), ("gzip", b"no gzip".to_vec())] {
        let unknown = send(&app, &path, Some("svc_nonsense"), encoding, body.clone()).await;
        assert_eq!(unknown.status, 401, "{}", unknown.text);
    }
    let first = send(&app, &path, Some(&app.key), "br", b"[]".to_vec()).await;
    assert_eq!(first.status, 415, "{}", first.text);
    for encoding in ["br", "gzip"] {
        let full = send(&app, &path, Some(&app.key), encoding, b"[]".to_vec()).await;
        assert_eq!(full.status, 429, "{}", full.text);
    }
    app.finish().await;
}
