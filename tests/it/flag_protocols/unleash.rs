//! Unleash's client API and frontend API.

use serde_json::{Value, json};

use super::{BROWSERS, SERVERS, app, flag, get, post, two_flags};
use crate::app::{Answer, App};

/// Names of the features, and why others are left out.
async fn features(app: &App, token: &str) -> (Vec<String>, Value) {
    let told = get(app, "/api/client/features", token).await;
    assert_eq!(told.status, 200, "{}", told.text);
    let all = told.body["features"].as_array().unwrap().iter();
    let names = all.map(|one| one["name"].as_str().unwrap().to_owned());
    let left_out = told.body["leftOut"].as_array().unwrap().iter();
    let reasons = left_out.map(|one| {
        (
            one["name"].as_str().unwrap().to_owned(),
            one["reason"].clone(),
        )
    });
    (names.collect(), Value::Object(reasons.collect()))
}

/// Names of the flags that are on.
async fn toggles(app: &App, context: Value) -> Vec<String> {
    let all = super::toggles(app, &context).await;
    all.iter()
        .map(|one| one["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Id and time of an answer aside.
fn said(answer: &Answer) -> Value {
    let mut body = answer.body.clone();
    body["requestId"] = Value::Null;
    body
}

#[actix::test]
async fn an_unknown_token_and_one_for_something_else_are_refused_in_the_same_words() {
    let app = app().await;
    two_flags(&app).await;
    let unknown = get(&app, "/api/client/features", "*:default.other").await;
    assert_eq!(unknown.status, 401, "{}", unknown.text);
    let none = Answer::send(app.http.get(format!("{}/api/client/features", app.base))).await;
    for refused in [
        none,
        // A token of browsers reads no rules.
        get(&app, "/api/client/features", BROWSERS).await,
        get(&app, "/api/client/features", "phc_test").await,
        get(&app, "/api/frontend", "*:default.other").await,
        get(&app, "/api/frontend", "phc_test").await,
        post(&app, "/api/frontend", "", &json!({})).await,
        post(&app, "/api/client/metrics", BROWSERS, &json!({})).await,
        post(&app, "/api/client/register", &app.website, &json!({})).await,
        post(&app, "/api/frontend/client/metrics", "x", &json!({})).await,
    ] {
        assert_eq!((refused.status, said(&refused)), (401, said(&unknown)));
    }
    assert_eq!(get(&app, "/api/frontend", SERVERS).await.status, 200);
    // Nothing is open for a website that has let go of its tokens.
    let body = json!({ "id": app.website, "compatibility": [] });
    app.post(format!("{}/websites/update", app.base), &body)
        .await;
    assert_eq!(get(&app, "/api/client/features", SERVERS).await.status, 401);
    assert_eq!(get(&app, "/api/frontend", BROWSERS).await.status, 401);
    app.finish().await;
}

#[actix::test]
async fn guesses_of_tokens_share_one_window() {
    let app = App::with("limits.flags_requests = 3").await;
    super::enable(&app).await;
    for guess in ["a", "b", "c"] {
        assert_eq!(get(&app, "/api/client/features", guess).await.status, 401);
    }
    let refused = get(&app, "/api/frontend", "d").await;
    assert_eq!(refused.status, 429, "{}", refused.text);
    assert!(!refused.header("retry-after").is_empty());
    assert_eq!(get(&app, "/api/client/features", SERVERS).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn what_clients_would_decide_otherwise_is_left_out_with_the_reason_and_decided_by_the_server()
{
    let app = app().await;
    two_flags(&app).await;
    let rule = |rule: Value| json!([rule]);
    for (key, fields) in [
        (
            "own-buckets",
            json!({ "type": "rollout", "rolloutPercentage": 50 }),
        ),
        (
            "everyone",
            json!({ "type": "rollout", "rolloutPercentage": 100 }),
        ),
        (
            "number",
            json!({ "rules": rule(json!({ "type": "property", "field": "age", "operator": "greater_than", "value": 5 })) }),
        ),
        (
            "country",
            json!({ "rules": rule(json!({ "type": "country", "operator": "equals", "value": "DE" })) }),
        ),
        (
            "spaces",
            json!({ "rules": rule(json!({ "type": "property", "field": "plan", "operator": "equals", "value": " pro" })) }),
        ),
        (
            "typed",
            json!({ "rules": rule(json!({ "type": "property", "field": "plan", "operator": "equals", "value": 5 })) }),
        ),
        (
            "reserved",
            json!({ "rules": rule(json!({ "type": "property", "field": "toString", "operator": "exists" })) }),
        ),
        (
            "not-among",
            json!({ "bucketing": "unleash", "rules": rule(json!({ "type": "percentage", "value": 5, "enabled": false })) }),
        ),
        (
            "pattern",
            json!({ "rules": rule(json!({ "type": "property", "field": "plan", "operator": "matches", "value": "^p" })) }),
        ),
    ] {
        let mut body = json!({ "key": key });
        body.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        flag(&app, body).await;
    }
    let (names, left_out) = features(&app, SERVERS).await;
    assert_eq!(names, ["banner", "colour", "everyone"]);
    insta::assert_json_snapshot!(left_out);
    let on = toggles(
        &app,
        json!({ "userId": "anna", "properties": { "plan": "pro", "age": "7" } }),
    )
    .await;
    assert!(
        ["banner", "colour", "everyone", "number", "pattern"]
            .iter()
            .all(|key| on.iter().any(|one| one == key)),
        "{on:?}"
    );
    // What the console shows.
    let listed = app
        .post(
            format!("{}/flags/list", app.base),
            &json!({ "websiteId": app.website }),
        )
        .await;
    for one in listed.body.as_array().unwrap() {
        let told = app
            .post(
                format!("{}/flags/compatibility", app.base),
                &json!({ "id": one["id"] }),
            )
            .await;
        let reason = &left_out[one["key"].as_str().unwrap()];
        assert_eq!(
            told.body[0],
            json!({ "protocol": "unleash", "evaluatedByClients": reason.is_null(), "reason": reason })
        );
    }
    app.finish().await;
}

#[actix::test]
async fn a_flag_is_the_same_by_query_and_by_body_and_says_when_nothing_has_changed() {
    let app = app().await;
    two_flags(&app).await;
    let asked = "/api/frontend?userId=anna&properties%5Bplan%5D=pro&appName=page";
    let told = get(&app, asked, BROWSERS).await;
    let by_body = json!({ "context": { "userId": "anna", "appName": "page", "properties": { "plan": "pro" } } });
    assert_eq!(
        post(&app, "/api/frontend", BROWSERS, &by_body).await.body,
        told.body
    );
    insta::assert_json_snapshot!(told.body);
    for (path, token) in [(asked, BROWSERS), ("/api/client/features", SERVERS)] {
        let first = get(&app, path, token).await;
        let again = async || {
            let request = app
                .http
                .get(format!("{}{path}", app.base))
                .header("authorization", token);
            Answer::send(request.header("if-none-match", first.header("etag"))).await
        };
        assert_eq!(again().await.status, 304);
        let list = app
            .post(
                format!("{}/flags/list", app.base),
                &json!({ "websiteId": app.website }),
            )
            .await;
        let id = &list.body[0]["id"];
        for payload in [json!({ "x": path }), Value::Null] {
            let change = json!({ "id": id, "payload": payload });
            assert_eq!(
                app.post(format!("{}/flags/update", app.base), &change)
                    .await
                    .status,
                200
            );
            if !payload.is_null() {
                assert_eq!(again().await.status, 200);
            }
        }
    }
    app.finish().await;
}

#[actix::test]
async fn a_token_opens_the_flags_of_its_environment_and_those_of_none() {
    let app = app().await;
    flag(&app, json!({ "key": "live", "environment": "production" })).await;
    flag(&app, json!({ "key": "test", "environment": "test" })).await;
    flag(&app, json!({ "key": "all" })).await;
    let token = "shop:production.secret";
    let entries =
        json!([{ "protocol": "unleash", "id": token }, { "protocol": "unleash", "id": "bare" }]);
    let body = json!({ "id": app.website, "compatibility": entries });
    assert_eq!(
        app.post(format!("{}/websites/update", app.base), &body)
            .await
            .status,
        200
    );
    assert_eq!(features(&app, token).await.0, ["all", "live"]);
    assert_eq!(features(&app, "bare").await.0, ["all"]);
    app.finish().await;
}

#[actix::test]
async fn clients_register_and_report_and_what_is_no_report_is_refused() {
    let app = app().await;
    let report = json!({ "appName": "shop", "instanceId": "one", "bucket": { "start": "x", "stop": "y", "toggles": {} } });
    for (path, token) in [
        ("/api/client/register", SERVERS),
        ("/api/client/metrics", SERVERS),
        ("/api/frontend/client/register", BROWSERS),
        ("/api/frontend/client/metrics", BROWSERS),
    ] {
        assert_eq!(post(&app, path, token, &report).await.status, 202, "{path}");
        let refused = post(&app, path, token, &json!([1])).await;
        assert_eq!(refused.status, 400, "{path}: {}", refused.text);
        assert!(
            refused.body["details"][0]["message"]
                .as_str()
                .unwrap()
                .contains("object"),
            "{}",
            refused.text
        );
    }
    app.finish().await;
}

#[actix::test]
async fn pages_of_any_origin_may_ask_for_decisions_and_not_for_rules() {
    let app = app().await;
    for (path, allowed) in [
        ("/api/frontend", "*"),
        ("/flags/", "*"),
        ("/api/client/features", ""),
    ] {
        let request = app
            .http
            .request(reqwest::Method::OPTIONS, format!("{}{path}", app.base));
        let request = request
            .header("origin", "https://shop.example")
            .header("access-control-request-method", "GET")
            .header(
                "access-control-request-headers",
                "authorization,unleash-appname,unleash-connection-id,unleash-sdk",
            );
        let answer = request.send().await.unwrap();
        let header = |name: &str| {
            answer
                .headers()
                .get(name)
                .map_or("", |value| value.to_str().unwrap())
                .to_owned()
        };
        assert_eq!(header("access-control-allow-origin"), allowed, "{path}");
        assert_eq!(
            header("access-control-allow-headers").contains("unleash-connection-id"),
            !allowed.is_empty()
        );
    }
    app.finish().await;
}
