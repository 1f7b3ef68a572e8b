//! Plans are the operator's tables.

use serde_json::json;

use crate::app::App;

const PLANS: &str = r#"
    plans.enabled = true
    plans.default = "tiny"
    egress.allow = ["127.0.0.0/8"]
    [plans.tiny]
    events_per_month = 3
    websites = 2
    links = 1
    monitors = 1
    members = 1
    domains = 1
    features = []
    next = "roomy"
    [plans.roomy]
    features = ["errors"]
    next = ""
"#;

#[actix::test]
async fn what_a_plan_says_is_what_an_organization_on_it_may_use() {
    let app = App::with(PLANS).await;
    let places = [
        (
            "/websites/create",
            json!({ "name": "w", "domain": "w.example" }),
            json!({ "name": "v", "domain": "v.example" }),
            2,
        ),
        (
            "/links/create",
            json!({ "name": "a", "targetUrl": "https://a.example/" }),
            json!({ "name": "b", "targetUrl": "https://b.example/" }),
            1,
        ),
        (
            "/uptime/createSchedule",
            json!({ "url": "https://a.example/", "granularity": "day" }),
            json!({ "url": "https://b.example/", "granularity": "day" }),
            1,
        ),
    ];
    let places = places.into_iter().chain([(
        "/domains/add",
        json!({ "host": "go.acme.com", "use": "links" }),
        json!({ "host": "go.acme.net", "use": "links" }),
        1,
    )]);
    for (path, first, second, limit) in places {
        let url = format!("{}{path}", app.base);
        let made = app.post(url.clone(), &first).await;
        assert_eq!(made.status, 200, "{path}: {}", made.text);
        let refused = app.post(url, &second).await;
        assert_eq!(
            (refused.status, &refused.body["code"]),
            (402, &json!("PLAN_LIMIT_EXCEEDED")),
            "{path}: {}",
            refused.text
        );
        assert_eq!(
            refused.body["data"],
            json!({ "limit": limit, "current": limit, "nextPlan": "roomy" }),
            "{path}"
        );
    }
    for number in 0..4 {
        let event =
            json!({ "name": "e", "eventId": format!("{number}"), "websiteId": app.website });
        let sent = app.send(&event).await;
        assert_eq!(
            sent.status,
            if number < 3 { 200 } else { 402 },
            "{}",
            sent.text
        );
    }
    let errors = json!({ "parameters": ["recent_errors"], "preset": "today" });
    let refused = app.post(app.query_url(), &errors).await;
    assert_eq!(refused.status, 402, "{}", refused.text);
    app.finish().await;
}

#[actix::test]
async fn a_feature_of_the_plan_unlocks_its_types_and_without_plans_all_are() {
    for settings in [
        PLANS.replace("\"tiny\"", "\"roomy\""),
        PLANS.replace("enabled = true", "enabled = false"),
    ] {
        let app = App::with(&settings).await;
        let errors = json!({ "parameters": ["recent_errors"], "preset": "today" });
        app.ask(&errors).await.rows(0);
        app.finish().await;
    }
}
