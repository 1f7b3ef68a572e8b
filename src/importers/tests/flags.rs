use serde_json::{Map, Value, json};

use super::{NOW, find, fixture, has_omission, names, source};
use crate::{
    actors::flags::{
        FlagFields, Status,
        engine::{Compiled, Context, Flags},
    },
    importers::{Definition, Plan, Source, flags::FlagFormat},
};

fn read(format: FlagFormat, bytes: &[u8]) -> Plan {
    format.read(&source(bytes)).unwrap()
}

fn flag<'p>(plan: &'p Plan, key: &str) -> &'p FlagFields {
    match find(plan, key) {
        Definition::Flag(flag) => flag,
        other => panic!("{other:?}"),
    }
}

/// What a flag decides for somebody: `userId` and `email` are the person's, all else is a property.
fn decide(flag: &FlagFields, person: Value) -> (bool, Value) {
    let Value::Object(mut properties) = person else {
        panic!("a person is an object");
    };
    let text = |name: &str, properties: &mut Map<String, Value>| {
        properties
            .remove(name)
            .and_then(|value| value.as_str().map(str::to_owned))
    };
    let context = Context {
        user_id: text("userId", &mut properties),
        email: text("email", &mut properties),
        now_ms: NOW + 1,
        properties,
        ..Context::default()
    };
    let compiled = Compiled::new(flag, &[]).unwrap();
    let decision = compiled.evaluate(&Flags::new(), &context);
    (decision.enabled, decision.value.into_owned())
}

fn is_on(flag: &FlagFields, person: Value) -> bool {
    decide(flag, person).0
}

#[test]
fn unleash_strategies_decide_as_they_did() {
    let plan = read(FlagFormat::Unleash, fixture!("unleash.json"));
    assert_eq!(
        names(&plan),
        [
            "on-for-all",
            "insiders",
            "half",
            "off",
            "variants",
            "grouped",
            "tried",
            "sticky"
        ]
    );
    assert!(is_on(flag(&plan, "on-for-all"), json!({})));
    assert_eq!(flag(&plan, "off").status, Status::Inactive);
    let insiders = flag(&plan, "insiders");
    for (person, expected) in [
        (json!({}), false),
        (json!({ "userId": "anna" }), true),
        (json!({ "userId": "7" }), true),
        (json!({ "userId": "ann" }), false),
        // The email ignores case, and whoever has no plan has not the free one.
        (json!({ "email": "Bo@SHOP.example" }), true),
        (json!({ "email": "bo@shop.example", "plan": "pro" }), true),
        (json!({ "email": "bo@shop.example", "plan": "free" }), false),
        (json!({ "email": "bo@shop.example.evil" }), false),
        (json!({ "appVersion": "1.4.1", "age": 18 }), true),
        (json!({ "appVersion": "1.4.1", "age": "18" }), true),
        (json!({ "appVersion": "1.4.0", "age": 18 }), false),
        (json!({ "appVersion": "1.10.0", "age": 17.9 }), false),
        (json!({ "appVersion": "1.5", "age": 18 }), false),
    ] {
        assert_eq!(is_on(insiders, person.clone()), expected, "{person}");
    }
    for (what, reason) in [
        ("flag mixed", "different group IDs"),
        ("flag random", "at random"),
        ("flag child", "depends on another"),
        ("flag segmented", "segments"),
        ("flag gone", "archived"),
    ] {
        assert!(
            has_omission(&plan, what, reason),
            "{what}: {:?}",
            plan.omissions
        );
    }
}

/// A feature with one strategy.
fn unleash(strategy: Value) -> Result<FlagFields, String> {
    let mut strategy = strategy;
    strategy["featureName"] = json!("f");
    let export = json!({
        "features": [{ "name": "f" }], "featureStrategies": [strategy],
        "featureEnvironments": [{ "featureName": "f", "environment": "dev", "enabled": true }],
    });
    let mut plan = read(FlagFormat::Unleash, export.to_string().as_bytes());
    match plan.items.pop().map(|item| item.definition) {
        Some(Definition::Flag(flag)) => Ok(*flag),
        _ => Err(plan.omissions.remove(0).reason),
    }
}

