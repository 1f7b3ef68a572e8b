//! Domains die and come back; nobody else notices.

use std::time::Duration;

use serde_json::json;

use crate::app::{Answer, App};

#[actix::test]
async fn a_panic_in_any_domain_is_answered_with_503_and_mended() {
    let app = App::spawn().await;
    let roster = app.platform.as_ref().unwrap().domains().roster();
    assert!(roster.len() >= 4);
    for resident in roster {
        let name = resident.name();
        assert!(
            resident.inject_panic().await.is_err(),
            "`{name}` answers its caller that it is away"
        );

        // Meanwhile everything that reads views and stores goes on.
        let event = json!({ "name": name, "websiteId": app.website });
        assert_eq!(
            app.send(&event).await.status,
            200,
            "ingestion while `{name}` restarts"
        );
        let query = app
            .post(
                app.query_url(),
                &json!({ "parameters": ["top_pages"], "preset": "today" }),
            )
            .await;
        assert_eq!(
            query.status, 200,
            "queries while `{name}` restarts: {}",
            query.text
        );

        until(|| resident.is_running()).await;
        let ready = app.get(format!("{}/health/ready", app.base)).await;
        assert_eq!(ready.status, 200, "after `{name}` is back: {}", ready.text);
    }
    assert_eq!(app.rows("custom_events").await.len(), 4);
    app.finish().await;
}

#[actix::test]
async fn a_caller_of_a_domain_that_is_away_gets_503_in_its_own_style() {
    let app = App::spawn().await;
    let roster = app.platform.as_ref().unwrap().domains().roster();
    let websites = roster
        .iter()
        .find(|resident| resident.name() == "websites")
        .unwrap();
    let create = json!({ "name": "Shop", "domain": "shop.example" });
    assert!(websites.inject_panic().await.is_err());
    let plain = app
        .post(format!("{}/websites/create", app.base), &create)
        .await;
    assert_eq!(plain.status, 503, "{}", plain.text);
    assert_eq!(plain.body["code"], "SERVICE_UNAVAILABLE");
    assert_eq!(plain.body["status"], 503);
    assert_eq!(plain.header("retry-after"), "5");

    until(|| websites.is_running()).await;
    let again = app
        .post(format!("{}/websites/create", app.base), &create)
        .await;
    assert_eq!(again.status, 200, "{}", again.text);
    app.finish().await;
}

#[actix::test]
async fn sign_in_is_unavailable_while_people_restart_and_then_works() {
    let app = App::spawn().await;
    let roster = app.platform.as_ref().unwrap().domains().roster();
    let people = roster
        .iter()
        .find(|resident| resident.name() == "organizations")
        .unwrap();
    assert!(people.inject_panic().await.is_err());
    let url = format!("{}/api/auth/sign-in/email", app.base);
    let credentials = json!({ "email": app.email, "password": app.password });
    let refused = app.post_anonymously(url.clone(), &credentials).await;
    assert_eq!(refused.status, 503, "{}", refused.text);

    until(|| people.is_running()).await;
    let signed_in = app.post_anonymously(url, &credentials).await;
    assert_eq!(signed_in.status, 200, "{}", signed_in.text);
    let cookie = signed_in
        .header("set-cookie")
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let session = app
        .http
        .get(format!("{}/api/auth/get-session", app.base))
        .header("cookie", &cookie);
    let session = Answer::of(session).await;
    assert_eq!(session.body["user"]["email"], app.email, "{}", session.text);
    let websites = app
        .http
        .get(format!("{}/v1/query/websites", app.base))
        .header("cookie", cookie);
    assert_eq!(Answer::of(websites).await.body["total"], 1);
    app.finish().await;
}

#[actix::test]
async fn the_program_can_be_stopped_and_started_over_the_same_data() {
    let mut app = App::spawn().await;
    app.send(&json!({ "name": "before", "websiteId": app.website }))
        .await;
    app.restart().await;
    app.send(&json!({ "name": "after", "websiteId": app.website }))
        .await;
    let names: Vec<_> = app
        .rows("custom_events")
        .await
        .iter()
        .map(|row| row["name"].clone())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    app.finish().await;
}

/// Waits for something that is on its way; a test that never sees it fails.
async fn until(condition: impl Fn() -> bool) {
    for _ in 0..5_000 {
        if condition() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("it never happened");
}
