//! Reports on a schedule: to who has confirmed, once a period, until they unsubscribe.

use std::time::Duration;

use pharos::actors::reports::scheduled;
use serde_json::{Value, json};

use crate::{
    app::{Answer, App},
    console::{leads_to, page},
    people::{browser::Browser, post::Post},
    receiver::Receiver,
    subscribers::{link, mailing, noted},
};

const HOUR: Duration = Duration::from_hours(1);

/// Looks what is due, as the program does every minute.
async fn look(app: &App) -> usize {
    let platform = app.platform.as_ref().unwrap();
    scheduled(platform.domains(), platform.reports())
        .await
        .unwrap()
}

async fn view(app: &App, number: u32, path: &str) {
    app.send_pages(&[json!({
        "eventId": format!("v{number}"), "name": "screen_view", "anonymousId": format!("a{number}"),
        "sessionId": format!("s{number}"), "timestamp": app.clock.now_ms(), "path": format!("https://localhost{path}"),
    })])
    .await;
}

async fn call(app: &App, name: &str, body: &Value) -> Answer {
    app.post(format!("{}/scheduled-reports/{name}", app.base), body)
        .await
}

async fn add(app: &App, fields: &Value) -> Value {
    let mut body = json!({ "websiteId": app.website });
    let own = fields.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(own);
    let made = call(app, "create", &body).await;
    assert_eq!(made.status, 200, "{}", made.text);
    made.body
}

/// Confirms by the link in an email.
async fn confirm(app: &App, email: &str) {
    let confirm = link(app, email, "/subscriptions/", "/confirm");
    let confirmed = Answer::send(app.http.post(confirm)).await;
    assert_eq!(confirmed.status, 200, "{}", confirmed.text);
}

#[actix::test]
async fn a_mailbox_gets_reports_only_between_confirming_and_unsubscribing() {
    let post = Post::open().await;
    let app = mailing(&post.url).await;
    let owner = Browser::owner(&app).await;
    view(&app, 0, "/pricing").await;
    view(&app, 1, "/pricing").await;
    view(&app, 2, "/").await;
    let list = format!("/console/site/{}/scheduled-reports", app.website);
    assert!(
        page(&owner, &list)
            .await
            .contains("No scheduled reports yet")
    );
    let form = [
        ("frequency", "daily"),
        ("type", "email"),
        ("recipient", "Ada@Example.com"),
        ("timezone", "Europe/Berlin"),
        ("hour", "8"),
    ];
    assert_eq!(
        leads_to(&owner.submit(&list, &form).await),
        format!("{list}?done=1")
    );
    let question = post.wait_for(1).await.remove(0);
    assert!(question.contains("To: ada@example.com"), "{question}");
    assert!(!question.contains("List-Unsubscribe"), "{question}");
    let listed = page(&owner, &list).await;
    assert!(
        listed.contains("ada@example.com") && listed.contains("Waiting for confirmation"),
        "{listed}"
    );

    // Nobody has confirmed on the next morning.
    app.clock.advance(HOUR * 19);
    assert_eq!(look(&app).await, 0);
    // Looking at the link changes nothing; the button does.
    let url = link(&app, &question, "/subscriptions/", "/confirm");
    let shown = Answer::send(app.http.get(&url)).await;
    assert!(
        shown.text.contains("<form method=\"post\""),
        "{}",
        shown.text
    );
    assert!(
        page(&owner, &list)
            .await
            .contains("Waiting for confirmation")
    );
    confirm(&app, &question).await;
    assert!(page(&owner, &list).await.contains("Active"));
    // What was due before is left out: 8:00 in Berlin is 6:00 here.
    assert_eq!(look(&app).await, 0);
    view(&app, 3, "/pricing").await;
    app.clock
        .advance((HOUR * 23).saturating_sub(Duration::from_millis(1)));
    assert_eq!(look(&app).await, 0);
    app.clock.advance(Duration::from_millis(1));
    assert_eq!(look(&app).await, 1);
    assert_eq!(look(&app).await, 0, "once");
    let report = post.wait_for(2).await.remove(1);
    for said in [
        "Daily report, Oct 15, 2026",
        "Visitors: 1 (",
        "Pageviews: 1 (",
        "Sessions: 1 (",
        "Bounce rate",
        "/pricing: 1",
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        "text/html",
    ] {
        assert!(report.contains(said), "{said}: {report}");
    }

    let leave = link(&app, &report, "/subscriptions/", "");
    let shown = Answer::send(app.http.get(&leave)).await;
    assert_eq!(shown.status, 200);
    assert!(page(&owner, &list).await.contains("ada@example.com"));
    for _ in 0..2 {
        let left = app.http.post(&leave).body("List-Unsubscribe=One-Click");
        assert_eq!(Answer::send(left).await.status, 200);
    }
    assert!(
        page(&owner, &list)
            .await
            .contains("No scheduled reports yet")
    );
    app.clock.advance(HOUR * 24);
    assert_eq!(look(&app).await, 0);
    assert_eq!(post.emails().len(), 2);
    app.finish().await;
}

