//! Limits of plans (402 with data, 503 if the plan is unknown).

use pharos::access::Role;
use serde_json::{Value, json};

use crate::{
    app::App,
    cast::Cast,
    people::{
        browser::{Browser, PASSWORD},
        team::{invite, token},
    },
};

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

fn used_up(message: &str, limit: u64, current: u64) -> Value {
    json!({
        "defined": true, "code": "PLAN_LIMIT_EXCEEDED", "status": 402, "message": message,
        "data": { "limit": limit, "current": current, "nextPlan": "hobby" },
    })
}

#[actix::test]
async fn the_last_link_is_made_once_and_a_bulk_takes_all_of_its_places_or_none() {
    let app = App::with("plans.enabled = true\nplans.free.links = 5").await;
    let link = |name: &str| json!({ "name": name, "targetUrl": "https://target.example/" });
    let bulk = |count: usize| json!({ "links": vec![link("bulk"); count] });
    let post = async |path: &str, body: &Value| app.post(format!("{}{path}", app.base), body).await;
    let listed = async || {
        let all = post("/links/list", &json!({})).await;
        all.body.as_array().unwrap().len()
    };
    let refused = post("/links/bulkCreate", &bulk(6)).await;
    assert_eq!(refused.body, used_up("The plan allows 5 links", 5, 0));
    assert_eq!(listed().await, 0, "all or none");
    assert_eq!(post("/links/bulkCreate", &bulk(4)).await.status, 200);
    let body = link("last");
    let tries = (0..15).map(|_| post("/links/create", &body));
    let mut answers = futures_util::future::join_all(tries).await;
    answers.retain(|answer| answer.status != 200);
    assert_eq!(answers.len(), 14, "one place was left");
    for answer in &answers {
        assert_eq!(answer.status, 402);
        assert_eq!(answer.body, used_up("The plan allows 5 links", 5, 5));
    }
    assert_eq!(listed().await, 5);
    let csv = "name,targetUrl\nfrom a file,https://target.example/\n";
    let imported = post("/links/importCsv", &json!({ "csv": csv })).await;
    assert_eq!(imported.status, 402, "{}", imported.text);
    let all = post("/links/list", &json!({})).await;
    let id = &all.body[0]["id"];
    assert_eq!(
        post("/links/delete", &json!({ "id": id })).await.status,
        200
    );
    assert_eq!(post("/links/create", &link("again")).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn members_and_whoever_is_invited_have_the_places_of_the_plan() {
    let app = App::with("plans.enabled = true\nplans.free.members = 3\nsignup.open = true").await;
    let owner = Browser::owner(&app).await;
    let first = invite(&app, &owner, "one@example.com", "member").await;
    let second = invite(&app, &owner, "two@example.com", "viewer").await;
    let refused = invite(&app, &owner, "three@example.com", "viewer").await;
    assert_eq!(refused.status, 402, "{}", refused.text);
    for (field, value) in [
        ("code", json!("PLAN_LIMIT_EXCEEDED")),
        ("error", json!("The plan allows 3 members")),
        ("limit", json!(3)),
        ("current", json!(3)),
        ("nextPlan", json!("hobby")),
    ] {
        assert_eq!(refused.body[field], value, "{field}");
    }
    // The same place again.
    let again = json!({
        "organizationId": app.organization, "email": "two@example.com", "role": "viewer", "resend": true,
    });
    let again = owner
        .post("/api/auth/organization/invite-member", &again)
        .await;
    assert_eq!(again.status, 200, "{}", again.text);
    assert_eq!(second.status, 200);

    let accept = async |name: &str, token: String| {
        let guest = Browser::signed_up(&app, name).await;
        let body = json!({ "invitationId": token });
        guest
            .post("/api/auth/organization/accept-invitation", &body)
            .await
    };
    assert_eq!(accept("one", token(&first)).await.status, 200);
    let cancel = json!({ "invitationId": again.body["id"] });
    let canceled = owner.post("/api/auth/organization/cancel-invitation", &cancel);
    assert_eq!(canceled.await.status, 200);
    let third = invite(&app, &owner, "three@example.com", "viewer").await;
    assert_eq!(accept("three", token(&third)).await.status, 200);
    let full = invite(&app, &owner, "four@example.com", "viewer").await;
    assert_eq!(full.status, 402);
    app.finish().await;
}

#[actix::test]
async fn a_smaller_plan_keeps_those_out_who_were_invited_under_the_larger_one() {
    let mut app = App::with("plans.enabled = true\nplans.free.members = 2").await;
    let invited = {
        let owner = Browser::owner(&app).await;
        token(&invite(&app, &owner, "one@example.com", "member").await)
    };
    app.configure("plans.enabled = true\nplans.free.members = 1");
    app.restart().await;
    let body = json!({
        "name": "One", "email": "one@example.com", "password": PASSWORD, "invitation": invited,
    });
    let guest = Browser::new(&app);
    let refused = guest.post("/api/auth/sign-up/email", &body).await;
    assert_eq!(refused.status, 402, "{}", refused.text);
    let again = guest.sign_in("one@example.com", PASSWORD).await;
    assert_eq!(again.status, 401, "nothing of it is stored");
    app.finish().await;
}

#[actix::test]
async fn usage_is_what_is_stored_this_month() {
    let app = App::with(PLANS).await;
    let owner = Browser::owner(&app).await;
    let usage = async || owner.post("/organizations/getUsage", &json!({})).await.body;
    let expected = |used: u64| {
        json!({
            "unlimited": false, "canUserUpgrade": false, "used": used, "limit": 5, "balance": 5 - used,
            "remaining": 5 - used, "includedUsage": 5, "overageAllowed": false, "isOrganizationUsage": true,
            "nextPlan": "hobby",
        })
    };
    assert_eq!(usage().await, expected(0));
    assert_eq!(app.send(&events(&["a", "b", "c"])).await.status, 200);
    assert_eq!(app.send(&events(&["a"])).await.status, 200, "known already");
    assert_eq!(usage().await, expected(3));
    assert_eq!(app.send(&events(&["d", "e", "f"])).await.status, 402);
    assert_eq!(usage().await, expected(3));
    let other = json!({ "organizationId": "no-such-organization" });
    let refused = owner.post("/organizations/getUsage", &other).await;
    assert_eq!(refused.status, 404, "{}", refused.text);
    app.finish().await;

    let app = App::with("plans.enabled = true\nplans.default = 'scale'").await;
    let owner = Browser::owner(&app).await;
    assert_eq!(app.send(&events(&["a"])).await.status, 200);
    let usage = owner.post("/organizations/getUsage", &json!({})).await.body;
    for (field, value) in [
        ("unlimited", json!(true)),
        ("used", json!(1)),
        ("limit", json!(null)),
        ("remaining", json!(null)),
    ] {
        assert_eq!(usage[field], value, "{field}");
    }
    app.finish().await;

    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let usage = owner.post("/organizations/getUsage", &json!({})).await.body;
    assert_eq!(usage, json!({ "unlimited": true, "canUserUpgrade": false }));
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
