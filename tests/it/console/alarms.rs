//! Alerts at the console: backtested, created, tested, changed.

use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::App,
    people::{browser::Browser, team::invited},
    receiver::Receiver,
};

pub(super) const NEW: &str = "/console/alarms/new";
pub(super) const LOCAL: &str = "egress.allow = ['127.0.0.0/8']\nsignup.open = true\n";

async fn stored(app: &App, id: &str) -> Value {
    let url = format!("{}/alarms/get", app.base);
    app.post(url, &json!({ "alarmId": id })).await.body
}

#[actix::test]
async fn every_alert_type_has_its_form() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let empty = page(&owner, "/console/alarms").await;
    assert!(empty.contains("No alerts yet"), "{empty}");
    for (kind, field) in [
        ("uptime", "down"),
        ("heartbeat", ""),
        ("traffic_spike", "factor"),
        ("traffic_drop", "recoverFactor"),
        ("error_rate", "threshold"),
        ("web_vital", "metric"),
        ("custom", "query"),
    ] {
        let form = page(&owner, &format!("{NEW}?about={kind}")).await;
        assert!(
            form.contains(&format!("name=\"triggerType\" value=\"{kind}\"")),
            "{form}"
        );
        if !field.is_empty() {
            assert!(
                form.contains(&format!("name=\"triggerConditions.{field}\"")),
                "{kind}: {form}"
            );
        }
    }
    let fields = [
        ("triggerType", "error_rate"),
        ("name", "Errors"),
        ("triggerConditions.threshold", "2.5"),
        ("enabled", "on"),
    ];
    let played = owner
        .submit(NEW, &[&fields[..], &[("backtest", "1")]].concat())
        .await;
    is_page(&played, 200);
    let said = played
        .text
        .contains("this alert would have fired <strong>0 times</strong>");
    assert!(
        said && played.text.contains("value=\"2.5\""),
        "{}",
        played.text
    );
    let nobody = owner.submit(NEW, &fields).await;
    is_page(&nobody, 400);
    assert!(
        nobody
            .text
            .contains("Add at least one notification channel"),
        "{}",
        nobody.text
    );
    let wrong = [
        ("triggerType", "error_rate"),
        ("name", "x"),
        ("triggerConditions.threshold", "much"),
    ];
    for send in [&wrong[..], &[&wrong[..], &[("backtest", "1")]].concat()] {
        let wrong = owner.submit(NEW, send).await;
        is_page(&wrong, 400);
        assert!(
            wrong
                .text
                .contains("id=\"triggerConditions.threshold-wrong\""),
            "{}",
            wrong.text
        );
    }
    assert!(
        page(&owner, "/console/alarms")
            .await
            .contains("No alerts yet"),
        "nothing was saved"
    );
    app.finish().await;
}

