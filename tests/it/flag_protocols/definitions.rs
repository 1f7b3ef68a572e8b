//! Definitions of flags that leave or come in: the evaluator that they are for decides as we do.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    app, app_now, flag,
    random::{Random, context, rule},
    toggles,
};
use crate::{
    app::{Answer, App},
    clients::run,
};

const USERS: usize = 10_000;

/// Decisions of a script about a file, by flag.
async fn decide(kind: &str, definitions: &str, contexts: &[Value]) -> BTreeMap<String, Vec<Value>> {
    let [file, people] = [definitions.to_owned(), json!(contexts).to_string()].map(|text| {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    });
    let paths = [&file, &people].map(|file| file.path().to_str().unwrap().to_owned());
    let told = run("flag-definitions.mjs", &[kind, &paths[0], &paths[1]]).await;
    assert_eq!(told["errors"], json!([]));
    serde_json::from_value(told["decisions"].clone()).unwrap()
}

/// Ten thousand people of an Unleash server's export are decided after the import as `unleash-client` decided them.
#[actix::test]
async fn imported_unleash_flags_decide_as_the_published_client_did() {
    let app = app().await;
    let export = include_str!("../../importers/unleash.json");
    let body = json!({ "websiteId": app.website, "format": "unleash", "content": export });
    let applied = app
        .post(format!("{}/imports/applyFlags", app.base), &body)
        .await;
    let items = applied.body["items"].as_array().unwrap().iter();
    let names: Vec<&str> = items.map(|item| item["name"].as_str().unwrap()).collect();
    let expected = [
        "on-for-all",
        "insiders",
        "half",
        "off",
        "variants",
        "grouped",
        "tried",
        "sticky",
    ];
    assert_eq!(names, expected);
    let mut random = Random::new(29);
    let mut contexts = Vec::with_capacity(USERS);
    while contexts.len() < USERS {
        let mut one = context(&mut random);
        one["properties"]["company"] = one["properties"]["teamId"].clone();
        if one["properties"]["company"].is_null() {
            one["properties"].as_object_mut().unwrap().remove("company");
        }
        // Without an id, the client decides at random.
        if !one["userId"].is_null() || !one["sessionId"].is_null() {
            contexts.push(one);
        }
    }
    let decisions = decide("unleash", export, &contexts).await;
    let mut on: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, context) in contexts.iter().enumerate() {
        let ours = toggles(&app, context).await;
        for name in &names {
            let own = ours.iter().find(|toggle| toggle["name"] == **name);
            let theirs = &decisions[*name][at];
            assert_eq!(own.is_none(), theirs.is_null(), "{name} for {context}");
            let Some(own) = own else { continue };
            *on.entry(name).or_default() += 1;
            let variant = &own["variant"];
            let chosen = variant["enabled"]
                .as_bool()
                .unwrap()
                .then(|| variant["name"].clone());
            assert_eq!(json!(chosen), theirs["variant"], "{name} for {context}");
            // A variant without a payload has its name as value here.
            if !theirs["payload"].is_null() {
                assert_eq!(variant["payload"]["value"], theirs["payload"], "{name}");
            }
        }
    }
    for (name, share) in [("half", 50), ("tried", 70), ("sticky", 15)] {
        let count = on[name];
        assert!(
            count > USERS / 20 && count < USERS * share / 100 + USERS / 5,
            "{name}: {count}"
        );
    }
    app.finish().await;
}

/// A flag that flagd may be able to decide.
fn random_flag(random: &mut Random, number: usize) -> Value {
    let rules = |random: &mut Random| {
        let count = random.below(4);
        let rules: Vec<Value> = (0..count)
            .map(|_| {
                let mut rule = rule(random, 0, false);
                rule["enabled"] = json!(!random.is_one_in(3));
                rule
            })
            .collect();
        rules
    };
    let key = format!("flag-{number}");
    match random.below(6) {
        0 => {
            json!({ "key": key, "type": "rollout", "rolloutPercentage": random.pick(&[0, 100]), "rules": rules(random) })
        }
        1 => json!({
            "key": key, "type": "multivariant",
            "variants": [{ "key": "a", "value": "one", "weight": 0 }, { "key": "b", "value": "two", "weight": 100 }],
        }),
        2 => json!({
            "key": key, "type": "rollout", "rolloutPercentage": random.pick(&[0, 100]), "bucketing": "unleash",
            "rules": [{ "type": "percentage", "field": "region", "value": random.pick(&[0, 100]), "enabled": false }],
        }),
        _ => json!({ "key": key, "defaultValue": random.is_one_in(2), "rules": rules(random) }),
    }
}

/// A context as `OpenFeature` has it, with properties that aren't all texts.
fn openfeature_context(random: &mut Random) -> Value {
    let Value::Object(mut whole) = context(random) else {
        unreachable!("contexts are objects")
    };
    let mut flat = Map::new();
    for (name, value) in whole["properties"].as_object().unwrap() {
        flat.insert(name.clone(), value.clone());
    }
    if random.is_one_in(3) {
        let value = random.pick(&[
            json!(5),
            json!(5.5),
            json!(true),
            json!(null),
            json!(["a", "b"]),
            json!({}),
        ]);
        flat.insert("plan".to_owned(), value);
    }
    let user = whole.remove("userId").unwrap_or_else(|| random.id().into());
    flat.insert("targetingKey".to_owned(), user);
    flat.extend(
        whole
            .remove("sessionId")
            .map(|id| ("sessionId".to_owned(), id)),
    );
    Value::Object(flat)
}

