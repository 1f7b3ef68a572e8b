//! Alarms over HTTP: created, and delivered over webhooks and email, once, in time.

use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering::SeqCst},
    },
    time::Duration,
};

use pharos::access::Role;
use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt as _, net::TcpListener, task::JoinSet};

use crate::{
    app::{Answer, App, NOW, until},
    cast::Cast,
    people::post::Post,
    receiver::{Receiver, read},
};

pub const OPEN: &str = "egress.allow = ['127.0.0.0/8']\nlimits.query_requests = 0\n";
const MINUTE: Duration = Duration::from_mins(1);

/// Something to watch, whose status can be changed.
pub struct Target {
    pub url: String,
    pub status: Arc<AtomicU16>,
    _task: JoinSet<()>,
}

impl Target {
    pub async fn start(status: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let status = Arc::new(AtomicU16::new(status));
        let says = Arc::clone(&status);
        let mut task = JoinSet::new();
        task.spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let _ = read(&mut stream).await;
                let status = says.load(SeqCst);
                let text = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n");
                let _ = stream.write_all(text.as_bytes()).await;
            }
        });
        Self {
            url,
            status,
            _task: task,
        }
    }
}

pub async fn call(app: &App, path: &str, body: Value) -> Answer {
    app.post(format!("{}{path}", app.base), &body).await
}

pub async fn call_ok(app: &App, path: &str, body: Value) -> Value {
    let answer = call(app, path, body.clone()).await;
    assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text);
    answer.body
}

async fn monitor(app: &App, target: &Target) -> String {
    let fields = json!({ "url": target.url, "name": "API", "granularity": "minute", "retries": 0 });
    let made = call_ok(app, "/uptime/createSchedule", fields).await;
    made["scheduleId"].as_str().unwrap().to_owned()
}

fn webhook(receiver: &Receiver) -> Value {
    json!([{ "type": "webhook", "identifier": format!("{}/hook", receiver.url), "config": { "headers": { "X-Own": "own-value-of-mine" } } }])
}

async fn alarm(app: &App, destinations: Value, more: Value) -> Value {
    let mut fields =
        json!({ "name": "Prod", "triggerType": "uptime", "destinations": destinations });
    for (name, value) in more.as_object().unwrap() {
        fields[name] = value.clone();
    }
    call_ok(app, "/alarms/create", fields).await
}

fn secret(alarm: &Value) -> String {
    let secret = &alarm["destinations"][0]["config"]["secret"];
    secret.as_str().unwrap().to_owned()
}

#[actix::test]
async fn a_monitor_that_goes_down_is_told_once_signed_and_once_more_when_it_is_back() {
    let mut app = App::with(OPEN).await;
    let (target, receiver) = (Target::start(500).await, Receiver::start().await);
    let made = alarm(&app, webhook(&receiver), json!({})).await;
    let monitor = monitor(&app, &target).await;
    let first = receiver.wait_for(1).await.remove(0);
    assert!(first.is_signed(&secret(&made)), "{first:?}");
    assert_eq!(first.header("x-own"), "own-value-of-mine");
    let body = first.json();
    assert_eq!(body["type"], "alarm.fired");
    assert_eq!(body["data"]["alarm"]["id"], made["id"]);
    let alert = &body["data"]["alerts"][0];
    assert_eq!(alert["subject"], json!({ "id": monitor, "name": "API" }));
    assert_eq!(alert["status"], "firing");
    assert!(alert["evidence"].as_str().unwrap().contains("Down since"));
    let one = json!({ "alarmId": made["id"] });
    let shown = call_ok(&app, "/alarms/get", one.clone()).await;
    assert_eq!(shown["standings"][0]["status"], "firing");

    until("it is in the log as delivered", async || {
        call_ok(&app, "/alarms/deliveries", one.clone()).await[0]["status"] == "delivered"
    })
    .await;
    // A restart knows which messages were sent.
    app.restart().await;
    target.status.store(200, SeqCst);
    app.clock.advance(MINUTE);
    let all = receiver.wait_for(2).await;
    assert_eq!(all.len(), 2, "{all:?}");
    assert_eq!(all[1].json()["type"], "alarm.resolved");
    assert!(all[1].is_signed(&secret(&made)));
    assert_ne!(all[0].header("webhook-id"), all[1].header("webhook-id"));
    until("both are in the log as delivered", async || {
        let log = call_ok(&app, "/alarms/deliveries", one.clone()).await;
        let log = log.as_array().unwrap().clone();
        log.len() == 2 && log.iter().all(|one| one["status"] == "delivered")
    })
    .await;
    // What was delivered can be sent again, under the same id.
    let log = call_ok(&app, "/alarms/deliveries", one.clone()).await;
    assert_eq!(log[0]["event"], "alarm.resolved");
    let again = json!({ "alarmId": made["id"], "deliveryId": log[0]["id"] });
    call_ok(&app, "/alarms/replay", again).await;
    let all = receiver.wait_for(3).await;
    assert_eq!(all[2].header("webhook-id"), all[1].header("webhook-id"));
    assert_eq!(all[2].body, all[1].body);
    app.finish().await;
}