#[test]
fn every_unleash_operator_decides_as_its_client_does_or_is_refused() {
    let with = |constraint: Value| {
        unleash(json!({ "name": "default", "parameters": {}, "constraints": [constraint] }))
    };
    let cases: Value = serde_json::from_str(include_str!("unleash_operators.json")).unwrap();
    for case in cases.as_array().unwrap() {
        let flag = with(case["constraint"].clone()).unwrap();
        for (people, expected) in [(&case["yes"], true), (&case["no"], false)] {
            for person in people.as_array().unwrap() {
                assert_eq!(is_on(&flag, person.clone()), expected, "{case}: {person}");
            }
        }
    }
    for constraint in [
        json!({ "contextName": "p", "operator": "REGEX", "value": "a" }),
        json!({ "contextName": "appName", "operator": "IN", "values": ["a"] }),
        json!({ "contextName": "environment", "operator": "IN", "values": ["a"] }),
        json!({ "contextName": "p", "operator": "DATE_AFTER", "value": "2026-10-14T12:00:00Z" }),
        json!({ "contextName": "currentTime", "operator": "DATE_AFTER", "value": "soon" }),
        json!({ "contextName": "p", "operator": "STR_CONTAINS", "values": ["é"], "caseInsensitive": true }),
        json!({ "contextName": "p", "operator": "NUM_EQ", "value": "x" }),
        json!({ "contextName": "p", "operator": "SEMVER_GT", "value": "1.2" }),
        json!({ "operator": "IN", "values": ["a"] }),
        json!({}),
    ] {
        assert!(with(constraint.clone()).is_err(), "{constraint}");
    }
}

#[test]
fn unleash_strategies_without_buckets_are_taken_and_others_refused() {
    let varied = |variant: Value| {
        let parameters = json!({ "groupId": "g", "rollout": "100" });
        unleash(
            json!({ "name": "flexibleRollout", "parameters": parameters, "variants": [variant] }),
        )
    };
    let rollout = |rollout: Value, stickiness: &str| {
        unleash(
            json!({ "name": "flexibleRollout", "parameters": { "rollout": rollout, "stickiness": stickiness } }),
        )
    };
    assert!(is_on(&rollout(json!("100"), "random").unwrap(), json!({})));
    assert!(!is_on(
        &rollout(json!("0"), "default").unwrap(),
        json!({ "userId": "a" })
    ));
    // At 100 % too, a person without the value that is hashed is out.
    let sticky = rollout(json!(100), "userId").unwrap();
    assert!(is_on(&sticky, json!({ "userId": "a" })) && !is_on(&sticky, json!({})));
    let sticky = rollout(json!("100"), "company").unwrap();
    assert!(is_on(&sticky, json!({ "company": "a" })) && !is_on(&sticky, json!({ "userId": "a" })));
    for refused in [
        rollout(json!("99"), "random"),
        rollout(json!("99"), "remoteAddress"),
        rollout(json!("101"), "default"),
        rollout(json!("half"), "default"),
        unleash(json!({ "name": "gradualRolloutUserId", "parameters": { "percentage": "100" } })),
        unleash(json!({ "name": "gradualRolloutRandom", "parameters": { "percentage": "50" } })),
        unleash(json!({ "name": "applicationHostname", "parameters": { "hostNames": "a" } })),
        unleash(json!({ "name": "custom" })),
        unleash(json!({ "name": "default", "disabled": true })),
        // Without a group ID, what is hashed is unknown.
        unleash(json!({ "name": "default", "variants": [{ "name": "a", "weight": 1000 }] })),
        varied(json!({ "name": "a", "weight": 999 })),
        varied(json!({ "name": "a", "weight": 1000, "stickiness": "random" })),
        varied(
            json!({ "name": "a", "weight": 1000, "payload": { "type": "csv", "value": "a,b" } }),
        ),
        varied(
            json!({ "name": "a", "weight": 1000, "overrides": [{ "contextName": "userId", "values": ["a"] }] }),
        ),
    ] {
        assert!(refused.is_err());
    }
    assert!(varied(json!({ "name": "a", "weight": 1000 })).is_ok());
}

#[test]
fn flagsmith_features_are_on_or_off_or_have_one_value() {
    let plan = read(FlagFormat::Flagsmith, fixture!("flagsmith.json"));
    assert_eq!(names(&plan), ["dark_mode", "banner_text", "max_items"]);
    assert_eq!(
        decide(flag(&plan, "dark_mode"), json!({})),
        (true, json!(true))
    );
    assert_eq!(
        decide(flag(&plan, "banner_text"), json!({})),
        (true, json!("Welcome back"))
    );
    assert_eq!(flag(&plan, "max_items").status, Status::Inactive);
    assert!(has_omission(
        &plan,
        "flag checkout",
        "variants by percentage"
    ));
    assert!(has_omission(&plan, "segment and identity overrides", ""));
}

