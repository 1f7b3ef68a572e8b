//! Goals: how many visitors reach them.

use std::time::Duration;

use serde_json::json;

use super::{call_ok, does, saved, wrong};
use crate::app::App;

#[actix::test]
async fn a_goal_counts_who_reached_it_among_all_who_came() {
    let app = App::spawn().await;
    does(&app, "a", &[(100, "/"), (40, "/thanks")]).await;
    does(&app, "b", &[(90, "/"), (80, "/thanks/"), (70, "/thanks")]).await;
    does(&app, "c", &[(60, "/thanksgiving")]).await;
    does(&app, "d", &[(50, "signup")]).await;
    let goal = json!({ "type": "PAGE_VIEW", "target": "/thanks", "name": "Thanks" });
    let id = saved(&app, "goals", &goal).await;
    let question = json!({ "goalId": id, "websiteId": app.website });
    let found = call_ok(&app, "/goals/getAnalytics", &question).await;
    assert_eq!(found["total_users_entered"], 4);
    assert_eq!(found["total_users_completed"], 2);
    assert_eq!(found["overall_conversion_rate"], 50.0);
    assert_eq!(found["avg_completion_time"], 35.0, "60 and 10 seconds");
    assert_eq!(found["avg_completion_time_formatted"], "35s");
    let step = &found["steps_analytics"][0];
    assert_eq!(
        (&step["step_name"], &step["dropoffs"]),
        (&json!("Thanks"), &json!(2))
    );
    let days = found["time_series"].as_array().unwrap();
    assert_eq!(days.len(), 30, "the last thirty days");
    let today = &days[29];
    assert_eq!(
        (&today["users"], &today["conversions"]),
        (&json!(4), &json!(2))
    );
    assert_eq!(days[28]["users"], 0);
    assert_eq!(found["savedDefinition"]["target"], "/thanks");
    assert_eq!(found["measurement"]["countBy"], "visitor");

    // What was acknowledged counts in the next answer.
    does(&app, "d", &[(1, "/thanks")]).await;
    let found = call_ok(&app, "/goals/getAnalytics", &question).await;
    assert_eq!(found["total_users_completed"], 3);
    app.finish().await;
}

#[actix::test]
async fn filters_and_segments_shrink_those_who_reach_it_and_all_others_alike() {
    let app = App::spawn().await;
    does(&app, "google", &[(100, "/"), (90, "signup")]).await;
    does(&app, "gone", &[(100, "/")]).await;
    does(&app, "other", &[(100, "/"), (90, "signup")]).await;
    let goal = json!({ "type": "EVENT", "target": "sign*", "name": "Sign-up" });
    let id = saved(&app, "goals", &goal).await;
    let filter = json!([{ "field": "referrer", "operator": "equals", "value": "google.com" }]);
    let segment = json!({ "name": "From Google", "filters": filter });
    let segment = saved(&app, "segments", &segment).await;
    let mut question = json!({ "goalId": id, "websiteId": app.website });
    let numbers = async |question: &serde_json::Value| {
        let found = call_ok(&app, "/goals/getAnalytics", question).await;
        let number = |name: &str| found[name].as_u64().unwrap();
        (
            number("total_users_entered"),
            number("total_users_completed"),
        )
    };
    assert_eq!(numbers(&question).await, (3, 2));
    question["filters"] = filter.clone();
    assert_eq!(numbers(&question).await, (2, 1));
    question["filters"] = json!(null);
    question["cohort"] = json!(segment);
    assert_eq!(numbers(&question).await, (2, 1));
    let found = call_ok(&app, "/goals/getAnalytics", &question).await;
    assert_eq!(
        found["cohort"],
        json!({ "id": segment, "name": "From Google" })
    );

    let update = json!({ "id": id, "filters": filter });
    call_ok(&app, "/goals/update", &update).await;
    question["cohort"] = json!(null);
    assert_eq!(numbers(&question).await, (2, 1), "the goal's own");
    app.finish().await;
}

#[actix::test]
async fn what_happened_before_a_goal_was_made_can_be_left_out() {
    let app = App::spawn().await;
    does(&app, "early", &[(10, "/"), (5, "signup")]).await;
    app.clock.advance(Duration::from_mins(1));
    let goal =
        json!({ "type": "CUSTOM", "target": "signup", "name": "n", "ignoreHistoricData": true });
    let id = saved(&app, "goals", &goal).await;
    app.clock.advance(Duration::from_mins(1));
    does(&app, "late", &[(-100, "/"), (-110, "signup")]).await;
    let question = json!({ "goalIds": [id, "nobody's"], "websiteId": app.website });
    let found = call_ok(&app, "/goals/bulkAnalytics", &question).await;
    assert_eq!(found[&id]["ok"], true, "{found}");
    assert_eq!(found[&id]["data"]["total_users_entered"], 1);
    assert_eq!(
        found["nobody's"],
        json!({ "ok": false, "error": "goal not found" })
    );
    call_ok(
        &app,
        "/goals/update",
        &json!({ "id": id, "ignoreHistoricData": false }),
    )
    .await;
    let found = call_ok(&app, "/goals/bulkAnalytics", &question).await;
    assert_eq!(found[&id]["data"]["total_users_entered"], 2);
    app.finish().await;
}

#[actix::test]
async fn a_question_that_is_none_says_where_it_is_wrong() {
    let app = App::spawn().await;
    let goal = json!({ "type": "EVENT", "target": "a", "name": "a" });
    let id = saved(&app, "goals", &goal).await;
    for (field, value, place) in [
        ("startDate", json!("yesterday"), "startDate"),
        ("endDate", json!("2026-13-01"), "endDate"),
        ("endDate", json!("1999-01-01T00:00:00Z"), ""),
        ("timezone", json!("Europe/Berln"), "timezone"),
        (
            "filters",
            json!([{ "field": "nope", "operator": "equals", "value": "x" }]),
            "filters[0].field",
        ),
        (
            "filters",
            json!([{ "field": "country", "operator": "eq", "value": "x" }]),
            "filters[0].operator",
        ),
    ] {
        let mut question = json!({ "goalId": id, "websiteId": app.website });
        question[field] = value.clone();
        if place.is_empty() {
            // A range in the past alone is fine: it is empty.
            let found = call_ok(&app, "/goals/getAnalytics", &question).await;
            assert_eq!(found["total_users_entered"], 0);
            continue;
        }
        let found = wrong(&app, "/goals/getAnalytics", &question).await;
        assert_eq!(found, place, "{question}");
    }
    let backwards = json!({ "startDate": "2026-02-02", "endDate": "2026-02-01", "goalId": id, "websiteId": app.website });
    assert_eq!(
        wrong(&app, "/goals/getAnalytics", &backwards).await,
        "endDate"
    );
    for count in [0, 101] {
        let many = json!({ "goalIds": vec![id.as_str(); count], "websiteId": app.website });
        assert_eq!(wrong(&app, "/goals/bulkAnalytics", &many).await, "goalIds");
    }
    app.finish().await;
}
