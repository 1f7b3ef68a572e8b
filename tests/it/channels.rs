//! Every notification channel over HTTP: what a service gets when a monitor goes down and when it is back.

use std::{collections::BTreeMap, sync::atomic::Ordering::SeqCst, time::Duration};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    alarms::{OPEN, Target, call_ok},
    app::{Answer, App},
    receiver::{Got, Receiver},
};

/// Headers of any HTTP client.
const USUAL: [&str; 4] = ["host", "content-length", "connection", "accept-encoding"];

/// A destination of a channel, and what its service says to a message: `tests/channels/<name>.toml`.
#[derive(Debug, Deserialize)]
struct Example {
    identifier: String,
    #[serde(default)]
    config: BTreeMap<String, String>,
    #[serde(default)]
    success: String,
}

fn examples() -> BTreeMap<String, Example> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/channels");
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let files = files.filter(|path| path.is_file());
    let example = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        (name, toml::from_str(&text).unwrap())
    };
    files.map(example).collect()
}

/// A request as a snapshot shows it, without what differs from run to run.
fn show(got: &Got, redact: &[(&str, &str)]) -> Value {
    let message =
        regex::Regex::new("01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
            .unwrap();
    let redacted = |text: &str| {
        let text = redact
            .iter()
            .fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        message.replace_all(&text, "<message>").into_owned()
    };
    let mut lines = got.head.lines();
    let request = redacted(lines.next().unwrap().trim_end_matches(" HTTP/1.1"));
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), redacted(value)));
    let headers = headers.filter(|(name, _)| !USUAL.contains(&name.as_str()));
    let hidden = |(name, value): (String, String)| {
        let varies = name.starts_with("webhook-") || value.starts_with("AWS4-");
        let value = if varies { "…".to_owned() } else { value };
        (name, value)
    };
    let headers: BTreeMap<String, String> = headers.map(hidden).collect();
    let body = redacted(&got.body);
    let form = || {
        let pairs = url::form_urlencoded::parse(got.body.as_bytes());
        pairs
            .map(|(name, value)| (name.into_owned(), Value::from(redacted(&value))))
            .collect()
    };
    let body = match serde_json::from_str(&body) {
        Ok(json) => json,
        Err(_) if headers["content-type"].contains("form") => Value::Object(form()),
        Err(_) => body.into(),
    };
    json!({ "request": request, "headers": headers, "body": body })
}