#[test]
fn growthbook_rules_decide_as_they_did() {
    let plan = read(FlagFormat::GrowthBook, fixture!("growthbook.json"));
    assert_eq!(names(&plan), ["new-nav", "price"]);
    let nav = flag(&plan, "new-nav");
    assert!(is_on(nav, json!({ "country": "DE", "beta": true })));
    assert!(
        !is_on(nav, json!({ "country": "DE", "beta": "true" })),
        "types count"
    );
    assert!(!is_on(nav, json!({ "country": "US", "beta": true })));
    assert_eq!(decide(flag(&plan, "price"), json!({})).1, json!(9.5));
    assert!(has_omission(&plan, "flag rollout", "coverage of 0.4"));
    assert!(has_omission(
        &plan,
        "flag dev-only",
        "isn't in this environment"
    ));
    let source = Source {
        environment: Some("dev"),
        ..source(fixture!("growthbook.json"))
    };
    let plan = FlagFormat::GrowthBook.read(&source).unwrap();
    assert!(is_on(flag(&plan, "new-nav"), json!({})));

    let plan = read(FlagFormat::GrowthBook, fixture!("growthbook-sdk.json"));
    assert_eq!(names(&plan), ["new-nav", "theme"]);
    let nav = flag(&plan, "new-nav");
    for (person, expected) in [
        (json!({ "email": "root@shop.example" }), false),
        (json!({ "userId": "1", "email": "root@shop.example" }), true),
        (json!({ "userId": "1", "age": 18 }), true),
        (json!({ "userId": "1", "age": 21 }), false),
        (json!({ "userId": "1", "age": 20, "blocked": true }), false),
        (json!({ "userId": "1", "age": 20, "blocked": false }), true),
        (json!({ "country": "FR", "beta": true }), true),
    ] {
        assert_eq!(is_on(nav, person.clone()), expected, "{person}");
    }
    assert_eq!(decide(flag(&plan, "theme"), json!({})).1, json!("light"));
    assert!(has_omission(&plan, "flag experiment", "variations"));
}

#[test]
fn growthbook_conditions_that_are_not_ours_are_refused() {
    for condition in [
        json!({ "a": { "$regex": "^a" } }),
        json!({ "a": { "$vgt": "1.0.0" } }),
        json!({ "a": { "$elemMatch": { "$eq": 1 } } }),
        json!({ "a": null }),
        json!({ "a": [1] }),
        json!({ "a.b": 1 }),
        json!({ "a": { "$gt": "b" } }),
        json!({ "a": { "$inGroup": "g" } }),
        json!({ "$or": 5 }),
        json!("a"),
    ] {
        let features = json!({ "features": { "f": { "defaultValue": false, "rules": [{ "condition": condition, "force": true }] } } });
        let plan = read(FlagFormat::GrowthBook, features.to_string().as_bytes());
        assert!(plan.items.is_empty(), "{condition}");
    }
    for (condition, person, expected) in [
        (json!({ "$nor": [{ "a": 1 }] }), json!({}), true),
        (json!({ "$nor": [{ "a": 1 }] }), json!({ "a": 1 }), false),
        (json!({ "$or": [] }), json!({}), true),
        (json!({ "$not": { "a": 1 } }), json!({ "a": 1 }), false),
        (
            json!({ "a": { "$exists": true } }),
            json!({ "a": null }),
            false,
        ),
        (json!({ "a": { "$exists": false } }), json!({}), true),
        (
            json!({ "id": { "$exists": true } }),
            json!({ "userId": "1" }),
            true,
        ),
        (json!({ "a": { "$nin": [1, 2] } }), json!({}), true),
        (json!({ "a": { "$in": [] } }), json!({ "a": 1 }), false),
    ] {
        let features = json!({ "features": { "f": { "defaultValue": false, "rules": [{ "condition": condition, "force": true }] } } });
        let plan = read(FlagFormat::GrowthBook, features.to_string().as_bytes());
        assert_eq!(is_on(flag(&plan, "f"), person), expected, "{condition}");
    }
}
