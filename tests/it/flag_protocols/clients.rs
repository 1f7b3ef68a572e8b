//! Published clients work unchanged, and those that evaluate by themselves decide as the server does.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    app_now, flag,
    random::{Random, context, flag as random_flag},
    toggles, two_flags,
};
use crate::{
    app::App,
    clients::{run, run_python},
};

const FLAGS: usize = 100;
/// Contexts for clients in JavaScript and, fewer of them, in Python.
const CONTEXTS: usize = 1_400;
const FEWER: usize = 100;

/// What the server says of all flags for a context, as the scripts write it.
async fn decide(app: &App, context: &Value) -> BTreeMap<String, String> {
    let toggles = toggles(app, context).await;
    let decisions = toggles.iter().map(|toggle| {
        let variant = &toggle["variant"];
        let payload = variant["payload"]["value"].as_str().unwrap_or_default();
        let written = format!("1:{}:{payload}", variant["name"].as_str().unwrap());
        (toggle["name"].as_str().unwrap().to_owned(), written)
    });
    decisions.collect()
}

/// Random flags beside those that scripts ask for, and a file of contexts.
async fn prepare(app: &App, contexts: &[Value]) -> tempfile::NamedTempFile {
    two_flags(app).await;
    let mut random = Random::new(7);
    for number in 0..FLAGS {
        flag(app, random_flag(&mut random, number)).await;
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), json!(contexts).to_string()).unwrap();
    file
}

fn contexts(count: usize) -> Vec<Value> {
    let mut random = Random::new(11);
    (0..count).map(|_| context(&mut random)).collect()
}

/// Holds what a client decided against what the server decides, and counts it.
async fn compare(app: &App, told: &Value, contexts: &[Value]) -> usize {
    let features: Vec<&str> = told["features"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    assert!(
        features.len() * 4 > FLAGS * 3,
        "{} flags could be translated",
        features.len()
    );
    let (mut count, mut on) = (0, 0);
    for (context, decisions) in contexts.iter().zip(told["decisions"].as_array().unwrap()) {
        let ours = decide(app, context).await;
        for (name, theirs) in features.iter().zip(decisions.as_array().unwrap()) {
            let own = ours.get(*name).map_or("0:disabled:", String::as_str);
            assert_eq!(theirs, own, "{name} for {context}");
            count += 1;
            on += usize::from(own.starts_with('1'));
        }
    }
    assert!(
        on * 5 > count && on * 5 < count * 4,
        "{on} of {count} are on"
    );
    count
}

#[actix::test]
async fn published_node_clients_work_and_decide_a_hundred_thousand_times_as_the_server() {
    let app = app_now().await;
    let contexts = contexts(CONTEXTS);
    let file = prepare(&app, &contexts).await;
    let path = file.path().to_str().unwrap();
    let told = run("flag-protocols.mjs", &[&app.base, &app.track, path]).await;
    assert_eq!(told["errors"], json!([]));
    let count = compare(&app, &told, &contexts).await;
    assert!(count >= 100_000, "{count} decisions");
    let payload = "1:payload:{\"text\":\"Hello\"}";
    assert_eq!(
        told["page"],
        json!({ "banner": payload, "ben": false, "colour": "1:blue:#00f" })
    );
    let posthog = json!({
        "banner": true, "colour": "blue", "payload": { "text": "Hello" }, "flag": "blue", "off": false,
    });
    assert_eq!(told["posthog"], posthog);
    app.finish().await;
}

#[actix::test]
async fn published_python_clients_work_and_decide_as_the_server() {
    if std::env::var_os("PHAROS_NO_PYTHON").is_some() {
        return;
    }
    let app = app_now().await;
    // Clients hash letters outside ASCII in different ways.
    let mut contexts = contexts(2 * FEWER);
    contexts.retain(|context| context.to_string().is_ascii());
    assert!(contexts.len() > FEWER / 2);
    let file = prepare(&app, &contexts).await;
    let path = file.path().to_str().unwrap();
    let said = run_python(
        "flags",
        "tests/clients/flag-protocols.py",
        &[&app.base, &app.track, path],
    )
    .await;
    let told: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(told["errors"], json!([]));
    compare(&app, &told, &contexts).await;
    let posthog = json!({
        "banner": true, "colour": "blue", "payload": { "text": "Hello" }, "off": false, "all": "blue",
    });
    assert_eq!(told["posthog"], posthog);
    app.finish().await;
}
