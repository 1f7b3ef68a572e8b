use serde_json::{Value, json};

use super::{
    OPEN, check_all,
    servers::{Web, answer_datagrams, say},
};
use crate::{
    app::{App, NOW},
    names::Names,
    uptime::call_ok,
};

/// An answer of NTP whose clock is this many milliseconds ahead of the program's.
fn ntp(question: &[u8], ahead_ms: i64, stratum: u8) -> Vec<u8> {
    let mut packet = vec![0; 48];
    (packet[0], packet[1]) = (0x24, stratum);
    packet[24..32].copy_from_slice(&question[40..48]);
    let at_ms = NOW + ahead_ms;
    let seconds = (at_ms.div_euclid(1_000) + 2_208_988_800) as u32;
    let fraction = (at_ms.rem_euclid(1_000) * 4_294_967) as u32;
    for at in [32, 40] {
        packet[at..at + 4].copy_from_slice(&seconds.to_be_bytes());
        packet[at + 4..at + 8].copy_from_slice(&fraction.to_be_bytes());
    }
    packet
}

/// A game server that wants its challenge back.
fn game(question: &[u8]) -> Vec<Vec<u8>> {
    if question.ends_with(b"\x0a\x0b\x0c\x0d") {
        let info = b"\xff\xff\xff\xffI\x11Night Shift\0de_dust2\0csgo\0Strike\0\xda\x02\x07\x10\x01dl\0\x011.38\0\0";
        return vec![b"stray".to_vec(), info.to_vec()];
    }
    vec![b"\xff\xff\xff\xffA\x0a\x0b\x0c\x0d".to_vec()]
}

#[actix::test]
async fn hosts_of_datagrams_are_up_wrong_hostile_or_silent() {
    let app = App::with(OPEN).await;
    let at = |port: u16| format!("127.0.0.1:{port}");
    let exact = answer_datagrams(|question| vec![ntp(question, 0, 2)]);
    let ahead = answer_datagrams(|question| vec![ntp(question, 3_600_000, 2)]);
    let away = answer_datagrams(|question| vec![ntp(question, -3_600_000, 2)]);
    let unset = answer_datagrams(|question| vec![ntp(question, 0, 16)]);
    let garbage = answer_datagrams(|_| vec![vec![0xff; 60]; 120]);
    let silent = answer_datagrams(|_| Vec::new());
    let player = answer_datagrams(game);
    let other = answer_datagrams(game);
    let endless = answer_datagrams(|_| vec![b"\xff\xff\xff\xffA\0\0\0\0".to_vec()]);
    let cut = answer_datagrams(|_| vec![b"\xff\xff\xff\xffI\x11Night".to_vec()]);
    let minutes = json!({ "offset": 600_000 });
    let map = |map: &str| json!({ "json": [{ "path": "map", "equals": map }, { "path": "players", "equals": 7 }] });
    check_all(
        &app,
        vec![
            (
                json!({ "kind": "ntp", "url": at(exact), "expect": minutes }),
                None,
            ),
            (json!({ "kind": "ntp", "url": at(ahead) }), None),
            (
                json!({ "kind": "ntp", "url": at(away), "expect": minutes }),
                Some("assertion"),
            ),
            (json!({ "kind": "ntp", "url": at(unset) }), Some("status")),
            (
                json!({ "kind": "ntp", "url": at(garbage) }),
                Some("protocol"),
            ),
            (
                json!({ "kind": "ntp", "url": at(silent), "timeout": 1_000 }),
                Some("timeout_ttfb"),
            ),
            (
                json!({ "kind": "snmp", "url": at(garbage) }),
                Some("protocol"),
            ),
            (
                json!({ "kind": "game", "url": at(player), "expect": map("de_dust2") }),
                None,
            ),
            (
                json!({ "kind": "game", "url": at(other), "expect": map("de_nuke") }),
                Some("assertion"),
            ),
            (
                json!({ "kind": "game", "url": at(endless) }),
                Some("protocol"),
            ),
            (json!({ "kind": "game", "url": at(cut) }), Some("protocol")),
            (
                json!({ "kind": "game", "url": at(silent), "timeout": 1_000 }),
                Some("timeout_ttfb"),
            ),
        ],
    )
    .await;
    app.finish().await;
}