#[actix::test]
async fn a_report_is_sent_once_whatever_restarts() {
    let post = Post::open().await;
    let mut app = mailing(&post.url).await;
    add(
        &app,
        &json!({ "frequency": "weekly", "recipient": "ada@example.com" }),
    )
    .await;
    confirm(&app, &post.wait_for(1).await[0]).await;
    noted(&app).await;
    view(&app, 0, "/pricing").await;
    // Monday, eight o'clock: the mail server refuses for now, and the program is restarted.
    app.clock.advance(HOUR * (24 * 4 + 20));
    post.refuse("451 later");
    assert_eq!(look(&app).await, 1);
    post.has_refused().await;
    app.restart().await;
    assert_eq!(look(&app).await, 0, "it is in the outbox");
    app.clock.advance(Duration::from_mins(2));
    let reports = post.wait_for(2).await;
    assert!(
        reports[1].contains("Weekly report, Oct 12 to Oct 18, 2026"),
        "{}",
        reports[1]
    );
    noted(&app).await;
    app.restart().await;
    assert_eq!(look(&app).await, 0);

    // Who was away for two weeks gets the latest report alone.
    app.clock.advance(HOUR * 24 * 14);
    assert_eq!(look(&app).await, 1);
    let latest = post.wait_for(3).await.remove(2);
    assert!(latest.contains("Oct 26 to Nov 1, 2026"), "{latest}");
    noted(&app).await;
    assert_eq!(post.emails().len(), 3);
    app.finish().await;
}

#[actix::test]
async fn a_channel_gets_reports_at_once_and_a_recipient_is_added_once() {
    let receiver = Receiver::start().await;
    let toml = format!(
        "egress.allow = ['127.0.0.0/8']\nalarms.slack_base_url = '{}'\n",
        receiver.url
    );
    let app = App::with(&toml).await;
    let slack = json!({
        "frequency": "monthly", "type": "slack", "recipient": format!("{}/services/secret", receiver.url),
    });
    let made = add(&app, &slack).await;
    assert_eq!(made["isConfirmed"], true);
    assert!(
        !made["recipient"].as_str().unwrap().contains("secret"),
        "{made}"
    );
    let mut again = slack.clone();
    again["websiteId"] = json!(app.website);
    assert_eq!(call(&app, "create", &again).await.status, 409);
    for (field, value) in [
        ("timezone", json!("Mars")),
        ("hour", json!(24)),
        ("type", json!("pagerduty")),
        ("recipient", json!("https://else.example/")),
        ("frequency", json!("hourly")),
    ] {
        let mut wrong = again.clone();
        wrong[field] = value;
        let refused = call(&app, "create", &wrong).await;
        assert_eq!(refused.status, 400, "{field}: {}", refused.text);
    }
    let no_mail = json!({ "websiteId": app.website, "recipient": "ada@example.com" });
    assert_eq!(call(&app, "create", &no_mail).await.status, 400);
    view(&app, 0, "/pricing").await;
    app.clock.advance(HOUR * 24 * 18);
    assert_eq!(look(&app).await, 1);
    let told = receiver.wait_for(1).await.remove(0);
    let text = told.json().to_string();
    assert!(
        text.contains("Monthly report, October 2026") && text.contains("/pricing"),
        "{text}"
    );

    // Its page shows the same, and ends it.
    let owner = Browser::owner(&app).await;
    let own = format!(
        "/console/site/{}/scheduled-report/{}",
        app.website,
        made["id"].as_str().unwrap()
    );
    assert!(
        page(&owner, &own)
            .await
            .contains("Monthly report, October 2026")
    );
    let deleted = owner.submit(&format!("{own}/delete"), &[]).await;
    assert_eq!(
        leads_to(&deleted),
        format!("/console/site/{}/scheduled-reports", app.website)
    );
    app.clock.advance(HOUR * 24 * 31);
    assert_eq!(look(&app).await, 0);
    app.finish().await;
}

#[actix::test]
async fn a_report_of_a_deleted_organization_is_left_out_and_goes_on_when_it_is_restored() {
    let receiver = Receiver::start().await;
    let toml = format!(
        "egress.allow = ['127.0.0.0/8']\nalarms.slack_base_url = '{}'\n",
        receiver.url
    );
    let app = App::with(&toml).await;
    let slack = json!({
        "frequency": "daily", "type": "slack", "recipient": format!("{}/services/secret", receiver.url),
    });
    add(&app, &slack).await;
    let owner = Browser::owner(&app).await;
    let which = json!({ "organizationId": app.organization });
    let deleted = owner.post("/api/auth/organization/delete", &which).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    app.clock.advance(HOUR * 24);
    assert_eq!(look(&app).await, 0);
    let restored = owner.post("/organizations/restore", &which).await;
    assert_eq!(restored.status, 200, "{}", restored.text);
    assert_eq!(look(&app).await, 0, "that day is over");
    app.clock.advance(HOUR * 24);
    assert_eq!(look(&app).await, 1);
    let told = receiver.wait_for(1).await.remove(0).json().to_string();
    assert!(told.contains("Daily report, Oct 15, 2026"), "{told}");
    app.finish().await;
}

