//! The routes beside the five main ones: engagement, the older form, tool calls, the image.

use super::*;

const SPAN: &str = r#"{"timestamp": 1800000000000, "path": "/a", "pageIndex": 1, "exitType": "unload", "timeOnPage": 9,
    "activeTime": 4, "maxScrollDepth": 50, "scrollCount": 1, "clickCount": 2, "keyCount": 3, "interactionCount": 5,
    "copyCount": 0, "rageClickCount": 0, "deadClickCount": 0, "formFieldCount": 0, "formSubmitCount": 0,
    "errorCount": 0}"#;

#[actix::test]
async fn spans_and_older_events_are_stored() {
    let app = TestApp::open().await;
    let send = async |path: &str, body: Value| app.track(&app.path(path), &[], &body).await;
    let span: Value = serde_json::from_str(SPAN).unwrap();
    let answer = send("/engagement?client_id=ID", json!([span])).await;
    assert_eq!(
        answer.json(),
        json!({"status": "success", "type": "engagement", "count": 1})
    );
    let old = json!([{"timestamp": NOW, "path": "/a", "eventName": "old"}]);
    let answer = send("/events?client_id=ID", old).await;
    assert_eq!(
        answer.json(),
        json!({"status": "success", "type": "custom_event", "count": 1})
    );
    assert_eq!(app.stored("name").await, ["engagement", "old"]);
    assert_eq!(app.stored("clicks IS NULL").await, ["false", "true"]);
    app.close().await;
}

#[actix::test]
async fn tool_calls_need_a_key_that_may_track() {
    let app = TestApp::open().await;
    let id = app.website();
    let body = json!([{"tool": "a", "durationMs": 1, "websiteId": id.as_str()}, {"tool": "b", "durationMs": 2}]);
    let key = app.key();
    let answer = app.track("/mcp", &[("x-api-key", &key)], &body).await;
    assert_eq!(
        (answer.status.as_u16(), answer.json()),
        (202, json!({"status": "success", "count": 2}))
    );
    let anonymous = app.track(&app.path("/mcp?website_id=ID"), &[], &body).await;
    assert_eq!(anonymous.code(), (401, "AUTH_REQUIRED".into()));
    let reader = app.key_with(&[Scope::ReadData]).await;
    let refused = app.track("/mcp", &[("x-api-key", &reader)], &body).await;
    assert_eq!(refused.code(), (403, "MISSING_SCOPE".into()));
    assert_eq!(app.stored("website = 0").await, ["false", "true"]);
    assert_eq!(app.stored("name").await, ["a", "b"]);
    app.close().await;
}

#[actix::test]
async fn the_image_is_the_answer_whatever_happens() {
    let app = TestApp::open().await;
    let good = "/px.jpg?client_id=ID&eventId=e&name=screen_view&path=http%3A%2F%2Flocalhost%2Fa";
    for (path, headers) in [
        (good, vec![]),
        (good, vec![("user-agent", "Googlebot/2.1")]),
        (good, vec![("x-api-key", "svc_nonsense")]),
        (good, vec![("origin", "https://evil.example")]),
        ("/px.jpg", vec![]),
        ("/px.jpg?client_id=x", vec![]),
        ("/px.jpg?client_id=ID&type=purchase", vec![]),
    ] {
        let mut request = TestRequest::get().uri(&app.path(path));
        for header in headers {
            request = request.append_header(header);
        }
        let answer = app.send(Host::Track, request).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(
            (
                answer.header("content-type"),
                answer.header("cache-control")
            ),
            ("image/gif", "no-store")
        );
        assert!(!answer.header("x-request-id").is_empty());
        assert!(answer.body.starts_with(b"GIF89a\x01\0\x01\0"), "{path}");
    }
    assert_eq!(app.stored("name").await, ["screen_view"]);
    app.close().await;
}
