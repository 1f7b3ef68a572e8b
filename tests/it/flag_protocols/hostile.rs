//! Bodies and addresses that no client sends.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use serde_json::json;

use super::{BROWSERS, SERVERS, app, two_flags};
use crate::app::Answer;

#[actix::test]
async fn broken_bodies_are_refused_with_a_reason_and_bombs_are_not_unpacked() {
    let app = app().await;
    two_flags(&app).await;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![b' '; 32 << 20]).unwrap();
    let bomb = encoder.finish().unwrap();
    let bodies: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", Vec::new()),
        ("half an object", b"{\"token\":\"phc_test\",".to_vec()),
        ("a number", b"7".to_vec()),
        ("invalid UTF-8", b"{\"a\":\"\xff\"}".to_vec()),
        (
            "a hundred thousand brackets",
            format!("{{\"token\":\"phc_test\",\"a\":{}", "[".repeat(100_000)).into_bytes(),
        ),
        ("gzip that is cut off", b"\x1f\x8b\x08nonsense".to_vec()),
        ("a bomb", bomb),
    ];
    for (host, path, token) in [
        (&app.base, "/flags/", ""),
        (&app.track, "/decide/", ""),
        (&app.base, "/api/frontend", BROWSERS),
        (&app.base, "/api/client/metrics", SERVERS),
    ] {
        for (what, body) in &bodies {
            let request = app
                .http
                .post(format!("{host}{path}"))
                .header("content-type", "application/json");
            let answer =
                Answer::send(request.header("authorization", token).body(body.clone())).await;
            assert!(
                matches!(answer.status, 400 | 413),
                "{path} {what}: {} {}",
                answer.status,
                answer.text
            );
            assert!((2..8_192).contains(&answer.text.len()), "{path} {what}");
        }
    }
    app.finish().await;
}

#[actix::test]
async fn strange_contexts_are_answered() {
    let app = app().await;
    two_flags(&app).await;
    let long = "x".repeat(6_000);
    for query in [
        "?properties[",
        "?properties[]=x&properties[a][b]=y&=z",
        "?userId=%00%ff&userId=b",
        "?__proto__=x&constructor=y",
        &format!("?{}", "a=b&".repeat(1_000)),
        &format!("?userId={long}"),
    ] {
        let request = app.http.get(format!("{}/api/frontend{query}", app.base));
        let answer = request
            .header("authorization", BROWSERS)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200, "{query}");
    }
    for context in [
        json!(null),
        json!([]),
        json!({ "userId": {}, "properties": { "plan": { "a": 1 } } }),
    ] {
        let request = app
            .http
            .post(format!("{}/api/frontend", app.base))
            .header("authorization", BROWSERS);
        let answer = request
            .json(&json!({ "context": context }))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200, "{context}");
    }
    for field in [
        "distinct_id",
        "person_properties",
        "groups",
        "flag_keys_to_evaluate",
    ] {
        let body = json!({ "token": "phc_test", field: [{ "a": [] }, null] });
        let answer = app
            .post_anonymously(format!("{}/flags/?v=999999999999", app.base), &body)
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    app.finish().await;
}
