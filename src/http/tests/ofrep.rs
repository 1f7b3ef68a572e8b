//! The Open Feature Remote Evaluation Protocol, as its clients see it.

use serde_json::{Value, json};

use super::harness::{Answer, TestApp};

async fn create_flag(app: &TestApp, fields: Value) {
    let mut body = json!({"websiteId": app.website().as_str()});
    let Value::Object(fields) = fields else {
        panic!("fields are an object");
    };
    body.as_object_mut().unwrap().extend(fields);
    let key = app.key();
    let answer = app
        .post("/flags/create", &[("x-api-key", &key)], body)
        .await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
}

fn path(app: &TestApp, rest: &str) -> String {
    let client = app.website();
    format!(
        "/public/v1/flags/{}/ofrep/v1/evaluate/flags{rest}",
        client.as_str()
    )
}

async fn single(app: &TestApp, key: &str, context: Value) -> Answer {
    let body = json!({ "context": context });
    app.post(&path(app, &format!("/{key}")), &[], body).await
}

async fn bulk(app: &TestApp, known: &str, context: Value) -> Answer {
    let body = json!({ "context": context });
    app.post(&path(app, ""), &[("if-none-match", known)], body)
        .await
}

#[actix::test]
async fn one_flag_is_told_in_the_protocols_words() {
    let app = TestApp::open().await;
    let weighted = json!([
        {"key": "one", "value": 1.0, "type": "number", "weight": 0},
        {"key": "two", "value": 2.0, "type": "number", "weight": 100},
    ]);
    create_flag(&app, json!({"key": "price", "type": "multivariant", "variants": weighted, "payload": {"a": 1, "b": [2]}})).await;
    create_flag(
        &app,
        json!({"key": "half", "type": "rollout", "rolloutPercentage": 50}),
    )
    .await;
    let rules =
        json!([{"type": "property", "field": "plan", "operator": "equals", "value": "pro"}]);
    create_flag(&app, json!({"key": "pro", "rules": rules})).await;
    let price = single(&app, "price", json!({"targetingKey": "u"})).await;
    let expected = json!({
        "key": "price", "value": 2.0, "reason": "SPLIT", "variant": "two",
        "metadata": {"reason": "MULTIVARIANT_EVALUATED", "payload.a": 1},
    });
    assert_eq!(price.json(), expected);
    // Clients of other languages distinguish 2.0 from 2.
    assert!(String::from_utf8_lossy(&price.body).contains("2.0"));
    let pro = single(&app, "pro", json!({"targetingKey": "u", "plan": "pro"}))
        .await
        .json();
    assert_eq!(
        (&pro["value"], &pro["reason"], &pro["variant"]),
        (&json!(true), &json!("TARGETING_MATCH"), &json!("on"))
    );
    for (key, body, status, code) in [
        (
            "nobody",
            json!({"context": {"targetingKey": "u"}}),
            404,
            "FLAG_NOT_FOUND",
        ),
        ("half", json!({"context": {}}), 400, "TARGETING_KEY_MISSING"),
        ("pro", json!({"context": []}), 400, "INVALID_CONTEXT"),
        ("pro", json!({}), 400, "INVALID_CONTEXT"),
    ] {
        let answer = app.post(&path(&app, &format!("/{key}")), &[], body).await;
        let body = answer.json();
        assert_eq!(
            (answer.status.as_u16(), &body["errorCode"]),
            (status, &json!(code))
        );
        assert_eq!(body["key"], key);
        assert!(body["errorDetails"].is_string() && body.get("value").is_none());
    }
    app.close().await;
}

#[actix::test]
async fn an_answer_that_is_known_is_not_sent_again_until_it_changes() {
    let app = TestApp::open().await;
    create_flag(&app, json!({"key": "b", "defaultValue": true})).await;
    create_flag(
        &app,
        json!({"key": "a", "type": "rollout", "rolloutPercentage": 50}),
    )
    .await;
    let one = json!({"targetingKey": "u", "plan": {"x": 1, "y": 2}});
    let first = bulk(&app, "", one.clone()).await;
    let keys = first.json();
    let keys: Vec<_> = keys["flags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|flag| flag["key"].clone())
        .collect();
    assert_eq!(keys, ["a", "b"], "always in one order");
    let tag = first.header("etag").to_owned();
    let same = json!({"plan": {"y": 2, "x": 1}, "targetingKey": "u"});
    let again = bulk(&app, &tag, same).await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    let other = bulk(&app, &tag, json!({"targetingKey": "v"})).await;
    assert_eq!(other.status, 200);
    create_flag(&app, json!({"key": "c"})).await;
    let changed = bulk(&app, &tag, one).await;
    assert_eq!(
        (
            changed.status.as_u16(),
            changed.json()["flags"].as_array().unwrap().len()
        ),
        (200, 3)
    );
    // One that cannot be decided does not keep the others.
    let nobody = bulk(&app, "", json!({})).await.json();
    assert_eq!(nobody["flags"][0]["errorCode"], "TARGETING_KEY_MISSING");
    assert_eq!(nobody["flags"][1]["value"], true);
    assert!(
        nobody["eventStreams"][0]["endpoint"]["requestUri"]
            .as_str()
            .unwrap()
            .starts_with('/')
    );
    app.close().await;
}