#[actix::test]
async fn an_alert_is_created_tested_changed_and_deleted() {
    let app = App::with(LOCAL).await;
    let receiver = Receiver::start().await;
    let owner = Browser::owner(&app).await;
    let fields = [
        ("triggerType", "uptime"),
        ("name", "Down <b>"),
        ("triggerConditions.down", "on"),
        ("enabled", "on"),
        ("destinations.0.type", "webhook"),
        ("destinations.0.identifier", &receiver.url),
        ("destinations.0.headers", "x-team: shop"),
        ("destinations.1.type", "email"),
        ("destinations.1.identifier", ""),
        ("mute.0.cron", "0 2 * * 0"),
        ("mute.0.minutes", "60"),
    ];
    let silent = [
        &fields[..],
        &[("mute.1.cron", "every day"), ("mute.1.minutes", "5")],
    ]
    .concat();
    let silent = owner.submit(NEW, &silent).await;
    is_page(&silent, 400);
    assert!(
        silent.text.contains("value=\"every day\"") && silent.text.contains("class=\"wrong\""),
        "{}",
        silent.text
    );
    let made = owner.submit(NEW, &fields).await;
    is_page(&made, 200);
    assert!(made.text.contains("whsec_"), "{}", made.text);
    let path = made
        .text
        .split("href=\"")
        .find(|text| text.starts_with("/console/alarm/"))
        .unwrap();
    let path = path.split('"').next().unwrap().to_owned();
    let id = path.rsplit('/').next().unwrap().to_owned();
    let shown = page(&owner, &path).await;
    assert!(
        shown.contains("Down &lt;b&gt;") && !shown.contains("whsec_"),
        "{shown}"
    );
    assert!(
        page(&owner, "/console/alarms")
            .await
            .contains("state good\">OK")
    );

    let tested = owner.submit(&format!("{path}/test"), &[]).await;
    is_page(&tested, 200);
    assert!(
        tested.text.contains("webhook: test delivered"),
        "{}",
        tested.text
    );
    let got = receiver.wait_for(1).await;
    assert_eq!(got[0].header("x-team"), "shop");
    receiver.answer(&["500 No"]);
    let tested = owner.submit(&format!("{path}/test"), &[]).await;
    assert!(tested.text.contains("notice bad"), "{}", tested.text);

    let before = stored(&app, &id).await["destinations"][0].clone();
    let own = before["id"].as_str().unwrap().to_owned();
    let change = [
        ("triggerType", "uptime"),
        ("name", "Slow"),
        ("triggerConditions.degraded", "on"),
        ("for", "60"),
        ("destinations.0.id", &own),
        ("destinations.0.type", "webhook"),
        (
            "destinations.0.identifier",
            before["identifier"].as_str().unwrap(),
        ),
        ("destinations.1.type", "webhook"),
        ("destinations.1.identifier", "nowhere"),
    ];
    let wrong = owner.submit(&path, &change).await;
    is_page(&wrong, 400);
    assert!(
        wrong
            .text
            .contains("id=\"destinations.1.identifier-wrong\""),
        "{}",
        wrong.text
    );
    let changed = owner.submit(&path, &change[..7]).await;
    assert_eq!(leads_to(&changed), format!("{path}?done=1"));
    let after = stored(&app, &id).await;
    assert_eq!(
        (&after["name"], &after["enabled"], &after["for"]),
        (&json!("Slow"), &json!(false), &json!(60))
    );
    assert_eq!(
        after["triggerConditions"],
        json!({ "down": false, "degraded": true })
    );
    assert_eq!(
        after["destinations"][0]["config"]["secret"], before["config"]["secret"],
        "it stays"
    );
    let rotated = owner
        .submit(&format!("{path}/rotate"), &[("destination", &own)])
        .await;
    is_page(&rotated, 200);
    assert!(rotated.text.contains("whsec_"), "{}", rotated.text);
    let unsent = owner
        .submit(&format!("{path}/replay"), &[("delivery", "none")])
        .await;
    is_page(&unsent, 400);
    let quiet = owner.submit(&format!("{path}/acknowledge"), &[]).await;
    is_page(&quiet, 400);
    assert!(quiet.text.contains("isn't firing"), "{}", quiet.text);

    let viewer = invited(&app, &owner, "viewer").await;
    let seen = page(&viewer, &path).await;
    assert!(
        !seen.contains(&receiver.url) && !seen.contains("Delete alert"),
        "{seen}"
    );
    is_page(&viewer.submit(&format!("{path}/test"), &[]).await, 403);
    assert_eq!(
        leads_to(&owner.submit(&format!("{path}/delete"), &[]).await),
        "/console/alarms"
    );
    is_page(&owner.get(&path).await, 404);
    app.finish().await;
}

/// The fields of a new alert to a recipient.
pub(super) fn new_alert<'a>(channel: &'a str, recipient: &'a str) -> [(&'a str, &'a str); 6] {
    [
        ("triggerType", "uptime"),
        ("name", "Down"),
        ("triggerConditions.down", "on"),
        ("enabled", "on"),
        ("destinations.0.type", channel),
        ("destinations.0.identifier", recipient),
    ]
}

#[actix::test]
async fn a_new_alert_without_email_configured_defaults_to_a_channel_that_works() {
    let app = App::with(LOCAL).await;
    let owner = Browser::owner(&app).await;
    let form = page(&owner, NEW).await;
    let channels = form.split("id=\"destinations.0.type\"").nth(1).unwrap();
    let channels = channels.split("</select>").next().unwrap();
    let first = channels.split("<option value=\"").nth(1).unwrap();
    assert!(first.starts_with("webhook\""), "{channels}");
    assert!(
        channels.contains("Email (address) – not configured"),
        "{channels}"
    );
    let refused = owner
        .submit(NEW, &new_alert("email", "a@example.com"))
        .await;
    is_page(&refused, 400);
    let beside = refused
        .text
        .split("id=\"destinations.0.type-wrong\">")
        .nth(1);
    let beside = beside.unwrap_or_else(|| panic!("{}", refused.text));
    let message = "Email isn't configured. Set “mail.smtp_url” or choose another channel.";
    assert!(beside.starts_with(message), "{beside}");
    assert!(
        refused.text.contains("<option value=\"email\" selected>"),
        "what was chosen stays: {}",
        refused.text
    );
    app.finish().await;
}
