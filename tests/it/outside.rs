//! What strangers see: corners of the outside that scripts, proxies and browsers run into.

use reqwest::Method;
use serde_json::json;

use crate::app::{Answer, App};

async fn names(app: &App) -> usize {
    app.rows("custom_events").await.len()
}

#[actix_web::test]
async fn every_options_on_the_tracking_host_is_204() {
    let app = App::spawn().await;
    for path in ["/track", "/batch", "/nowhere"] {
        let request = app
            .http
            .request(Method::OPTIONS, format!("{}{path}", app.track));
        let bare = Answer::send(request.try_clone().unwrap()).await;
        assert_eq!((bare.status, bare.text.as_str()), (204, ""), "{path}");
        assert!(!bare.header("x-request-id").is_empty());
        let with_origin = Answer::send(request.header("origin", "https://shop.example")).await;
        assert_eq!(with_origin.status, 204);
        let allowed = with_origin.header("access-control-allow-origin");
        assert_eq!(allowed, "https://shop.example");
    }
    let elsewhere = app
        .http
        .request(Method::OPTIONS, format!("{}/v1/query", app.base));
    assert_eq!(Answer::send(elsewhere).await.status, 405);
    app.finish().await;
}

#[actix_web::test]
async fn who_opted_out_is_not_counted() {
    let app = App::with("ingest.honour_dnt = true").await;
    let page = json!({ "name": "screen_view", "eventId": "e", "path": "https://localhost/a" });
    let vital = json!([{
        "timestamp": crate::app::NOW, "path": "https://localhost/a", "metricName": "LCP", "metricValue": 1,
    }]);
    let routes = [
        (
            format!("/track?website_id={}", app.website),
            json!({ "name": "opted out" }),
        ),
        (format!("/?client_id={}", app.website), page.clone()),
        (format!("/batch?client_id={}", app.website), json!([page])),
        (format!("/vitals?client_id={}", app.website), vital),
    ];
    for (path, body) in &routes {
        for header in ["sec-gpc", "dnt"] {
            let request = app
                .http
                .post(format!("{}{path}", app.track))
                .header(header, "1");
            let answer = Answer::send(request.json(body)).await;
            assert_eq!(answer.status, 200, "{path}");
            assert_eq!(
                answer.body,
                json!({ "status": "ignored" }),
                "{path} {header}"
            );
        }
    }
    assert_eq!(names(&app).await, 0);
    assert!(app.rows("top_pages").await.is_empty());
    assert!(app.rows("vitals_overview").await.is_empty());

    let by_key = app
        .http
        .post(format!("{}/track", app.track))
        .header("sec-gpc", "1");
    let by_key = by_key.header("x-api-key", &app.key);
    let answer =
        Answer::send(by_key.json(&json!({ "name": "server", "websiteId": app.website }))).await;
    assert_eq!(
        answer.body["count"], 1,
        "a server's header is not a visitor's"
    );
    assert_eq!(names(&app).await, 1);
    app.finish().await;
}

#[actix_web::test]
async fn an_input_that_is_no_object_is_refused_without_our_names() {
    let app = App::spawn().await;
    for (path, body) in [
        ("/websites/getById", json!([app.website])),
        ("/rpc/websites/getById", json!({ "json": [app.website] })),
        ("/websites/list", json!(null)),
    ] {
        let answer = app.post(format!("{}{path}", app.base), &body).await;
        assert_eq!(answer.status, 400, "{path}");
        assert!(
            answer.text.contains("the input must be an object"),
            "{}",
            answer.text
        );
        assert!(!answer.text.contains("struct"), "{}", answer.text);
    }
    app.finish().await;
}

#[actix_web::test]
async fn a_failed_member_of_a_batch_keeps_what_it_said() {
    let app = App::spawn().await;
    let batch = json!([
        { "id": "a", "parameters": ["top_page"], "preset": "today", "page": 3, "limit": 7 },
        { "id": "b", "parameters": ["top_pages"], "preset": "today" },
    ]);
    let answer = app.post(app.query_url(), &batch).await;
    let failed = &answer.body["results"][0];
    assert_eq!(
        (&failed["queryId"], &failed["success"]),
        (&json!("a"), &json!(false))
    );
    assert_eq!(failed["data"], json!([]));
    assert_eq!(
        (&failed["meta"]["page"], &failed["meta"]["limit"]),
        (&json!(3), &json!(7))
    );
    assert_eq!(answer.body["results"][1]["data"][0]["success"], true);
    app.finish().await;
}

#[actix_web::test]
async fn a_gzip_body_of_several_members_is_read_to_its_end() {
    use std::io::Write as _;
    let app = App::spawn().await;
    let member = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let site = format!(", \"websiteId\": \"{}\"}}", app.website);
    let whole = [member("{\"name\": \"first\""), member(&site)].concat();
    let hidden = [
        member(&format!("{{\"name\": \"second\"{site}")),
        b"{}".to_vec(),
    ]
    .concat();
    for (body, status) in [(whole, 200), (hidden, 400)] {
        let request = app.http.post(format!("{}/track", app.track)).body(body);
        let request = request
            .header("content-encoding", "gzip")
            .header("x-api-key", &app.key);
        assert_eq!(Answer::send(request).await.status, status);
    }
    let rows = app.rows("custom_events").await;
    assert_eq!(rows.len(), 1, "nothing of a refused body is kept");
    assert_eq!(rows[0]["name"], "first");
    app.finish().await;
}

#[test]
fn a_taken_address_says_what_to_do() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let directory = tempfile::tempdir().unwrap();
    let ended = std::process::Command::new(crate::process::binary())
        .current_dir(directory.path())
        .env("PHAROS__SERVER__API_LISTEN", &address)
        .env("PHAROS__LOG__LEVEL", "off")
        .output()
        .unwrap();
    let told = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert!(
        told.starts_with(&format!("error: cannot listen on {address}: ")),
        "{told}"
    );
    assert!(told.contains("\nhint: stop what listens there"), "{told}");
    assert!(ended.stdout.is_empty(), "nothing was set up");
}
