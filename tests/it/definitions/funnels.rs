//! Funnels: how far visitors come.

use serde_json::{Value, json};

use super::{call, call_ok, does, saved, with_website, wrong};
use crate::app::{App, NOW};

fn steps(targets: &[&str]) -> Value {
    let step = |target: &&str| {
        let kind = if target.starts_with('/') {
            "PAGE_VIEW"
        } else {
            "EVENT"
        };
        json!({ "type": kind, "target": target, "name": format!("to {target}") })
    };
    targets.iter().map(step).collect()
}

fn users(found: &Value) -> Vec<u64> {
    let steps = found["steps_analytics"].as_array().unwrap();
    steps
        .iter()
        .map(|step| step["users"].as_u64().unwrap())
        .collect()
}

#[actix::test]
async fn a_funnel_says_how_far_visitors_come_and_how_fast() {
    let app = App::spawn().await;
    does(
        &app,
        "google",
        &[(300, "/"), (200, "/pricing"), (100, "signup")],
    )
    .await;
    does(
        &app,
        "slow",
        &[(900, "/"), (500, "/pricing"), (300, "signup")],
    )
    .await;
    does(&app, "gone", &[(300, "/"), (200, "/pricing")]).await;
    does(
        &app,
        "back",
        &[(300, "signup"), (200, "/pricing"), (100, "/")],
    )
    .await;
    does(&app, "none", &[(300, "/about")]).await;
    let funnel = json!({ "name": "Sign-up", "steps": steps(&["/", "/pricing", "signup"]) });
    let id = saved(&app, "funnels", &funnel).await;
    let question = json!({ "funnelId": id, "websiteId": app.website });
    let found = call_ok(&app, "/funnels/getAnalytics", &question).await;
    assert_eq!(users(&found), [4, 3, 2]);
    assert_eq!(found["total_users_entered"], 4);
    assert_eq!(found["overall_conversion_rate"], 50.0);
    assert_eq!(found["avg_completion_time"], 400.0);
    assert_eq!(found["avg_completion_time_formatted"], "6m 40s");
    assert_eq!(found["biggest_dropoff_step"], 3);
    assert_eq!(found["biggest_dropoff_rate"], 33.33);
    let second = &found["steps_analytics"][1];
    assert_eq!(second["conversion_rate"], 75.0);
    assert_eq!(
        (&second["dropoffs"], &second["dropoff_rate"]),
        (&json!(1), &json!(25.0))
    );
    assert_eq!(
        second["avg_time_to_complete"], 200.0,
        "100, 400 and 100 seconds"
    );
    let today = found["time_series"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .clone();
    assert_eq!(
        (&today["users"], &today["conversions"]),
        (&json!(4), &json!(2))
    );

    let found = call_ok(&app, "/funnels/getAnalyticsByReferrer", &question).await;
    let sources = found["referrer_analytics"].as_array().unwrap();
    assert_eq!(sources.len(), 2, "{found}");
    let by_referrer = |name: &str| sources.iter().find(|one| one["referrer"] == name).unwrap();
    assert_eq!(by_referrer("google.com")["total_users"], 2);
    assert_eq!(by_referrer("google.com")["completed_users"], 1);
    assert_eq!(
        by_referrer("google.com")["referrer_parsed"]["type"],
        "search"
    );
    assert_eq!(by_referrer("direct")["conversion_rate"], 50.0);
    assert_eq!(found["total_users_entered"], 4);
    app.finish().await;
}

#[actix::test]
async fn a_window_visits_and_conditions_narrow_a_funnel() {
    let app = App::spawn().await;
    does(&app, "quick", &[(300, "/"), (250, "signup")]).await;
    does(&app, "slow", &[(900, "/"), (300, "signup")]).await;
    does(&app, "again", &[(900, "/"), (310, "/"), (300, "signup")]).await;
    let funnel = json!({ "name": "f", "steps": steps(&["/", "signup"]), "windowSeconds": 60 });
    let id = saved(&app, "funnels", &funnel).await;
    let question = json!({ "funnelId": id, "websiteId": app.website });
    let asked = async || users(&call_ok(&app, "/funnels/getAnalytics", &question).await);
    assert_eq!(asked().await, [3, 2]);
    call_ok(
        &app,
        "/funnels/update",
        &json!({ "id": id, "windowSeconds": null }),
    )
    .await;
    assert_eq!(asked().await, [3, 3]);
    call_ok(
        &app,
        "/funnels/update",
        &json!({ "id": id, "countBy": "session" }),
    )
    .await;
    assert_eq!(asked().await, [3, 3], "a visit each");
    let mut narrow = steps(&["/", "signup"]);
    narrow[1]["conditions"] =
        json!([{ "field": "property:plan", "operator": "in", "value": ["quick", "slow"] }]);
    call_ok(
        &app,
        "/funnels/update",
        &json!({ "id": id, "steps": narrow }),
    )
    .await;
    assert_eq!(asked().await, [3, 2]);
    app.finish().await;
}

#[actix::test]
async fn errors_are_told_at_the_step_behind_which_they_happened() {
    let app = App::spawn().await;
    does(&app, "fine", &[(300, "/"), (200, "signup")]).await;
    does(&app, "fails", &[(300, "/")]).await;
    let errors: Vec<Value> = [("fine", 250), ("fails", 290), ("fails", 280), ("fails", 400)]
        .into_iter()
        .map(|(who, ago)| {
            json!({
                "timestamp": NOW - ago * 1_000, "path": "https://localhost/", "message": "boom", "errorType": "TypeError",
                "anonymousId": who, "sessionId": format!("s-{who}"),
            })
        })
        .collect();
    let url = format!("{}/errors?client_id={}", app.track, app.website);
    let sent = app.post_anonymously(url, &json!(errors)).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    let funnel = json!({ "name": "f", "steps": steps(&["/", "signup"]) });
    let id = saved(&app, "funnels", &funnel).await;
    let question = json!({ "funnelId": id, "websiteId": app.website });
    let found = call_ok(&app, "/funnels/getAnalytics", &question).await;
    let first = &found["steps_analytics"][0];
    assert_eq!(first["error_count"], 3, "not the one before: {found}");
    assert_eq!(first["error_rate"], 100.0);
    let top = json!([{ "message": "boom", "error_type": "TypeError", "count": 3 }]);
    assert_eq!(first["top_errors"], top);
    let insights = json!({
        "available": true, "total_errors": 3, "sessions_with_errors": 2, "dropoffs_with_errors": 1,
        "error_correlation_rate": 100.0,
    });
    assert_eq!(found["error_insights"], insights);
    app.finish().await;
}

#[actix::test]
async fn errors_are_part_of_a_plan() {
    let app = App::with("plans.enabled = true").await;
    does(&app, "one", &[(300, "/")]).await;
    let funnel = json!({ "name": "f", "steps": steps(&["/", "signup"]) });
    let id = saved(&app, "funnels", &funnel).await;
    let question = json!({ "funnelId": id, "websiteId": app.website });
    let found = call_ok(&app, "/funnels/getAnalytics", &question).await;
    assert_eq!(found["error_insights"]["available"], false);
    assert_eq!(
        found["steps_analytics"][0]["error_context_available"],
        false
    );
    assert_eq!(users(&found), [1, 0]);
    app.finish().await;
}

#[actix::test]
async fn a_funnel_can_be_asked_about_those_whom_a_link_led() {
    let app = App::spawn().await;
    let link = json!({ "name": "l", "slug": "sale", "targetUrl": "https://localhost/" });
    let link = call_ok(&app, "/links/create", &link).await;
    let link = link["id"].as_str().unwrap();
    let at = |ago: i64| NOW - ago * 1_000;
    app.send_pages(&[
        json!({
            "eventId": "led-1", "name": "screen_view", "anonymousId": "led", "sessionId": "led", "timestamp": at(300),
            "path": format!("https://localhost/?ref={link}"),
        }),
        json!({
            "eventId": "led-2", "name": "screen_view", "anonymousId": "led", "sessionId": "led", "timestamp": at(200),
            "path": "https://localhost/pricing",
        }),
    ])
    .await;
    does(&app, "other", &[(300, "/"), (200, "/pricing")]).await;
    let funnel = json!({ "name": "f", "steps": steps(&["/", "/pricing"]) });
    let id = saved(&app, "funnels", &funnel).await;
    let mut question = json!({ "funnelId": id, "websiteId": app.website, "linkId": link });
    let found = call_ok(&app, "/funnels/getAnalyticsByLink", &question).await;
    assert_eq!(users(&found), [1, 1]);
    question["linkId"] = json!("nobody's");
    let found = call_ok(&app, "/funnels/getAnalyticsByLink", &question).await;
    assert_eq!(users(&found), [0, 0]);
    app.finish().await;
}

#[actix::test]
async fn a_funnel_that_cannot_be_asked_cannot_be_saved() {
    let app = App::spawn().await;
    for (body, place) in [
        (json!({ "name": "f", "steps": steps(&["/"]) }), "steps"),
        (
            json!({ "name": "f", "steps": steps(&["/a/*/b", "b"]) }),
            "steps[0].target",
        ),
        (json!({ "name": "", "steps": steps(&["a", "b"]) }), "name"),
        (json!({ "name": "f" }), "steps"),
        (
            json!({ "name": "f", "steps": [{ "type": "CLICK", "target": "a", "name": "a" }] }),
            "steps[0].type",
        ),
    ] {
        let found = wrong(&app, "/funnels/create", &with_website(&app, &body)).await;
        assert_eq!(found, place, "{body}");
    }
    let body = with_website(&app, &json!({ "name": "f", "steps": steps(&["a", "b"]) }));
    let id = call_ok(&app, "/funnels/create", &body).await["id"].clone();
    let update = json!({ "id": id, "steps": steps(&["a"]) });
    assert_eq!(wrong(&app, "/funnels/update", &update).await, "steps");
    let update = json!({ "id": id, "colour": "red" });
    assert_eq!(wrong(&app, "/funnels/update", &update).await, "colour");
    let kept = call_ok(&app, "/funnels/getById", &json!({ "id": id })).await;
    assert_eq!(
        kept["steps"].as_array().unwrap().len(),
        2,
        "nothing of it was stored"
    );
    let goal = call(&app, "/goals/getById", &json!({ "id": id })).await;
    assert_eq!(goal.status, 404, "a funnel is no goal: {}", goal.text);
    assert_eq!(goal.body["data"]["resourceType"], "goal");
    app.finish().await;
}