#[actix::test]
async fn a_receiver_that_fails_is_tried_again_on_its_own_clock_until_it_wants_nothing_any_more() {
    let post = Post::open().await;
    let mail = format!(
        "mail.smtp_url = '{}'\nmail.from = 'pharos@example.com'\n",
        post.url
    );
    let app = App::with(&format!("{OPEN}{mail}")).await;
    let (target, receiver) = (Target::start(500).await, Receiver::start().await);
    let retry = "429 Slow\r\nretry-after: 3600";
    let elsewhere = "302 Found\r\nlocation: /elsewhere";
    receiver.answer(&["500 Broken", retry, elsewhere, "410 Gone"]);
    let made = alarm(&app, webhook(&receiver), json!({})).await;
    monitor(&app, &target).await;
    let one = json!({ "alarmId": made["id"] });
    let state = async || call_ok(&app, "/alarms/deliveries", one.clone()).await[0].clone();
    let next = |state: &Value| {
        let text = state["nextAttemptAt"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let read = chrono::DateTime::parse_from_rfc3339(&text);
        read.map_or(0, |at| at.timestamp_millis())
    };
    for (attempt, least, most) in [
        (1, 4_500, 5_500),
        (2, 3_600_000, 3_600_000),
        (3, 1_620_000, 1_980_000),
    ] {
        until("the attempt failed", async || {
            state().await["attempts"] == attempt
        })
        .await;
        let waits = next(&state().await);
        let pause = waits - app.clock.now_ms();
        assert!((least..=most).contains(&pause), "{attempt}: {pause}");
        assert_eq!(receiver.got().len(), attempt, "redirects are not followed");
        app.clock
            .advance(Duration::from_millis(pause.unsigned_abs()));
    }
    until("it is given up", async || state().await["status"] == "gone").await;
    until("the destination is off", async || {
        let shown = call_ok(&app, "/alarms/get", one.clone()).await;
        shown["destinations"][0]["disabled"].is_string()
    })
    .await;
    let ids: Vec<String> = receiver
        .got()
        .iter()
        .map(|got| got.header("webhook-id"))
        .collect();
    assert!(
        ids.iter().all(|id| *id == ids[0] && id.starts_with("msg_")),
        "{ids:?}"
    );
    let about_it = |email: &&String| email.contains("Channel disabled");
    until("the owner knows", async || {
        post.emails().iter().any(|one| about_it(&one))
    })
    .await;
    // Nothing is sent there any more, until it is changed.
    target.status.store(200, SeqCst);
    app.clock.advance(MINUTE);
    until("it is over", async || {
        let shown = call_ok(&app, "/alarms/get", one.clone()).await;
        shown["standings"][0]["status"] == "quiet"
    })
    .await;
    assert_eq!(receiver.got().len(), 4);
    assert_eq!(post.emails().iter().filter(about_it).count(), 1, "once");
    app.finish().await;
}

#[actix::test]
async fn restarts_between_the_steps_lose_nothing_and_double_nothing_that_was_confirmed() {
    let mut app = App::with(OPEN).await;
    let (target, receiver) = (Target::start(500).await, Receiver::start().await);
    receiver.answer(&["500 Broken"]);
    let made = alarm(&app, webhook(&receiver), json!({})).await;
    monitor(&app, &target).await;
    receiver.wait_for(1).await;
    let one = json!({ "alarmId": made["id"] });
    for _ in 0..3 {
        app.restart().await;
        let shown = call_ok(&app, "/alarms/get", one.clone()).await;
        assert_eq!(shown["standings"][0]["status"], "firing");
    }
    app.clock.advance(Duration::from_secs(6));
    receiver.wait_for(2).await;
    until("it is confirmed", async || {
        call_ok(&app, "/alarms/deliveries", one.clone()).await[0]["status"] == "delivered"
    })
    .await;
    app.restart().await;
    app.clock.advance(MINUTE);
    target.status.store(200, SeqCst);
    app.clock.advance(MINUTE);
    let all = receiver.wait_for(3).await;
    let kinds: Vec<Value> = all.iter().map(|got| got.json()["type"].clone()).collect();
    assert_eq!(kinds, ["alarm.fired", "alarm.fired", "alarm.resolved"]);
    assert_eq!(all[0].header("webhook-id"), all[1].header("webhook-id"));
    app.finish().await;
}

#[actix::test]
async fn secrets_are_shown_once_and_masked_ever_after() {
    let cast = Cast::with(OPEN).await;
    let receiver = Receiver::start().await;
    let fields = json!({ "name": "A", "triggerType": "uptime", "destinations": webhook(&receiver), "organizationId": cast.app.organization });
    let member = cast.person(Role::Member);
    let made = cast.call_ok(&member, "/alarms/create", &fields).await;
    let first = secret(&made);
    assert!(first.starts_with("whsec_"), "{first}");
    let one = json!({ "alarmId": made["id"] });
    let shown = cast.call_ok(&member, "/alarms/get", &one).await;
    let destination = &shown["destinations"][0];
    assert_eq!(destination["identifier"], format!("{}/hook", receiver.url));
    assert_eq!(
        destination["config"]["headers"]["X-Own"],
        "own-value-of-mine"
    );
    assert!(
        destination["config"]["secret"]
            .as_str()
            .unwrap()
            .starts_with("••••")
    );
    let seen = cast
        .call_ok(&cast.person(Role::Viewer), "/alarms/get", &one)
        .await;
    let destination = &seen["destinations"][0];
    assert!(
        destination["identifier"]
            .as_str()
            .unwrap()
            .starts_with("••••"),
        "{seen}"
    );
    assert_eq!(destination["config"]["headers"]["X-Own"], "••••mine");

    // After a rotation messages are signed with both secrets.
    let rotate = json!({ "alarmId": made["id"], "destinationId": destination["id"] });
    let rotated = cast.call_ok(&member, "/alarms/rotateSecret", &rotate).await;
    let second = rotated["secret"].as_str().unwrap();
    let tested = cast.call_ok(&member, "/alarms/test", &one).await;
    assert_eq!(
        tested,
        json!({ "results": [{ "success": true, "channel": "webhook" }] })
    );
    let got = receiver.wait_for(1).await.remove(0);
    assert!(got.is_signed(&first) && got.is_signed(second), "{got:?}");
    assert_eq!(got.json()["type"], "alarm.test");
    cast.app.clock.advance(Duration::from_hours(25));
    cast.call_ok(&member, "/alarms/test", &one).await;
    let got = receiver.wait_for(2).await.remove(1);
    assert!(!got.is_signed(&first) && got.is_signed(second), "{got:?}");
    // A change that says what is shown changes no secret.
    let back = json!({ "alarmId": made["id"], "name": "B", "destinations": [{
        "id": destination["id"], "type": "webhook", "identifier": destination["identifier"],
        "config": destination["config"] }] });
    cast.call_ok(&member, "/alarms/update", &back).await;
    cast.call_ok(&member, "/alarms/test", &one).await;
    let got = receiver.wait_for(3).await.remove(2);
    assert!(got.is_signed(second), "{got:?}");
    assert_eq!(got.header("x-own"), "own-value-of-mine");
    cast.app.finish().await;
}

#[actix::test]
async fn every_service_is_reached_where_the_operator_says() {
    // Each has its own address and cannot pass for another.
    let services = [
        ("slack", "/services/T/B/x"),
        ("discord", "/api/webhooks/1/t"),
        ("telegram", "/bot1:t/sendMessage"),
        ("teams", "/w"),
        ("pagerduty", "/v2/enqueue"),
    ];
    let post = Post::open().await;
    let mut toml = format!(
        "{OPEN}mail.smtp_url = '{}'\nmail.from = 'pharos@example.com'\n",
        post.url
    );
    let mut receivers = Vec::new();
    for (service, path) in services {
        let receiver = Receiver::start().await;
        let _ = writeln!(toml, "alarms.{service}_base_url = '{}'", receiver.url);
        receivers.push((service, path, receiver));
    }
    let app = App::with(&toml).await;
    let destinations = json!([
        { "type": "slack", "identifier": "https://hooks.slack.com/services/T/B/x" },
        { "type": "discord", "identifier": "https://discord.com/api/webhooks/1/t" },
        { "type": "telegram", "identifier": "-1001", "config": { "token": "1:t" } },
        { "type": "teams", "identifier": "https://x.logic.azure.com/w" },
        { "type": "pagerduty", "identifier": "0123456789abcdef0123456789abcdef" },
        { "type": "email", "identifier": "oncall@example.com" },
    ]);
    let made = alarm(&app, destinations, json!({})).await;
    let one = json!({ "alarmId": made["id"] });
    let tested = call_ok(&app, "/alarms/test", one.clone()).await;
    for result in tested["results"].as_array().unwrap() {
        assert_eq!(result["success"], true, "{tested}");
    }
    for (service, path, receiver) in &receivers {
        let got = receiver.got();
        let paths: Vec<&str> = got
            .iter()
            .map(|got| got.head.split(' ').nth(1).unwrap())
            .collect();
        assert_eq!(paths, [*path], "{service}");
    }
    let emails = post.wait_for(1).await;
    assert!(emails[0].contains("Subject: Test: Prod"), "{}", emails[0]);
    assert!(emails[0].contains("References: <"), "{}", emails[0]);
    // What goes wrong is said.
    for (.., receiver) in &receivers {
        receiver.answer(&["403 No"]);
    }
    let tested = call_ok(&app, "/alarms/test", one).await;
    let failed = tested["results"].as_array().unwrap();
    let failed = failed.iter().filter(|result| result["success"] == false);
    assert_eq!(failed.count(), 5, "{tested}");
    assert!(
        tested["results"][0]["error"]
            .as_str()
            .unwrap()
            .contains("403")
    );
    app.finish().await;
}

#[actix::test]
async fn a_drop_of_traffic_is_seen_and_a_back_test_says_what_would_have_been() {
    let app = App::with(OPEN).await;
    let receiver = Receiver::start().await;
    let hour = 3_600_000;
    // Three views in every hour of two days, but for the last one before now, which has one.
    let mut events = Vec::new();
    for back in 1..48_i64 {
        let views = if back == 1 { 1 } else { 3 };
        for view in 0..views {
            events.push(json!({
                "eventId": format!("e{back}-{view}"), "name": "screen_view", "path": "https://a.example/",
                "anonymousId": format!("a{view}"), "sessionId": format!("s{back}-{view}"),
                "timestamp": NOW - back * hour + 60_000,
            }));
        }
    }
    for chunk in events.chunks(50) {
        app.send_pages(chunk).await;
    }
    let conditions = json!({ "factor": 0.5, "minimum": 2, "days": 1 });
    let question = json!({ "triggerType": "traffic_drop", "triggerConditions": conditions, "websiteId": app.website, "days": 1 });
    let past = call_ok(&app, "/alarms/backtest", question).await;
    assert_eq!(past["fires"], 1, "{past}");
    assert_eq!(past["firings"][0]["firedAt"], "2026-10-14T12:00:00.000Z");
    let more = json!({ "triggerType": "traffic_drop", "triggerConditions": conditions, "websiteId": app.website });
    alarm(&app, webhook(&receiver), more).await;
    let got = receiver.wait_for(1).await.remove(0).json();
    let alert = &got["data"]["alerts"][0];
    assert_eq!(
        (&alert["value"], &alert["threshold"]),
        (&json!(1.0), &json!(1.5))
    );
    assert_eq!(alert["subject"], Value::Null);
    let custom = json!({ "triggerType": "custom", "triggerConditions": { "query": "events_by_date", "field": "pageviews", "threshold": 2, "operator": "below" }, "days": 1 });
    let past = call_ok(&app, "/alarms/backtest", custom).await;
    assert_eq!(past["fires"], 1, "{past}");
    app.finish().await;
}

#[actix::test]
async fn what_is_wrong_is_said_with_its_place_and_nothing_is_kept() {
    let app = App::spawn().await;
    let to = json!([{ "type": "webhook", "identifier": "https://hook.example/" }]);
    for (more, place) in [
        (json!({ "name": "" }), "name"),
        (json!({ "for": 90_000 }), "for"),
        (json!({ "enabled": "yes" }), "enabled"),
        (json!({ "nmae": "x" }), "nmae"),
        (json!({ "destinations": [] }), "destinations"),
        (
            json!({ "destinations": [{ "type": "webhook", "identifier": "http://127.0.0.1/" }] }),
            "destinations.0.identifier",
        ),
        (
            json!({ "destinations": [{ "type": "email", "identifier": "a@b.example" }] }),
            "destinations.0.type",
        ),
        (
            json!({ "triggerConditions": { "certificateDays": 0 } }),
            "triggerConditions.certificateDays",
        ),
        (
            json!({ "triggerType": "web_vital" }),
            "triggerConditions.metric",
        ),
        (json!({ "mute": [{ "cron": "x", "minutes": 5 }] }), "mute.0"),
    ] {
        let mut fields = json!({ "name": "A", "triggerType": "uptime", "destinations": to });
        for (name, value) in more.as_object().unwrap() {
            fields[name] = value.clone();
        }
        let answer = call(&app, "/alarms/create", fields).await;
        assert_eq!(answer.status, 400, "{more}: {}", answer.text);
        let path = answer.body["data"]["issues"][0]["path"]
            .as_array()
            .unwrap()
            .clone();
        let path: Vec<String> = path
            .iter()
            .map(|part| {
                part.as_str()
                    .map_or_else(|| part.to_string(), str::to_owned)
            })
            .collect();
        assert_eq!(path.join("."), place, "{}", answer.text);
    }
    assert_eq!(call_ok(&app, "/alarms/list", json!({})).await, json!([]));
    app.finish().await;
}
