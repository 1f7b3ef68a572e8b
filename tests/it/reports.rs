//! Emails that the calendar or the state of things asks for.

use std::time::Duration;

use pharos::actors::reports::{tracking, usage, weekly};
use serde_json::{Value, json};

use crate::{
    app::App,
    people::{browser::Browser, post::Post},
};

const HOUR: Duration = Duration::from_hours(1);
const MINUTE: Duration = Duration::from_mins(1);

/// An app that sends mail, from noon of a Wednesday on.
async fn mailing() -> (App, Post) {
    let post = Post::open().await;
    let toml = format!(
        "mail.smtp_url = '{}'\nmail.from = 'pharos@example.com'\n",
        post.url
    );
    (App::with(&toml).await, post)
}

async fn view(app: &App, number: u32, path: &str) {
    app.send_pages(&[json!({
        "eventId": format!("v{number}"), "name": "screen_view", "anonymousId": format!("a{number}"),
        "sessionId": format!("s{number}"), "timestamp": app.clock.now_ms(), "path": format!("https://localhost{path}"),
    })])
    .await;
}

async fn wishes(app: &App, settings: Value) {
    let owner = Browser::owner(app).await;
    let changed = owner
        .post(
            "/organizations/updateEmailNotificationSettings",
            &json!({ "settings": settings }),
        )
        .await;
    assert_eq!(changed.status, 200, "{}", changed.text);
}

#[actix::test]
async fn owners_get_a_report_of_the_week_once_if_they_want_it() {
    let (app, post) = mailing().await;
    let platform = app.platform.as_ref().unwrap();
    let look = async || {
        weekly(platform.domains(), platform.reports())
            .await
            .unwrap()
    };
    view(&app, 0, "/pricing").await;
    view(&app, 1, "/pricing").await;
    view(&app, 2, "/").await;
    // Sunday, and Monday before six.
    app.clock.advance(HOUR * 96);
    assert_eq!(look().await, 0);
    app.clock.advance(MINUTE * (18 * 60 - 1));
    assert_eq!(look().await, 0);
    app.clock.advance(MINUTE);
    assert_eq!(look().await, 1);
    assert_eq!(look().await, 0, "once");
    let email = post.wait_for(1).await.remove(0);
    for part in [
        "localhost",
        "Pageviews: 3",
        "Visitors: 3",
        "/pricing (2)",
        "none the week before",
    ] {
        assert!(email.contains(part), "{part}: {email}");
    }
    // Nothing happened in the next week, and the one after has no recipients.
    app.clock.advance(HOUR * 24 * 7);
    assert_eq!(look().await, 0);
    view(&app, 3, "/").await;
    wishes(&app, json!({ "aiAgents": { "weeklyDigest": false } })).await;
    app.clock.advance(HOUR * 24 * 7);
    assert_eq!(look().await, 0);
    wishes(&app, json!({ "aiAgents": { "weeklyDigest": true } })).await;
    assert_eq!(look().await, 1);
    app.finish().await;
}

#[actix::test]
async fn owners_hear_of_what_is_kept_out_as_often_as_they_want() {
    let (app, post) = mailing().await;
    let platform = app.platform.as_ref().unwrap();
    let look = async || {
        tracking(platform.domains(), platform.reports())
            .await
            .unwrap()
    };
    assert_eq!(look().await, 0);
    let url = format!("{}/track?website_id={}", app.track, app.website);
    let refused = async || {
        let foreign = app.http.post(&url).header("origin", "https://else.example");
        let refused = foreign.json(&json!({ "name": "a" })).send().await.unwrap();
        assert_eq!(refused.status(), 403);
    };
    refused().await;
    assert_eq!(look().await, 1);
    let email = post.wait_for(1).await.remove(0);
    assert!(email.contains("else.example"), "{email}");
    assert_eq!(look().await, 0, "once a day");
    app.clock.advance(Duration::from_millis(24 * 3_600_000 - 1));
    refused().await;
    assert_eq!(look().await, 0);
    app.clock.advance(Duration::from_millis(1));
    assert_eq!(look().await, 1);
    // Events arrive, which makes it only a warning.
    app.clock.advance(HOUR * 24);
    refused().await;
    view(&app, 0, "/").await;
    assert_eq!(look().await, 0);
    let all = json!({ "trackingHealth": { "mode": "warnings_and_critical" } });
    wishes(&app, all).await;
    assert_eq!(look().await, 1);
    app.clock.advance(HOUR * 24);
    refused().await;
    wishes(
        &app,
        json!({ "trackingHealth": { "ignoredOrigins": ["else.example"] } }),
    )
    .await;
    assert_eq!(look().await, 0);
    wishes(
        &app,
        json!({ "trackingHealth": { "ignoredOrigins": [], "mode": "off" } }),
    )
    .await;
    assert_eq!(look().await, 0);
    app.finish().await;
}

#[actix::test]
async fn owners_hear_when_the_events_of_the_month_are_used_up() {
    let post = Post::open().await;
    let toml = format!(
        "mail.smtp_url = '{}'\nmail.from = 'pharos@example.com'\n\
         plans.enabled = true\nplans.free.events_per_month = 5\n",
        post.url
    );
    let app = App::with(&toml).await;
    let platform = app.platform.as_ref().unwrap();
    let look = async || usage(platform.domains(), platform.reports()).await.unwrap();
    let send = async |count: usize| {
        let sent = app.send(&json!(vec![json!({ "name": "a" }); count])).await;
        assert_eq!(sent.status, 200, "{}", sent.text);
    };
    send(3).await;
    assert_eq!(look().await, 0);
    send(1).await;
    assert_eq!(look().await, 1);
    assert_eq!(look().await, 0, "once");
    let email = post.wait_for(1).await.remove(0);
    for part in ["nearly used", "4 of 5 in October 2026", "hobby"] {
        assert!(email.contains(part), "{part}: {email}");
    }
    send(1).await;
    assert_eq!(look().await, 1);
    assert!(post.wait_for(2).await[1].contains("All of the month's"));
    // Another month without recipients.
    app.clock.advance(HOUR * 24 * 20);
    assert_eq!(look().await, 0);
    wishes(&app, json!({ "billing": { "usageWarnings": false } })).await;
    send(5).await;
    assert_eq!(look().await, 0);
    wishes(&app, json!({ "billing": { "usageWarnings": true } })).await;
    assert_eq!(look().await, 1);
    app.finish().await;
}
