use serde_json::{Value, json};

use super::*;
use crate::{actors::delivery::Channels, egress::Policy};

fn rules(mail: bool) -> ChannelRules {
    let policy = Policy {
        blocked_ports: vec![22],
        ..Policy::default()
    };
    ChannelRules {
        policy: std::sync::Arc::new(policy),
        channels: Channels::default(),
        mail,
    }
}

fn check_one(said: &Value, before: &[Destination]) -> Result<Vec<Destination>, String> {
    let said = serde_json::from_value(json!([said])).unwrap();
    let checked = check_destinations(said, before, &rules(true), 1);
    let all = checked.map(|(all, _)| all);
    all.map_err(|mut issues| issues.remove(0).field)
}

#[test]
fn destinations_are_where_their_service_is() {
    let put = json!({ "headers": { "X-A": "b" }, "method": "PUT" });
    for (kind, identifier, config) in [
        ("webhook", "https://a.example/x?y", json!({})),
        ("webhook", "http://a.example/", put),
        ("slack", "https://hooks.slack.com/services/T/B/x", json!({})),
        (
            "discord",
            "https://discordapp.com/api/webhooks/1/t",
            json!({}),
        ),
        ("teams", "https://x.logic.azure.com/w", json!({})),
        ("telegram", "-1001", json!({ "token": "1:abc-DEF_g" })),
        ("pagerduty", "0123456789abcdef0123456789abcdef", json!({})),
        ("email", "a@b.example", json!({})),
    ] {
        let said = json!({ "type": kind, "identifier": identifier, "config": config });
        assert!(check_one(&said, &[]).is_ok(), "{said}");
    }
}

type Row = (&'static str, &'static str, Value, &'static str);

fn refused(rows: Vec<Row>) {
    for (kind, identifier, config, field) in rows {
        let said = json!({ "type": kind, "identifier": identifier, "config": config });
        let endpoint = format!("destinations.0.{field}");
        assert_eq!(check_one(&said, &[]).unwrap_err(), endpoint, "{said}");
    }
}

#[test]
fn webhooks_that_lead_elsewhere_are_refused_with_their_place() {
    let row = |identifier: &'static str| ("webhook", identifier, json!({}), "identifier");
    refused(vec![
        row(""),
        row("ftp://a.example"),
        row("http://127.0.0.1/"),
        row("http://0x7f.1/"),
        row("http://nas.local/"),
        row("http://a.example:22/"),
        row("https://u:p@a.example/"),
    ]);
    let header = |name: &str, value: &str| json!({ "headers": { name: value } });
    let url = "https://a.example/";
    let short = json!({ "secret": "whsec_short" });
    refused(vec![
        ("webhook", url, header("Cookie", "a"), "config.headers"),
        ("webhook", url, header("A", "b\r\nC: d"), "config.headers"),
        ("webhook", url, short, "config.secret"),
    ]);
}

#[test]
fn what_is_not_the_services_is_refused_with_its_place() {
    let row = |kind, identifier| (kind, identifier, json!({}), "identifier");
    refused(vec![
        row("slack", "https://hooks.slack.com.evil.example/x"),
        row("slack", "https://hooks.slack.com@evil.example/x"),
        row("discord", "https://evil.example/"),
        row("teams", "https://10.0.0.1/w"),
        row("pagerduty", "a/b"),
        row("email", "nobody"),
    ]);
    let token = |token: &str| json!({ "token": token });
    refused(vec![
        ("telegram", "1", json!({}), "config.token"),
        ("telegram", "1", token("a/../b"), "config.token"),
        ("email", "a@b.example", token("x"), "config.token"),
        (
            "opsgenie",
            "0123456789",
            json!({ "region": "mars" }),
            "config.region",
        ),
        ("nothing", "x", json!({}), "type"),
    ]);
    let said = json!([{ "type": "email", "identifier": "a@b.example" }]);
    let said = serde_json::from_value(said).unwrap();
    let refused = check_destinations(said, &[], &rules(false), 1).unwrap_err();
    assert_eq!(refused[0].field, "destinations.0.type");
    let said = json!({ "id": "unknown", "type": "email", "identifier": "a@b.example" });
    assert_eq!(check_one(&said, &[]).unwrap_err(), "destinations.0.id");
}

#[test]
fn secrets_stay_where_none_are_said() {
    let (url, token) = ("https://a.example/secret-path", "very-secret-token");
    let config = json!({ "headers": { "X-Token": token } });
    let first = json!({ "type": "webhook", "identifier": url, "config": config });
    let made = check_one(&first, &[]).unwrap();
    let secret = made[0].endpoint.config.secret.clone().unwrap();
    assert!(decode_secret(&secret).is_ok());
    let config = json!({ "headers": { "X-Token": mask_secret(token), "X-New": "n" }, "secret": mask_secret(&secret) });
    let again = json!({ "id": made[0].id, "type": "webhook", "identifier": mask_secret(url), "config": config });
    let kept = check_one(&again, &made).unwrap();
    assert_eq!(kept[0].endpoint.identifier, url);
    assert_eq!(kept[0].endpoint.config.secret.as_ref(), Some(&secret));
    let headers = kept[0].endpoint.config.headers.clone().unwrap();
    assert_eq!(
        (headers["X-Token"].as_str(), headers["X-New"].as_str()),
        (token, "n")
    );
    assert_eq!(mask_secret("short"), "••••");
    assert_eq!(mask_secret("whsec_abcdefgh"), "••••efgh");
}