#[actix::test]
async fn servers_that_speak_another_protocol_fail_in_words() {
    let app = App::with(OPEN).await;
    let (ssh, _ssh) = say(b"SSH-2.0-OpenSSH_9.6\r\n", false).await;
    let (endless, _endless) = say(&[0xff; 4_096], true).await;
    let (silent, _silent) = say(b"", false).await;
    let web = Web::start(|_| "200 OK\n\nhello".to_owned()).await;
    let port = web.url.rsplit(':').next().unwrap().to_owned();
    let ws = |port: &str| json!({ "kind": "websocket", "url": format!("ws://127.0.0.1:{port}") });
    let grpc = |port: &str| json!({ "kind": "grpc", "url": format!("grpc://127.0.0.1:{port}") });
    let brief = |mut fields: Value| {
        fields["timeout"] = json!(1_000);
        fields
    };
    check_all(
        &app,
        vec![
            (ws(&port), Some("status")),
            (ws(&ssh.to_string()), Some("protocol")),
            (ws(&endless.to_string()), Some("protocol")),
            (brief(ws(&silent.to_string())), Some("timeout_ttfb")),
            (grpc(&ssh.to_string()), Some("protocol")),
            (grpc(&endless.to_string()), Some("protocol")),
            (brief(grpc(&silent.to_string())), Some("timeout_ttfb")),
            (
                json!({ "kind": "websocket", "url": "ws://127.0.0.1:1" }),
                Some("refused"),
            ),
            (
                json!({ "kind": "grpc", "url": "grpc://127.0.0.1:1" }),
                Some("refused"),
            ),
        ],
    )
    .await;
    app.finish().await;
}

fn registry(request: &str) -> String {
    let path = request.split(' ').nth(1).unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let ends = match name {
        "good.example" => "2099-01-01T00:00:00Z",
        "soon.example" => "2026-10-20T00:00:00Z",
        "gone.example" => "2020-01-01T00:00:00Z",
        "busy.example" => return "429 Too Many Requests\n\n{}".to_owned(),
        "broken.example" => return "200 OK\n\n<html>".to_owned(),
        "moved.example" => {
            return "302 Found\nlocation: /registry/domain/good.example\n\n".to_owned();
        }
        _ => return "404 Not Found\n\n{}".to_owned(),
    };
    let is_rdap = request
        .to_ascii_lowercase()
        .contains("accept: application/rdap+json");
    assert!(is_rdap, "{request}");
    let body = json!({
        "objectClassName": "domain", "ldhName": name, "status": ["active"],
        "events": [{ "eventAction": "expiration", "eventDate": ends }],
    });
    format!("200 OK\ncontent-type: application/rdap+json\n\n{body}")
}

#[actix::test]
async fn domains_are_down_before_they_expire() {
    let web = Web::start(registry).await;
    let app = App::with(&format!(
        "{OPEN}egress.rdap_url = '{}/registry/'\n",
        web.url
    ))
    .await;
    let domain = |name: &str| json!({ "kind": "domain", "url": name });
    let days =
        json!({ "kind": "domain", "url": "www.soon.example", "expect": { "domainDays": 5 } });
    check_all(
        &app,
        vec![
            (domain("good.example"), None),
            (days, None),
            (domain("gone.example"), Some("domain_expiring")),
            (domain("busy.example"), Some("status")),
            (domain("broken.example"), Some("protocol")),
            (domain("moved.example"), Some("protocol")),
            (domain("unknown.example"), Some("dns_nxdomain")),
        ],
    )
    .await;
    let listed = call_ok(&app, "listSchedules", json!({})).await;
    let mut urls = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["url"].as_str().unwrap());
    assert!(urls.any(|url| url == "domain://soon.example"));
    app.finish().await;
}

#[actix::test]
async fn names_without_signatures_are_down() {
    let names = Names::start();
    names.set_address("plain.example", Some("127.0.0.1"));
    let app = App::with(&format!("{OPEN}{}\n", names.toml())).await;
    let body = json!({ "kind": "dnssec", "url": "plain.example", "recordType": "A", "granularity": "hour", "retries": 0 });
    let id = crate::uptime::create(&app, body).await;
    let class = super::last_check(&app, &id).await["errorClass"].clone();
    // The root is signed: an answer without signatures is a forgery, unless its name servers can't be asked for them.
    let down = [
        json!("dnssec_bogus"),
        json!("dnssec_unsigned"),
        json!("dns_failed"),
    ];
    assert!(down.contains(&class), "{class}");
    app.finish().await;
}
