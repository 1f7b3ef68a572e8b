//! Flags by the clients that people use: the `OpenFeature` provider, pages that keep what they have, streams of changes.

use std::time::Duration;

use futures_util::StreamExt;
use open_feature::{EvaluationContext, EvaluationErrorCode, provider::FeatureProvider};
use open_feature_ofrep::{OfrepOptions, OfrepProvider};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use serde_json::{Value, json};

use crate::app::{Answer, App, until};

async fn create_flag(app: &App, fields: Value) -> Value {
    let mut body = json!({"websiteId": app.website});
    let Value::Object(fields) = fields else {
        panic!("fields are an object");
    };
    body.as_object_mut().unwrap().extend(fields);
    let answer = app.post(format!("{}/flags/create", app.base), &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

fn client_path(app: &App) -> String {
    format!("{}/public/v1/flags/{}", app.base, app.website)
}

#[actix::test]
async fn the_openfeature_provider_understands_us() {
    let app = App::spawn().await;
    let rules =
        json!([{"type": "property", "field": "plan", "operator": "equals", "value": "pro"}]);
    create_flag(&app, json!({"key": "export", "rules": rules})).await;
    create_flag(
        &app,
        json!({"key": "half", "type": "rollout", "rolloutPercentage": 50}),
    )
    .await;
    for (key, kind, value) in [
        ("text", "string", json!("blue")),
        ("whole", "number", json!(7)),
        ("part", "number", json!(0.5)),
        ("thing", "json", json!({"a": [1]})),
    ] {
        let variants = json!([{"key": "only", "value": value, "type": kind}]);
        create_flag(
            &app,
            json!({"key": key, "type": "multivariant", "variants": variants}),
        )
        .await;
    }
    let provider = OfrepProvider::new(OfrepOptions {
        base_url: client_path(&app),
        connect_timeout: Duration::from_secs(10),
        ..Default::default()
    });
    let provider = provider.await.unwrap();
    let context = EvaluationContext::default()
        .with_targeting_key("user-1")
        .with_custom_field("plan", "pro");
    let nobody = EvaluationContext::default().with_targeting_key("user-1");
    let flag = provider
        .resolve_bool_value("export", &context)
        .await
        .unwrap();
    assert_eq!((flag.value, flag.variant.as_deref()), (true, Some("on")));
    assert!(
        !provider
            .resolve_bool_value("export", &nobody)
            .await
            .unwrap()
            .value
    );
    assert_eq!(
        provider
            .resolve_string_value("text", &context)
            .await
            .unwrap()
            .value,
        "blue"
    );
    assert_eq!(
        provider
            .resolve_int_value("whole", &context)
            .await
            .unwrap()
            .value,
        7
    );
    let part = provider
        .resolve_float_value("part", &context)
        .await
        .unwrap();
    assert!((part.value - 0.5).abs() < f64::EPSILON);
    assert!(
        provider
            .resolve_struct_value("thing", &context)
            .await
            .is_ok()
    );
    let missing = provider
        .resolve_bool_value("nobody", &context)
        .await
        .unwrap_err();
    assert_eq!(missing.code, EvaluationErrorCode::FlagNotFound);
    let empty = EvaluationContext::default();
    let missing = provider
        .resolve_bool_value("half", &empty)
        .await
        .unwrap_err();
    // So it calls every refused request.
    assert_eq!(missing.code, EvaluationErrorCode::InvalidContext);
    app.finish().await;
}

fn contexts() -> impl Strategy<Value = Value> {
    let value = prop_oneof![
        Just(json!("a")),
        Just(json!(1)),
        Just(json!([1, "a"])),
        Just(Value::Null)
    ];
    prop::collection::btree_map(
        prop::sample::select(vec!["targetingKey", "email", "p", "q"]),
        value,
        0..4,
    )
    .prop_map(|fields| json!(fields))
}

fn rules() -> impl Strategy<Value = Value> {
    let operator = prop::sample::select(vec!["equals", "exists", "not_in"]);
    let field = prop::sample::select(vec!["p", "q"]);
    (operator, field, any::<bool>()).prop_map(|(operator, field, enabled)| {
        json!([{"type": "property", "field": field, "operator": operator, "value": "a", "values": [1], "enabled": enabled}])
    })
}

async fn bulk(app: &App, known: &str, context: &Value) -> Answer {
    let url = format!("{}/ofrep/v1/evaluate/flags", client_path(app));
    let request = app.http.post(url).header("if-none-match", known);
    Answer::send(request.json(&json!({ "context": context }))).await
}

/// Across any order of requests and changes, no cached answer is wrong.
#[actix::test]
async fn not_modified_means_the_same_bytes() {
    let app = App::with("limits.flags_requests = 0").await;
    let flag = create_flag(&app, json!({"key": "a"})).await;
    create_flag(
        &app,
        json!({"key": "b", "type": "rollout", "rolloutPercentage": 50}),
    )
    .await;
    let mut runner = TestRunner::deterministic();
    let mut known: Vec<(String, String)> = Vec::new();
    let mut kept = 0;
    for round in 0..120 {
        if round % 6 == 5 {
            let rules = rules().new_tree(&mut runner).unwrap().current();
            let change = json!({"id": flag["id"], "rules": rules});
            let url = format!("{}/flags/update", app.base);
            assert_eq!(app.post(url, &change).await.status, 200);
        }
        let context = contexts().new_tree(&mut runner).unwrap().current();
        let fresh = bulk(&app, "", &context).await;
        assert_eq!(fresh.status, 200);
        let tag = fresh.header("etag").to_owned();
        for (earlier, text) in &known {
            if *earlier == tag {
                assert_eq!(*text, fresh.text, "the same tag stands for the same bytes");
            }
        }
        let all: Vec<&str> = known.iter().map(|(tag, _)| tag.as_str()).collect();
        let again = bulk(&app, &all.join(", "), &context).await;
        let had = all.contains(&tag.as_str());
        assert_eq!(again.status, if had { 304 } else { 200 });
        kept += usize::from(had);
        known.push((tag, fresh.text));
    }
    assert!(kept > 5, "{kept} answers were known");
    app.finish().await;
}

#[actix::test]
async fn a_stream_says_when_to_ask_again() {
    let app = App::spawn().await;
    create_flag(&app, json!({"key": "a"})).await;
    let url = format!("{}/ofrep/v1/stream", client_path(&app));
    let answer = app.http.get(url).send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let mut pieces = answer.bytes_stream();
    let first = pieces.next().await.unwrap().unwrap();
    assert!(first.starts_with(b":"), "it says that it is there");
    create_flag(&app, json!({"key": "b"})).await;
    let event = pieces.next().await.unwrap().unwrap();
    let event = String::from_utf8(event.to_vec()).unwrap();
    assert!(event.starts_with("id: "), "{event}");
    assert!(
        event.contains("\nevent: message\n") && event.contains("refetchEvaluation"),
        "{event}"
    );
    drop(pieces);
    app.finish().await;
}

#[actix::test]
async fn what_is_planned_is_done_once_also_after_a_restart() {
    let mut app = App::spawn().await;
    let flag = create_flag(
        &app,
        json!({"key": "slow", "type": "rollout", "rolloutPercentage": 0}),
    )
    .await;
    let step = |minutes: i64, value: u8| {
        let at = chrono::DateTime::from_timestamp_millis(app.clock.now_ms() + minutes * 60_000);
        json!({"scheduledAt": at.unwrap().to_rfc3339(), "value": value})
    };
    let plan = json!({
        "flagId": flag["id"], "type": "update_rollout",
        "rolloutSteps": [step(20, 100), step(10, 50)],
    });
    let url = format!("{}/flag-schedules/create", app.base);
    let plan = app.post(url, &plan).await;
    assert_eq!(plan.status, 200, "{}", plan.text);
    let share = async |app: &App| {
        let url = format!("{}/flags/getById", app.base);
        let flag = app.post(url, &json!({"id": flag["id"]})).await;
        flag.body["rolloutPercentage"].clone()
    };
    assert_eq!(share(&app).await, 0);
    app.clock.advance(Duration::from_mins(10));
    until("the first step is done", async || share(&app).await == 50).await;
    app.clock.advance(Duration::from_mins(10));
    app.restart().await;
    until("the second step is done", async || share(&app).await == 100).await;
    let url = format!("{}/flag-schedules/list", app.base);
    let plans = app.post(url, &json!({"flagId": flag["id"]})).await;
    assert!(plans.body[0]["executedAt"].is_string(), "{}", plans.text);
    let url = format!("{}/flags/history", app.base);
    let history = app.post(url, &json!({"id": flag["id"]})).await;
    let authors: Vec<_> = history
        .body
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["changedBy"]["type"].clone())
        .collect();
    assert_eq!(authors, ["schedule", "schedule", "api_key"]);
    app.finish().await;
}