#[actix::test]
async fn every_service_gets_what_its_documentation_asks_for() {
    let examples = examples();
    let (mut receivers, mut base_urls) = (BTreeMap::new(), Vec::new());
    for (name, example) in &examples {
        let receiver = Receiver::saying(&format!("200 OK\r\n\r\n{}", example.success)).await;
        base_urls.push(format!("{name}={}", receiver.url));
        receivers.insert(name.clone(), receiver);
    }
    let app = App::with(&format!("{OPEN}alarms.base_urls = {base_urls:?}\n")).await;
    let listed = app.get(format!("{}/alarms/channels", app.base)).await;
    let listed = listed.body.as_array().unwrap().clone();
    let listed: Vec<&str> = listed
        .iter()
        .map(|one| one["type"].as_str().unwrap())
        .collect();
    for name in listed.iter().filter(|name| **name != "email") {
        assert!(
            examples.contains_key(*name),
            "tests/channels/{name}.toml is missing"
        );
    }
    let target = Target::start(500).await;
    let all: Vec<_> = examples.iter().collect();
    let mut alarms = Vec::new();
    for some in all.chunks(10) {
        let destinations = some.iter().map(|(name, example)| {
            // A webhook has no other address than its own.
            let own = (*name == "webhook").then(|| format!("{}/hook", receivers[*name].url));
            let identifier = own.unwrap_or_else(|| example.identifier.clone());
            json!({ "type": name, "identifier": identifier, "config": example.config })
        });
        let destinations: Vec<Value> = destinations.collect();
        let fields =
            json!({ "name": "Prod <b>", "triggerType": "uptime", "destinations": destinations });
        let made = call_ok(&app, "/alarms/create", fields).await;
        alarms.push(made["id"].as_str().unwrap().to_owned());
    }
    let fields =
        json!({ "url": target.url, "name": "API & *more*", "granularity": "minute", "retries": 0 });
    let monitor = call_ok(&app, "/uptime/createSchedule", fields).await;
    let monitor = monitor["scheduleId"].as_str().unwrap();
    for (name, receiver) in &receivers {
        let got = receiver.wait_for(1).await;
        assert_eq!(got.len(), 1, "{name}");
    }
    target.status.store(200, SeqCst);
    app.clock.advance(Duration::from_mins(1));
    // Links lead to the program: to port 0 in this process, which is told its address before it has one. HTML escapes slashes.
    let own = [app.base.as_str(), "http://127.0.0.1:0"];
    let escaped = own.map(|address| address.replace('/', "&#x2f;"));
    for (name, receiver) in &receivers {
        let is_told_twice = !matches!(name.as_str(), "github" | "gitlab" | "jira" | "linear");
        let got = receiver.wait_for(if is_told_twice { 2 } else { 1 }).await;
        let mut redact = vec![
            (monitor, "<monitor>"),
            (app.organization.as_str(), "<organization>"),
        ];
        redact.extend(own.map(|address| (address, "<base>")));
        redact.extend(
            escaped
                .each_ref()
                .map(|address| (address.as_str(), "<base>")),
        );
        redact.push((target.url.as_str(), "<target>"));
        redact.push((receiver.url.as_str(), "<receiver>"));
        for alarm in &alarms {
            redact.push((alarm.as_str(), "<alarm>"));
        }
        let shown: Vec<Value> = got.iter().map(|got| show(got, &redact)).collect();
        insta::with_settings!({ snapshot_path => "../channels/requests", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_json_snapshot!(name.as_str(), shown);
        });
    }
    app.finish().await;
}

#[actix::test]
async fn an_own_channel_is_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = Receiver::start().await;
    let file = format!(
        "title = 'Pager'\ncategory = 'push'\nsource = 'https://wiki.example'\nread_on = '2026-11-27'\n\
         [recipient]\nlabel = 'Team'\npattern = '[a-z]+'\n\
         [request]\nbase = '{}'\nurl = '{{{{ base }}}}/teams/{{{{ recipient }}}}'\n\
         [request.json]\nsummary = '{{{{ title }}}}'\nfine = '{{{{ resolved }}}}'\n",
        receiver.url
    );
    std::fs::write(folder.path().join("pager.toml"), file).unwrap();
    let toml = format!(
        "{OPEN}alarms.channels_directory = '{}'\n",
        folder.path().display()
    );
    let app = App::with(&toml).await;
    let listed = app.get(format!("{}/alarms/channels", app.base)).await;
    let own = listed
        .body
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["type"] == "pager");
    assert_eq!(own.unwrap()["recipient"]["label"], "Team");
    let destinations = json!([{ "type": "pager", "identifier": "shop" }]);
    let fields = json!({ "name": "Prod", "triggerType": "uptime", "destinations": destinations });
    let made = call_ok(&app, "/alarms/create", fields).await;
    let tested = call_ok(&app, "/alarms/test", json!({ "alarmId": made["id"] })).await;
    assert_eq!(tested["results"][0]["success"], true, "{tested}");
    let got = receiver.got().remove(0);
    assert!(got.head.starts_with("POST /teams/shop "), "{}", got.head);
    assert_eq!(got.json(), json!({ "summary": "Test: Prod", "fine": true }));
    app.finish().await;
}

#[actix::test]
async fn strangers_see_no_channels() {
    let app = App::spawn().await;
    let request = app.http.get(format!("{}/alarms/channels", app.base));
    assert_eq!(Answer::send(request).await.status, 401);
    app.finish().await;
}
