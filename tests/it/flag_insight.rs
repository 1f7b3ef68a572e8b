//! Insight into flags: reports of pages, stale flags, and the reach of a change.

use std::time::Duration;

use pharos::access::Scope;
use serde_json::{Value, json};

use crate::{
    app::{Answer, App},
    cast::Cast,
};

async fn call_ok(app: &App, path: &str, body: Value) -> Value {
    let answer = app.post(format!("{}{path}", app.base), &body).await;
    assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text);
    answer.body
}

/// Makes a flag of the app's website.
async fn create_flag(app: &App, mut fields: Value) -> Value {
    fields["websiteId"] = json!(app.website);
    call_ok(app, "/flags/create", fields).await
}

/// What a page reports when it has asked for a flag.
fn report(app: &App, flag: &str, visitor: &str, profile: Option<&str>) -> Value {
    json!({
        "name": "$flag_evaluated", "websiteId": app.website, "anonymousId": visitor, "profileId": profile,
        "properties": { "flag": flag, "value": true, "enabled": true },
    })
}

#[actix::test]
async fn reports_of_pages_are_counted_by_flag() {
    let app = App::spawn().await;
    for key in ["dark", "silent"] {
        create_flag(&app, json!({ "key": key })).await;
    }
    let reports = json!([
        report(&app, "dark", "v1", None),
        report(&app, "dark", "v1", None),
        report(&app, "dark", "v2", Some("anna")),
        report(&app, "nobody's", "v2", None),
        { "name": "other", "websiteId": app.website, "properties": { "flag": "dark" } },
    ]);
    assert_eq!(app.send(&reports).await.status, 200);
    let body = json!({ "websiteId": app.website, "days": 7 });
    let stats = call_ok(&app, "/flags/stats", body).await;
    let silent = json!({
        "key": "silent", "evaluationCount": 0, "evaluatedUsers": 0, "identifiedUsers": 0, "lastEvaluatedAt": null,
    });
    let dark = json!({
        "key": "dark", "evaluationCount": 3, "evaluatedUsers": 2, "identifiedUsers": 1,
        "lastEvaluatedAt": "2026-10-14T12:00:00.000Z",
    });
    assert_eq!(
        stats,
        json!([silent, dark]),
        "newest first, none that is no flag"
    );
    app.clock
        .advance(Duration::from_hours(24 * 7) + Duration::from_millis(1));
    let body = json!({ "websiteId": app.website, "days": 7 });
    let stats = call_ok(&app, "/flags/stats", body).await;
    assert_eq!(stats[1]["evaluationCount"], 0, "a week has passed");
    for days in [0, 91] {
        let body = json!({ "websiteId": app.website, "days": days });
        let refused = app.post(format!("{}/flags/stats", app.base), &body).await;
        assert_eq!(refused.status, 400);
    }
    app.finish().await;
}

#[actix::test]
async fn flags_that_could_go_are_named_with_the_reason() {
    let app = App::spawn().await;
    create_flag(&app, json!({ "key": "shipped", "defaultValue": true })).await;
    create_flag(&app, json!({ "key": "asleep", "status": "inactive" })).await;
    let half = json!({ "key": "half", "type": "rollout", "rolloutPercentage": 50 });
    create_flag(&app, half).await;
    let body = json!({ "websiteId": app.website });
    let fresh = call_ok(&app, "/flags/stale", body.clone()).await;
    assert_eq!(fresh, json!([]), "what was changed today is not stale");
    app.clock.advance(Duration::from_hours(24 * 31));
    assert_eq!(
        app.send(&json!([report(&app, "half", "v", None)]))
            .await
            .status,
        200
    );
    let stale = call_ok(&app, "/flags/stale", body).await;
    let told = |row: &Value| json!([row["key"], row["reasons"], row["value"]]);
    let told: Vec<Value> = stale.as_array().unwrap().iter().map(told).collect();
    assert_eq!(
        json!(told),
        json!([
            ["asleep", ["not_active"], false],
            ["shipped", ["same_for_everybody", "not_evaluated"], true],
        ])
    );
    app.finish().await;
}

