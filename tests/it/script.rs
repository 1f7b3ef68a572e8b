//! The tracker script as browsers and caches meet it.

use std::io::Read as _;

use reqwest::{Method, header};

use crate::app::{Answer, App, settings};

const BUILT: &str = include_str!("../../tracker/dist/pharos.js");
/// What the script may weigh on the way to a visitor.
const MAX: usize = 5 * 1024;

async fn load(app: &App, path: &str, headers: &[(&str, &str)]) -> (Answer, Vec<u8>) {
    let mut request = app.http.get(format!("{}{path}", app.track));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await.unwrap();
    let answer = Answer {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: serde_json::Value::Null,
        text: String::new(),
    };
    (answer, response.bytes().await.unwrap().to_vec())
}

fn unpacked(packed: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed)
        .read_to_string(&mut text)
        .unwrap();
    text
}

#[actix::test]
async fn the_script_is_the_built_file_under_both_names_and_one_of_the_operators_choice() {
    let app = App::with("server.tracker_path = \"/assets/site.js\"").await;
    for path in ["/pharos.js", "/databuddy.js", "/assets/site.js"] {
        let (answer, body) = load(&app, path, &[("origin", "https://shop.example")]).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(body, BUILT.as_bytes(), "{path}");
        for (name, value) in [
            ("content-type", "text/javascript; charset=utf-8"),
            ("x-content-type-options", "nosniff"),
            ("access-control-allow-origin", "*"),
            ("cross-origin-resource-policy", "cross-origin"),
            ("vary", "Accept-Encoding"),
            (
                "cache-control",
                "public, max-age=3600, stale-while-revalidate=86400",
            ),
        ] {
            assert_eq!(answer.header(name), value, "{path}");
        }
        // A cache that keeps the answer for everybody must not keep anybody's permission.
        assert_eq!(answer.header("access-control-allow-credentials"), "");
    }
    let (answer, _) = load(&app, "/other.js", &[]).await;
    assert_eq!(answer.status, 404);
    let refused = app.http.post(format!("{}/assets/site.js", app.track));
    assert_eq!(refused.send().await.unwrap().status(), 405);
    app.finish().await;
}

#[actix::test]
async fn it_travels_packed_in_five_kilobytes_and_is_not_sent_to_who_has_it() {
    let app = App::spawn().await;
    let (plain, _) = load(&app, "/pharos.js", &[]).await;
    let (packed, body) = load(
        &app,
        "/pharos.js",
        &[("accept-encoding", "br, gzip;q=0.8, *;q=0")],
    )
    .await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    assert_eq!(packed.header("content-type"), plain.header("content-type"));
    assert_eq!(unpacked(&body), BUILT);
    assert!(body.len() <= MAX, "{} bytes", body.len());
    for refused in ["gzip;q=0", "br", "identity", ""] {
        let (answer, body) = load(&app, "/pharos.js", &[("accept-encoding", refused)]).await;
        assert_eq!(answer.header("content-encoding"), "", "{refused:?}");
        assert_eq!(body, BUILT.as_bytes());
    }

    let (plain_tag, packed_tag) = (plain.header("etag"), packed.header("etag"));
    assert!(
        plain_tag.starts_with('"') && packed_tag.starts_with('"') && plain_tag != packed_tag,
        "strong tags name bytes: {plain_tag} {packed_tag}"
    );
    for (encoding, known, status) in [
        ("identity", plain_tag.to_owned(), 304),
        ("gzip", packed_tag.to_owned(), 304),
        ("gzip", format!("\"other\", W/{packed_tag}"), 304),
        ("gzip", "*".to_owned(), 304),
        ("gzip", plain_tag.to_owned(), 200),
        ("identity", "\"other\"".to_owned(), 200),
    ] {
        let headers = [("accept-encoding", encoding), ("if-none-match", &known)];
        let (answer, body) = load(&app, "/databuddy.js", &headers).await;
        assert_eq!(answer.status, status, "{encoding} {known}");
        assert_eq!(body.is_empty(), status == 304, "{encoding} {known}");
        let tag = if encoding == "gzip" {
            packed_tag
        } else {
            plain_tag
        };
        assert_eq!(answer.header("etag"), tag);
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(answer.header("vary"), "Accept-Encoding");
    }

    let head = app
        .http
        .request(Method::HEAD, format!("{}/pharos.js", app.track));
    let head = head.send().await.unwrap();
    assert_eq!(head.status(), 200);
    assert_eq!(head.headers()[header::ETAG], plain_tag);
    assert_eq!(
        head.headers()[header::CONTENT_LENGTH],
        BUILT.len().to_string()
    );
    app.finish().await;
}

#[actix::test]
async fn a_path_where_events_are_taken_in_is_refused_at_the_start() {
    for taken in ["/track", "/batch", "/health"] {
        let directory = tempfile::tempdir().unwrap();
        let settings = settings(&directory, &format!("server.tracker_path = \"{taken}\""));
        let started = pharos::platform::Platform::start(settings, pharos::clock::Clock::system());
        let said = format!("{:#}", Box::pin(started).await.err().expect("it started"));
        assert!(said.contains("server.tracker_path"), "{said}");
    }
}
