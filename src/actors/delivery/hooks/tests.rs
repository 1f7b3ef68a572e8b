use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    channels::{Message, Request},
    *,
};

const NOW: i64 = 1_800_000_000_000;

fn channels() -> Channels {
    let options = ChannelOptions {
        slack_base_url: "http://127.0.0.1:1/relay/".to_owned(),
        ..ChannelOptions::default()
    };
    Channels::load(&options).unwrap()
}

fn notice(resolved: bool) -> Notice {
    Notice {
        kind: "alarm.fired".to_owned(),
        timestamp: "2026-10-14T12:00:00.000Z".to_owned(),
        title: "<b>API</b> & more is down".to_owned(),
        text: "It answered 500.\n@everyone".to_owned(),
        link: "https://pharos.example/".to_owned(),
        thread: "alarm:a:m".to_owned(),
        resolved,
        data: json!({ "é": 1 }),
    }
}

fn channel(kind: &str, identifier: &str) -> Channel {
    Channel {
        kind: kind.into(),
        identifier: identifier.to_owned(),
        ..Channel::default()
    }
}

fn request(hook: &Hook, id: &str, now_ms: i64) -> Request {
    let message = Message {
        channel: &hook.to,
        notice: &hook.notice,
        channels: &channels(),
        id,
        now_ms,
    };
    message.request().unwrap().unwrap()
}

fn request_for(to: Channel, resolved: bool) -> (String, Value) {
    let hook = Hook {
        to,
        notice: notice(resolved),
    };
    let made = request(&hook, "id", NOW);
    (made.url.into(), serde_json::from_str(&made.body).unwrap())
}

#[test]
fn every_service_gets_its_own_shape() {
    let url = "https://hooks.slack.com/services/T/B/x?y=1";
    let (to, body) = request_for(channel("slack", url), false);
    assert_eq!(to, "http://127.0.0.1:1/relay/services/T/B/x?y=1");
    assert_eq!(body["text"], "&lt;b&gt;API&lt;/b&gt; &amp; more is down");
    let title = &body["blocks"][0]["text"]["text"];
    assert_eq!(title, "<b>API</b> & more is down");

    let url = "https://discord.com/api/webhooks/1/t";
    let (to, body) = request_for(channel("discord", url), false);
    assert_eq!(to, url);
    assert_eq!(body["allowed_mentions"], json!({ "parse": [] }));
    assert_eq!(body["embeds"][0]["title"], notice(false).title);

    let telegram = Channel {
        fields: BTreeMap::from([("token".to_owned(), "1:t".to_owned())]),
        ..channel("telegram", "-100")
    };
    let (to, body) = request_for(telegram, false);
    assert_eq!(to, "https://api.telegram.org/bot1:t/sendMessage");
    assert_eq!(body["chat_id"], "-100");
    assert_eq!(body["parse_mode"], Value::Null);

    let url = "https://x.webhook.office.com/w";
    let (to, body) = request_for(channel("teams", url), false);
    assert_eq!(to, url);
    assert_eq!(body["attachments"][0]["content"]["type"], "AdaptiveCard");

    for (resolved, action) in [(false, "trigger"), (true, "resolve")] {
        let key = "k".repeat(32);
        let (to, body) = request_for(channel("pagerduty", &key), resolved);
        assert_eq!(to, "https://events.pagerduty.com/v2/enqueue");
        assert_eq!(body["event_action"], action);
        assert_eq!(body["dedup_key"], "alarm:a:m");
    }
}

fn signed(secrets: &[String], method: &str) -> Request {
    let to = Channel {
        method: Some(method.to_owned()),
        headers: BTreeMap::from([("X-Own".to_owned(), "1".to_owned())]),
        secrets: secrets.to_vec(),
        ..channel("webhook", "https://hook.example/x")
    };
    let hook = Hook {
        to,
        notice: notice(false),
    };
    // The reference library looks at the real clock.
    request(&hook, "0199", Clock::system().now_ms())
}

/// What the reference library says of it.
fn verified(secret: &str, made: &Request, body: &[u8]) -> bool {
    let webhook = standardwebhooks::Webhook::new(secret).unwrap();
    webhook.verify(body, &made.headers).is_ok()
}

#[test]
fn the_reference_verifier_takes_what_is_sent_and_refuses_any_changed_byte() {
    let (old, new) = (new_secret().unwrap(), new_secret().unwrap());
    let made = signed(&[new.clone(), old.clone()], "POST");
    let body = made.body.clone().into_bytes();
    let said: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(
        said,
        json!({ "type": "alarm.fired", "timestamp": "2026-10-14T12:00:00.000Z", "data": { "é": 1 } })
    );
    assert!(verified(&new, &made, &body) && verified(&old, &made, &body));
    assert!(!verified(&new_secret().unwrap(), &made, &body));
    for nth in 0..body.len() {
        let mut bent = body.clone();
        bent[nth] ^= 1;
        assert!(!verified(&new, &made, &bent), "byte {nth}");
    }
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        let mut bent = signed(std::slice::from_ref(&new), "POST");
        let mut value = bent.headers[name].to_str().unwrap().to_owned();
        let at = value.len() / 2;
        let other = if &value[at..=at] == "1" { "2" } else { "1" };
        value.replace_range(at..=at, other);
        bent.headers.insert(name, value.parse().unwrap());
        assert!(!verified(&new, &bent, &body), "{name}");
    }
    let get = signed(std::slice::from_ref(&new), "GET");
    assert!(get.body.is_empty() && verified(&new, &get, b""));
}

/// A receiver that never answers has not confirmed: the message is sent again, under the same id.
#[tokio::test]
async fn a_receiver_that_hangs_is_tried_again() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut silent = tokio::task::JoinSet::new();
    silent.spawn(async move {
        let mut open = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            open.push(stream);
        }
    });
    let policy = crate::egress::testing::this_machine();
    let egress = Egress::new(policy, Arc::new(crate::egress::NoNameServers)).unwrap();
    let hooks = Hooks {
        patience: Duration::from_millis(50),
        ..Hooks::new(egress, channels(), Clock::fixed(NOW))
    };
    let hook = Hook {
        to: channel("webhook", &format!("http://{address}/hook")),
        notice: notice(false),
    };
    let attempt = Attempt {
        id: "msg_1".to_owned(),
        payload: serde_json::to_value(hook).unwrap(),
        tried: 0,
    };
    let failure = hooks.deliver(attempt).await.unwrap_err();
    assert!(!failure.forever && !failure.gone, "{failure:?}");
    assert!(failure.what.contains("in time"), "{failure:?}");
}

#[test]
fn what_earlier_versions_left_in_the_outbox_is_read() {
    for (to, kind, identifier) in [
        (json!({ "kind": "slack", "url": "u" }), "slack", "u"),
        (
            json!({ "kind": "telegram", "chat": "c", "token": "t" }),
            "telegram",
            "c",
        ),
        (json!({ "kind": "pagerduty", "key": "k" }), "pagerduty", "k"),
        (
            json!({ "kind": "webhook", "url": "u", "method": "PUT", "headers": { "a": "b" }, "secrets": ["s"] }),
            "webhook",
            "u",
        ),
    ] {
        let read: Channel = serde_json::from_value(to).unwrap();
        assert_eq!(
            (read.kind.as_str(), read.identifier.as_str()),
            (kind, identifier)
        );
        let again = serde_json::to_value(&read).unwrap();
        assert_eq!(serde_json::from_value::<Channel>(again).unwrap(), read);
    }
}
