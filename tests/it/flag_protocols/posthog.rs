//! `PostHog`'s `/flags` and `/decide`, on both hosts.

use std::io::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

use super::{app, flag, two_flags};
use crate::app::{Answer, App};

async fn ask(app: &App, path: &str, body: &Value) -> Answer {
    app.post_anonymously(format!("{}{path}", app.base), body)
        .await
}

fn anna() -> Value {
    json!({ "token": "phc_test", "distinct_id": "anna", "person_properties": { "plan": "pro" } })
}

#[actix::test]
async fn every_format_that_clients_read_is_answered_on_both_hosts() {
    let app = app().await;
    two_flags(&app).await;
    flag(
        &app,
        json!({ "key": "staged", "type": "rollout", "rolloutPercentage": 0 }),
    )
    .await;
    flag(
        &app,
        json!({ "key": "elsewhere", "defaultValue": true, "environment": "test" }),
    )
    .await;
    for (name, path) in [
        ("details", "/flags/?v=2"),
        ("values", "/decide/?v=3"),
        ("list", "/decide/?v=1"),
    ] {
        let mut told = ask(&app, path, &anna()).await;
        assert_eq!(told.status, 200, "{}", told.text);
        assert_eq!(told.header("cache-control"), "private, no-store");
        let tracked = app
            .post_anonymously(format!("{}{path}", app.track), &anna())
            .await;
        for (field, value) in [("requestId", "…"), ("evaluatedAt", "…")] {
            assert!(!told.body[field].is_null(), "{field}");
            told.body[field] = json!(value);
        }
        for part in ["flags", "featureFlags", "featureFlagPayloads"] {
            assert_eq!(told.body[part], tracked.body[part], "{part}");
        }
        insta::assert_json_snapshot!(name, told.body);
    }
    let mut one = anna();
    one["flag_keys_to_evaluate"] = json!(["colour", "missing"]);
    let told = ask(&app, "/flags?v=4", &one).await;
    let keys: Vec<_> = told.body["flags"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["colour"]);
    app.finish().await;
}

#[actix::test]
async fn every_packing_is_understood() {
    let app = app().await;
    two_flags(&app).await;
    let plain = anna().to_string().into_bytes();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&plain).unwrap();
    let packed = encoder.finish().unwrap();
    let form = |bytes: &[u8]| {
        let data = STANDARD.encode(bytes);
        let data: String = url::form_urlencoded::byte_serialize(data.as_bytes()).collect();
        format!("data={data}").into_bytes()
    };
    for host in [&app.base, &app.track] {
        for (what, encoding, body) in [
            ("gzip", Some("gzip"), packed.clone()),
            ("bare gzip", None, packed.clone()),
            ("form", None, form(&plain)),
            ("packed form", None, form(&packed)),
        ] {
            let mut request = app
                .http
                .post(format!("{host}/flags/?v=2&compression=base64"));
            if let Some(encoding) = encoding {
                request = request.header("content-encoding", encoding);
            }
            let request = request.header("content-type", "text/plain").body(body);
            let told = Answer::send(request).await;
            assert_eq!(
                told.body["flags"]["banner"]["enabled"], true,
                "{what}: {}",
                told.text
            );
        }
    }
    app.finish().await;
}

#[actix::test]
async fn an_unknown_project_key_and_a_mistake_are_answered_as_clients_read_them() {
    let app = app().await;
    for body in [
        json!({ "token": "phc_other", "distinct_id": "anna" }),
        json!({ "distinct_id": "anna" }),
        json!({}),
    ] {
        let unknown = ask(&app, "/flags/?v=2", &body).await;
        assert_eq!(unknown.status, 401, "{}", unknown.text);
        assert_eq!(unknown.body["type"], "authentication_error");
        assert!(unknown.body["detail"].is_string());
    }
    let refused = ask(&app, "/flags/?v=2", &json!([])).await;
    assert_eq!(
        (refused.status, &refused.body["type"]),
        (400, &json!("validation_error"))
    );
    app.finish().await;
}
