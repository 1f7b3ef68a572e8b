//! What each service is sent. Pure.

use std::collections::BTreeMap;

use hyper::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use super::{Hook, Notice, signature};

/// `[alarms]` of the configuration: where the services are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bases {
    #[serde(rename = "slack_base_url")]
    pub slack: String,
    #[serde(rename = "discord_base_url")]
    pub discord: String,
    #[serde(rename = "telegram_base_url")]
    pub telegram: String,
    /// Microsoft Teams' workflows; empty = where each destination says.
    #[serde(rename = "teams_base_url")]
    pub teams: String,
    #[serde(rename = "pagerduty_base_url")]
    pub pagerduty: String,
}

impl Default for Bases {
    fn default() -> Self {
        let at = |address: &str| address.to_owned();
        Self {
            slack: at("https://hooks.slack.com"),
            discord: at("https://discord.com"),
            telegram: at("https://api.telegram.org"),
            teams: String::new(),
            pagerduty: at("https://events.pagerduty.com"),
        }
    }
}

/// Where a message goes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Channel {
    /// Any HTTP server.
    Webhook {
        /// Its address.
        url: String,
        /// `POST` as a rule.
        method: String,
        /// Fields of the request's head.
        headers: BTreeMap<String, String>,
        /// What it is signed with.
        secrets: Vec<String>,
    },
    /// A channel in Slack.
    Slack {
        /// Its incoming webhook.
        url: String,
    },
    /// A channel in Discord.
    Discord {
        /// Its webhook.
        url: String,
    },
    /// A chat in Telegram.
    Telegram {
        /// The chat.
        chat: String,
        /// The bot's token.
        token: String,
    },
    /// A channel in Microsoft Teams.
    Teams {
        /// Its workflow.
        url: String,
    },
    /// A service in PagerDuty.
    Pagerduty {
        /// Its routing key.
        key: String,
    },
}

impl std::fmt::Debug for Channel {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Channel(…)")
    }
}

/// A request, ready to be sent.
pub(super) struct Made {
    pub(super) method: Method,
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

/// The request that says it.
pub(super) fn request(hook: &Hook, bases: &Bases, id: &str, now_ms: i64) -> Result<Made, String> {
    let notice = &hook.notice;
    let (url, body) = match &hook.to {
        Channel::Webhook {
            url,
            method,
            headers,
            secrets,
        } => {
            let method = Method::from_bytes(method.as_bytes());
            let method = method.map_err(|error| error.to_string())?;
            let made = webhook((url, method, headers), secrets, notice, (id, now_ms));
            return Ok(made);
        }
        Channel::Slack { url } => (moved(url, &bases.slack)?, slack(notice)),
        Channel::Discord { url } => (moved(url, &bases.discord)?, discord(notice)),
        Channel::Telegram { chat, token } => {
            let base = bases.telegram.trim_end_matches('/');
            let url = format!("{base}/bot{token}/sendMessage");
            (url, telegram(notice, chat))
        }
        Channel::Teams { url } => (moved(url, &bases.teams)?, teams(notice)),
        Channel::Pagerduty { key } => {
            let base = bases.pagerduty.trim_end_matches('/');
            (format!("{base}/v2/enqueue"), pagerduty(notice, key))
        }
    };
    Ok(Made {
        method: Method::POST,
        url,
        headers: usual(),
        body: body.to_string(),
    })
}

fn usual() -> Vec<(String, String)> {
    let agent = concat!("pharos/", env!("CARGO_PKG_VERSION"));
    let pairs = [("content-type", "application/json"), ("user-agent", agent)];
    pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

/// The address that a service gave out, where that service is reached.
fn moved(given: &str, base: &str) -> Result<String, String> {
    if base.is_empty() {
        return Ok(given.to_owned());
    }
    let url = Url::parse(given).map_err(|error| error.to_string())?;
    let rest = &url[url::Position::BeforePath..url::Position::AfterQuery];
    Ok(format!("{}{rest}", base.trim_end_matches('/')))
}

fn webhook(
    (url, method, own): (&str, Method, &BTreeMap<String, String>),
    secrets: &[String],
    notice: &Notice,
    (id, now_ms): (&str, i64),
) -> Made {
    let (kind, timestamp, data) = (&notice.kind, &notice.timestamp, &notice.data);
    let body = if method == Method::GET {
        String::new()
    } else {
        json!({ "type": kind, "timestamp": timestamp, "data": data }).to_string()
    };
    let (id, seconds) = (format!("msg_{id}"), now_ms.div_euclid(1_000));
    let signature = signature::header(secrets, &id, seconds, &body);
    let mut headers = usual();
    let own = own.iter();
    headers.extend(own.map(|(name, value)| (name.clone(), value.clone())));
    let ours = [
        ("webhook-id", id),
        ("webhook-timestamp", seconds.to_string()),
        ("webhook-signature", signature),
    ];
    headers.extend(ours.map(|(name, value)| (name.to_owned(), value)));
    Made {
        method,
        url: url.to_owned(),
        headers,
        body,
    }
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

fn slack(notice: &Notice) -> Value {
    let escaped = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    let title = cut(&notice.title, 150);
    let section =
        |text: String| json!({ "type": "section", "text": { "type": "mrkdwn", "text": text } });
    json!({
        "text": escaped(&title),
        "blocks": [
            { "type": "header", "text": { "type": "plain_text", "text": title } },
            section(cut(&escaped(&notice.text), 2_900)),
            section(format!("<{}|More in pharos>", notice.link)),
        ],
    })
}

fn discord(notice: &Notice) -> Value {
    let colour = if notice.resolved {
        0x1a_7f37
    } else {
        0xcf_222e
    };
    json!({
        "username": "pharos",
        "allowed_mentions": { "parse": [] },
        "embeds": [{
            "title": cut(&notice.title, 256),
            "description": cut(&notice.text, 4_000),
            "url": notice.link,
            "timestamp": notice.timestamp,
            "color": colour,
        }],
    })
}

fn telegram(notice: &Notice, chat: &str) -> Value {
    let text = cut(&notice.text, 3_000);
    let text = format!("{}\n\n{text}\n\n{}", notice.title, notice.link);
    json!({ "chat_id": chat, "text": cut(&text, 4_096), "disable_web_page_preview": true })
}

/// An adaptive card, as workflows of Teams take it.
fn teams(notice: &Notice) -> Value {
    let line = |text: &str, weight: &str| json!({ "type": "TextBlock", "text": text, "wrap": true, "weight": weight });
    let more = json!({ "type": "Action.OpenUrl", "title": "More in pharos", "url": notice.link });
    json!({
        "type": "message",
        "attachments": [{
            "contentType": "application/vnd.microsoft.card.adaptive",
            "content": {
                "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                "type": "AdaptiveCard",
                "version": "1.4",
                "body": [
                    line(&notice.title, "Bolder"),
                    line(&cut(&notice.text, 10_000), "Default"),
                ],
                "actions": [more],
            },
        }],
    })
}

fn pagerduty(notice: &Notice, key: &str) -> Value {
    let action = if notice.resolved {
        "resolve"
    } else {
        "trigger"
    };
    json!({
        "routing_key": key,
        "event_action": action,
        "dedup_key": cut(&notice.thread, 255),
        "client": "pharos",
        "client_url": notice.link,
        "payload": {
            "summary": cut(&notice.title, 1_024),
            "source": "pharos",
            "severity": "critical",
            "timestamp": notice.timestamp,
            "custom_details": { "text": cut(&notice.text, 4_000), "data": notice.data },
        },
    })
}