async fn export(app: &App, query: &str) -> Answer {
    let url = format!(
        "{}/v1/export/flags?format=flagd&website_id={}{query}",
        app.base, app.website
    );
    app.get(url).await
}

#[actix::test]
async fn flagd_decides_exported_flags_as_we_do() {
    let app = app_now().await;
    let mut random = Random::new(31);
    for number in 0..120 {
        flag(&app, random_flag(&mut random, number)).await;
    }
    let exported = export(&app, "").await;
    assert_eq!(exported.status, 200, "{}", exported.text);
    assert_eq!(exported.body["omitted"], json!([]), "{}", exported.text);
    assert_eq!(exported.body["flags"].as_object().unwrap().len(), 120);
    let contexts: Vec<Value> = (0..1_000)
        .map(|_| openfeature_context(&mut random))
        .collect();
    let decisions = decide("flagd", &exported.text, &contexts).await;
    let url = format!(
        "{}/public/v1/flags/{}/ofrep/v1/evaluate/flags",
        app.base, app.website
    );
    let (mut count, mut on) = (0, 0);
    for (at, context) in contexts.iter().enumerate() {
        let told = app
            .post_anonymously(url.clone(), &json!({ "context": context }))
            .await;
        for own in told.body["flags"].as_array().unwrap() {
            let key = own["key"].as_str().unwrap();
            let theirs = &decisions[key][at];
            let definition = &exported.body["flags"][key];
            assert_eq!(
                own["value"], theirs["value"],
                "{key} for {context}: {definition}"
            );
            assert_eq!(
                own["variant"], theirs["variant"],
                "{key} for {context}: {definition}"
            );
            count += 1;
            on += usize::from(own["value"] == true);
        }
    }
    assert!(
        count >= 100_000 && on > count / 5 && on < count * 4 / 5,
        "{on} of {count}"
    );
    app.finish().await;
}

#[actix::test]
async fn flags_that_flagd_cannot_decide_are_left_out_with_the_reason() {
    let app = app().await;
    let pro = json!({ "type": "property", "field": "plan", "operator": "equals", "value": "pro" });
    let with = |rule: Value| json!([rule]);
    let values = json!([{ "key": "a", "value": "x", "weight": 50 }, { "key": "b", "value": "y", "weight": 50 }]);
    for (key, fields, reason) in [
        (
            "share",
            json!({ "type": "rollout", "rolloutPercentage": 30 }),
            "choose other people",
        ),
        (
            "theirs",
            json!({ "type": "rollout", "rolloutPercentage": 30, "bucketing": "unleash" }),
            "choose other people",
        ),
        (
            "several",
            json!({ "type": "multivariant", "variants": values }),
            "choose other people",
        ),
        (
            "ruled",
            json!({ "type": "multivariant", "variants": [{ "key": "a", "value": "x" }], "rules": with(pro.clone()) }),
            "true or false",
        ),
        (
            "mixed",
            json!({ "type": "multivariant", "variants": [{ "key": "a", "value": "x", "weight": 100 }, { "key": "b", "value": 1, "type": "number", "weight": 0 }] }),
            "all texts",
        ),
        (
            "paid",
            json!({ "defaultValue": true, "payload": { "a": 1 } }),
            "payload",
        ),
        (
            "country",
            json!({ "rules": with(json!({ "type": "country", "operator": "equals", "value": "DE" })) }),
            "country",
        ),
        (
            "address",
            json!({ "rules": with(json!({ "type": "ip", "values": ["192.0.2.0/24"] })) }),
            "address",
        ),
        (
            "age",
            json!({ "rules": with(json!({ "type": "property", "field": "age", "operator": "greater_than", "value": 17 })) }),
            "numbers",
        ),
        (
            "version",
            json!({ "rules": with(json!({ "type": "property", "field": "v", "operator": "version_equals", "value": "1.0.0" })) }),
            "versions",
        ),
        (
            "pattern",
            json!({ "rules": with(json!({ "type": "property", "field": "v", "operator": "matches", "value": "^a" })) }),
            "expressions",
        ),
        (
            "nested",
            json!({ "rules": with(json!({ "type": "property", "field": "a.b", "operator": "exists" })) }),
            "has a name",
        ),
        (
            "moment",
            json!({ "rules": with(json!({ "type": "time", "operator": "after", "value": 1_500 })) }),
            "whole second",
        ),
        (
            "elsewhere",
            json!({ "environment": "test" }),
            "another environment",
        ),
    ] {
        let mut fields = fields;
        fields["key"] = json!(key);
        flag(&app, fields).await;
        let told = export(&app, "").await;
        let omitted = told.body["omitted"].as_array().unwrap().iter();
        let mut found = omitted.filter(|one| one["what"] == format!("flag {key}"));
        let why = found
            .next()
            .map(|one| one["reason"].as_str().unwrap().to_owned());
        assert!(
            why.as_ref().is_some_and(|why| why.contains(reason)),
            "{key}: {why:?}"
        );
        assert!(told.body["flags"][key].is_null());
    }
    flag(
        &app,
        json!({ "key": "paused", "status": "inactive", "rules": with(pro) }),
    )
    .await;
    let told = export(&app, "&environment=test").await;
    assert_eq!(told.body["flags"]["paused"]["state"], "DISABLED");
    assert_eq!(told.body["flags"]["elsewhere"]["defaultVariant"], "off");
    app.finish().await;
}