/// The present value of a flag for a user.
async fn evaluate(app: &App, key: &str, user: &str, plan: &str) -> Value {
    let body = json!({ "clientId": app.website, "keys": [key], "userId": user, "properties": { "plan": plan } });
    let url = format!("{}/public/v1/flags/bulk", app.base);
    let answer = app.post_anonymously(url, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body["flags"][key].clone()
}

#[actix::test]
async fn a_preview_tells_what_saving_would_do_and_saves_nothing() {
    let app = App::with("limits.flags_requests = 0").await;
    let half = json!({ "key": "half", "type": "rollout", "rolloutPercentage": 30 });
    let flag = create_flag(&app, half).await;
    let people: Vec<_> = (0..40)
        .map(|at| {
            (
                format!("user-{at}"),
                if at % 3 == 0 { "pro" } else { "free" },
            )
        })
        .collect();
    let all = async || {
        let mut results = Vec::new();
        for (user, plan) in &people {
            results.push(evaluate(&app, "half", user, plan).await);
        }
        results
    };
    let before = all().await;
    let rule = json!({
        "type": "property", "field": "plan", "operator": "equals", "value": "pro", "enabled": true,
    });
    let change = json!({ "rolloutPercentage": 60, "rules": [rule] });
    let preview = json!({ "id": flag["id"], "change": change });
    let preview = call_ok(&app, "/flags/preview", preview).await;
    let again = all().await;
    assert_eq!(again, before, "nothing was saved");

    let mut update = change;
    update["id"] = flag["id"].clone();
    call_ok(&app, "/flags/update", update).await;
    let after = all().await;
    let differ: Vec<_> = (0..people.len())
        .filter(|at| before[*at] != after[*at])
        .collect();
    assert!(!differ.is_empty() && differ.len() < people.len());
    assert_eq!(preview["seen"], people.len());
    assert_eq!(preview["changed"], differ.len());
    let told = preview["changes"].as_array().unwrap();
    // Newest first.
    for (told, at) in told.iter().zip(differ.iter().rev()) {
        assert_eq!(told["context"]["userId"], people[*at].0);
        assert_eq!(
            (&told["before"], &told["after"]),
            (&before[*at], &after[*at])
        );
    }
    let on = |results: &[Value]| results.iter().filter(|one| one["enabled"] == true).count();
    let gained = on(&after) - on(&before);
    assert_eq!(
        preview["turnedOn"].as_u64().unwrap() - preview["turnedOff"].as_u64().unwrap(),
        gained as u64
    );

    let off = json!({ "id": flag["id"], "change": { "status": "inactive" } });
    let off = call_ok(&app, "/flags/preview", off).await;
    assert_eq!(off["turnedOff"], on(&after));
    let wrong = json!({ "id": flag["id"], "change": { "rolloutPercentage": 101 } });
    let wrong = app
        .post(format!("{}/flags/preview", app.base), &wrong)
        .await;
    assert_eq!(wrong.status, 400, "{}", wrong.text);
    app.finish().await;
}

#[actix::test]
async fn who_asked_is_shown_to_those_who_may_change_the_flag() {
    let cast = Box::pin(Cast::spawn()).await;
    let flag = create_flag(&cast.app, json!({ "key": "half" })).await;
    evaluate(&cast.app, "half", "anna", "pro").await;
    let body = json!({ "id": flag["id"], "change": { "defaultValue": true } });
    let reader = cast.key(&[Scope::ReadData]).await;
    let stranger = cast.stranger().clone();
    for (proof, status) in [(&reader, 403), (&stranger, 404)] {
        let refused: Answer = cast.post(proof, "/flags/preview", &body).await;
        assert_eq!(refused.status, status, "{}", refused.text);
        assert!(!refused.text.contains("anna"));
    }
    let manager = cast.key(&[Scope::ManageFlags]).await;
    let told = cast.call_ok(&manager, "/flags/preview", &body).await;
    assert_eq!(told["changes"][0]["context"]["userId"], "anna");
    cast.app.finish().await;
}
