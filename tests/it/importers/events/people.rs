//! What files say about people.

use serde_json::{Value, json};

use super::{super::fixture, Served};

/// A user as exports list them.
async fn user(served: &Served, profile: &str) -> Value {
    let url = format!(
        "{}/v1/export/users?website_id={}&format=json",
        served.process.base, served.made.website
    );
    let request = crate::web::client()
        .get(url)
        .header("x-api-key", &served.made.key);
    let all = crate::app::Answer::send(request).await;
    let all = all.body.as_array().cloned().unwrap_or_default();
    let found = all.iter().find(|one| one["profileId"] == profile);
    found
        .unwrap_or_else(|| panic!("no {profile} in {all:?}"))
        .clone()
}

async fn traits(served: &Served, profile: &str) -> Value {
    user(served, profile).await["traits"].clone()
}

/// A row of `PostHog` about a person.
fn said(at: &str, plan: &str) -> Vec<u8> {
    let row = json!({
        "uuid": format!("{at}-{plan}"), "event": "signed_in", "distinct_id": "user-9", "timestamp": at,
        "properties": { "$lib": "posthog-node" }, "person_properties": { "plan": plan, "$initial_referrer": "x" },
    });
    row.to_string().into_bytes()
}

#[actix::test]
async fn traits_become_those_of_profiles_and_what_is_newer_stays() {
    let served = Served::start().await;
    let done = served
        .import("posthog", fixture!("posthog.jsonl").as_bytes())
        .await;
    assert_eq!(done["result"]["people"], 1, "{done}");
    let known = user(&served, "user-7").await;
    assert_eq!(known["email"], "a@b.example", "{known}");

    let done = served.import("ga4", fixture!("ga4.jsonl").as_bytes()).await;
    assert_eq!(done["result"]["people"], 1, "{done}");
    let known = traits(&served, "customer-7").await;
    assert_eq!(known, json!({ "plan": "pro", "seats": 3 }));
    let omitted = &done["result"]["omitted"];
    assert!(
        omitted.to_string().contains("who needs a `user_id`"),
        "{omitted}"
    );

    // The newest word counts, whichever file comes last; what is said today counts more.
    for (at, plan, expected) in [
        ("2026-09-12T10:00:00Z", "team", "team"),
        ("2026-09-11T10:00:00Z", "free", "team"),
        ("2026-09-13T10:00:00Z", "pro", "pro"),
    ] {
        served.import("posthog", &said(at, plan)).await;
        assert_eq!(traits(&served, "user-9").await, json!({ "plan": expected }));
    }
    let now = json!({ "profileId": "user-9", "traits": { "plan": "own" }, "websiteId": served.made.website });
    let url = format!("{}/identify", served.process.track);
    let request = crate::web::client()
        .post(url)
        .header("x-api-key", &served.made.key)
        .json(&now);
    assert_eq!(crate::app::Answer::send(request).await.status, 200);
    served
        .import("posthog", &said("2026-09-14T10:00:00Z", "history"))
        .await;
    assert_eq!(traits(&served, "user-9").await, json!({ "plan": "own" }));
    served.process.stop();
}
