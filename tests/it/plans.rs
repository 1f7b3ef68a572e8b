//! What plans allow (spec: 402 with its data, 503 when nobody knows).

use pharos::access::Role;
use serde_json::{Value, json};

use crate::{app::App, cast::Cast};

const PLANS: &str =
    "plans.enabled = true\nplans.free.websites = 3\nplans.free.events_per_month = 5";

#[actix::test]
async fn of_a_hundred_creations_at_a_time_one_gets_the_last_place() {
    let app = App::with(PLANS).await;
    let create = |number: usize| {
        let domain = format!("w{number}.example");
        let (app, url) = (&app, format!("{}/websites/create", app.base));
        async move {
            app.post(url, &json!({ "name": "w", "domain": domain }))
                .await
        }
    };
    assert_eq!(create(1000).await.status, 200, "the second of three");
    // Twenty requests of a key run at a time.
    let mut made = 0;
    for batch in 0..5 {
        let answers = (0..20).map(|number| create(batch * 20 + number));
        for answer in futures_util::future::join_all(answers).await {
            if answer.status == 200 {
                made += 1;
                continue;
            }
            assert_eq!(answer.status, 402, "{}", answer.text);
            let expected = json!({
                "defined": true, "code": "PLAN_LIMIT_EXCEEDED", "status": 402, "message": "The plan allows 3 websites",
                "data": { "limit": 3, "current": 3, "nextPlan": "hobby" },
            });
            assert_eq!(answer.body, expected);
        }
    }
    assert_eq!(made, 1);
    let listed = app
        .post(format!("{}/websites/list", app.base), &json!({}))
        .await;
    assert_eq!(listed.body.as_array().unwrap().len(), 3);
    app.finish().await;
}

#[actix::test]
async fn error_types_are_402_on_the_free_plan_for_websites_and_organizations() {
    let cast = Cast::with("plans.enabled = true").await;
    let app = &cast.app;
    let types = app
        .get(format!("{}/v1/query/types?include_meta=true", app.base))
        .await;
    let configs = types.body["configs"].as_object().unwrap();
    let errors: Vec<&String> = configs
        .iter()
        .filter(|(_, config)| config["meta"]["category"] == "Errors")
        .map(|(name, _)| name)
        .collect();
    assert!(errors.len() >= 8, "{errors:?}");
    let targets = [
        format!("?website_id={}", app.website),
        format!("?organization_id={}", app.organization),
        String::new(),
    ];
    for name in errors {
        let body = json!({ "parameters": [name], "preset": "today" });
        for target in &targets {
            let url = format!("{}/v1/query{target}", app.base);
            let answer = app.post(url, &body).await;
            assert_eq!(answer.status, 402, "{name} {target}: {}", answer.text);
            assert_eq!(answer.body["code"], "FEATURE_UNAVAILABLE");
            assert_eq!(answer.body["feature"], "errors");
            assert_eq!(answer.body["requiredPlan"], "hobby");
        }
    }
    let person = cast.person(Role::Owner);
    let body = json!({ "parameters": ["recent_errors"], "preset": "today" });
    let answer = cast
        .post(&person, &format!("/v1/query{}", targets[0]), &body)
        .await;
    assert_eq!(answer.status, 402, "people have the same plan");
    let body = json!({ "parameters": ["country"], "preset": "today" });
    let answer = app.post(format!("{}/v1/query", app.base), &body).await;
    assert_eq!(answer.status, 200);
    cast.app.finish().await;
}

#[actix::test]
async fn without_plans_nothing_is_limited() {
    let app = App::with("plans.free.websites = 1\nplans.free.events_per_month = 1").await;
    let create = json!({ "name": "w", "domain": "w.example" });
    let made = app
        .post(format!("{}/websites/create", app.base), &create)
        .await;
    assert_eq!(made.status, 200);
    let events = json!([{ "name": "a" }, { "name": "b" }]);
    assert_eq!(app.send(&events).await.status, 200);
    app.finish().await;
}

fn events(names: &[&str]) -> Value {
    names
        .iter()
        .map(|name| json!({ "name": name, "eventId": name }))
        .collect()
}

#[actix::test]
async fn the_events_of_a_month_are_counted_across_restarts_and_without_duplicates() {
    let mut app = App::with(PLANS).await;
    assert_eq!(app.send(&events(&["a", "b", "c"])).await.status, 200);
    assert_eq!(
        app.send(&events(&["a", "b"])).await.status,
        200,
        "known already"
    );
    app.restart().await;
    let refused = app.send(&events(&["d", "e", "f"])).await;
    assert_eq!(refused.status, 402, "{}", refused.text);
    for (field, value) in [
        ("success", json!(false)),
        ("status", json!("error")),
        ("message", json!("Event quota exceeded")),
        ("code", json!("EVENT_QUOTA_EXCEEDED")),
        ("retryable", json!(false)),
    ] {
        assert_eq!(refused.body[field], value, "{field}");
    }
    assert_eq!(
        app.send(&events(&["d", "e"])).await.status,
        200,
        "all or none"
    );
    assert_eq!(app.send(&events(&["g"])).await.status, 402);
    let url = format!("{}/vitals?client_id={}", app.track, app.website);
    let vital = json!([{ "timestamp": crate::app::NOW, "path": "https://localhost/", "metricName": "FCP", "metricValue": 1 }]);
    let answer = app.post_anonymously(url, &vital).await;
    assert_eq!(answer.status, 402, "every route counts: {}", answer.text);
    // 2026-10-14 and 18 days.
    app.clock.advance(std::time::Duration::from_hours(18 * 24));
    assert_eq!(app.send(&events(&["h"])).await.status, 200, "another month");
    app.finish().await;
}