#[actix::test]
async fn the_preview_shows_what_recipients_get() {
    let app = App::spawn().await;
    view(&app, 0, "/<b>pricing").await;
    app.clock.advance(HOUR * 24);
    let owner = Browser::owner(&app).await;
    let path = format!("/console/site/{}/scheduled-reports/preview", app.website);
    let daily = page(&owner, &format!("{path}?frequency=daily")).await;
    for said in [
        "Daily report, Oct 14, 2026",
        "Visitors",
        "Top pages",
        "Sources",
        "Countries",
    ] {
        assert!(daily.contains(said), "{said}: {daily}");
    }
    assert!(!daily.contains("<b>pricing"), "{daily}");
    let weekly = page(&owner, &path).await;
    assert!(weekly.contains("No data for this period"), "{weekly}");
    let body = json!({ "websiteId": app.website, "timezone": "Mars" });
    assert_eq!(call(&app, "preview", &body).await.status, 400);
    app.finish().await;
}

/// A board with a number, a table and a monitor, by its id.
async fn board(app: &App) -> String {
    let push = json!({ "kind": "push", "name": "Backup", "granularity": "hour" });
    let monitor = app.post(format!("{}/uptime/createSchedule", app.base), &push);
    let monitor = monitor.await.body["scheduleId"].clone();
    // A monitor that waits for heartbeats would tell its owner that none come.
    let pause = json!({ "scheduleId": monitor });
    let paused = app.post(format!("{}/uptime/pauseSchedule", app.base), &pause);
    assert_eq!(paused.await.status, 200);
    let panels = json!([
        { "type": "website_number", "resourceId": app.website, "metric": "pageviews" },
        { "type": "website_table", "resourceId": app.website, "title": "Read" },
        { "type": "monitor_status", "resourceId": monitor },
    ]);
    let fields = json!({ "name": "Wall", "panels": panels });
    let made = app
        .post(format!("{}/boards/create", app.base), &fields)
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    made.body["id"].as_str().unwrap().to_owned()
}

#[actix::test]
async fn a_board_is_reported_once_a_period_to_who_has_confirmed() {
    let post = Post::open().await;
    let mut app = mailing(&post.url).await;
    let id = board(&app).await;
    let owner = Browser::owner(&app).await;
    let list = format!("/console/board/{id}/scheduled-reports");
    assert!(
        page(&owner, &list)
            .await
            .contains("No scheduled reports yet")
    );
    let form = [
        ("frequency", "daily"),
        ("type", "email"),
        ("recipient", "ada@example.com"),
    ];
    let added = owner.submit(&list, &form).await;
    assert_eq!(leads_to(&added), format!("{list}?done=1"));
    let question = post.wait_for(1).await.remove(0);
    assert!(question.contains("Wall: confirm"), "{question}");
    view(&app, 0, "/pricing").await;
    app.clock.advance(HOUR * 20);
    assert_eq!(look(&app).await, 0, "nobody has confirmed");
    confirm(&app, &question).await;
    view(&app, 1, "/pricing").await;
    view(&app, 2, "/<b>").await;
    let session = owner.session();
    drop(owner);
    app.clock.advance(HOUR * 24);
    assert_eq!(look(&app).await, 1);
    assert_eq!(look(&app).await, 0, "once");
    let report = post.wait_for(2).await.remove(1);
    for said in [
        "Wall: Daily report, Oct 15, 2026",
        "localhost: Pageviews: 2 (+100.0%)",
        "localhost: Read",
        "/pricing: 1",
        "Backup: Status: not checked",
        "List-Unsubscribe-Post",
    ] {
        assert!(report.contains(said), "{said}: {report}");
    }
    noted(&app).await;
    app.restart().await;
    assert_eq!(look(&app).await, 0, "whatever restarts");

    // The preview shows the same, and nothing is sent about a board that is gone.
    let owner = Browser::with(&app, &session);
    let preview = page(&owner, &format!("{list}/preview?frequency=daily")).await;
    assert!(
        preview.contains("localhost: Pageviews") && !preview.contains("/<b>"),
        "{preview}"
    );
    let gone = owner
        .submit(&format!("/console/board/{id}/delete"), &[])
        .await;
    assert_eq!(leads_to(&gone), "/console/boards");
    app.clock.advance(HOUR * 24);
    assert_eq!(look(&app).await, 0);
    assert_eq!(post.emails().len(), 2);
    app.finish().await;
}
