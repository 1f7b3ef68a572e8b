//! The rules of flags once more, naively and straight from the page that defines them, and random flags on
//! which both have to agree.

use std::{collections::BTreeMap, sync::Arc};

use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::{Value, json};

use super::{Compiled, Context, Flags, Group};
use crate::actors::flags::{FlagFields, engine::Rule};

/// Caller asks, as a JSON object.
type Caller = Value;

fn to_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn hash(text: &str) -> i64 {
    let mut hash = 0_i64;
    for unit in text.encode_utf16() {
        hash = (hash * 31 + i64::from(unit)) % (1 << 32);
    }
    // As a signed number of 32 bits, without its sign.
    if hash >= 1 << 31 {
        (1 << 32) - hash
    } else {
        hash
    }
}

fn filled(who: &Caller, name: &str) -> Option<String> {
    let text = who[name].as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

fn person(who: &Caller) -> String {
    let named = filled(who, "userId").or_else(|| filled(who, "email"));
    named.unwrap_or_else(|| "anonymous".to_owned())
}

fn like(operator: &str, value: &str, wanted: &str) -> bool {
    match operator {
        "equals" => value == wanted,
        "contains" => value.contains(wanted),
        "starts_with" => value.starts_with(wanted),
        "ends_with" => value.ends_with(wanted),
        _ => false,
    }
}

fn matches(rule: &Value, who: &Caller) -> bool {
    let inner = || rule["rules"].as_array().unwrap().iter();
    match rule["type"].as_str().unwrap() {
        "all" => return inner().all(|rule| matches(rule, who)),
        "any" => return inner().any(|rule| matches(rule, who)),
        "not" => return !inner().any(|rule| matches(rule, who)),
        _ => {}
    }
    let is_property = rule["type"] == "property";
    if is_property && rule["field"].is_null() {
        let Some(below) = rule["value"].as_f64() else {
            return false;
        };
        let bucket = hash(&format!("percentage:{}", person(who))) % 100;
        return (bucket as f64) < below;
    }
    let value = match rule["type"].as_str().unwrap() {
        "user_id" => filled(who, "userId").map(Value::from),
        "email" => filled(who, "email").map(Value::from),
        _ => {
            let value = &who["properties"][rule["field"].as_str().unwrap()];
            (!value.is_null()).then(|| value.clone())
        }
    };
    let operator = rule["operator"].as_str().unwrap();
    let many = rule["batchValues"].as_array().cloned().unwrap_or_default();
    if rule["batch"] == true && !many.is_empty() {
        let Some(value) = value.as_ref().map(to_text) else {
            return operator == "not_in";
        };
        let wanted = || many.iter().map(|text| text.as_str().unwrap());
        return match operator {
            "in" => wanted().any(|wanted| wanted == value),
            "not_in" => !wanted().any(|wanted| wanted == value),
            operator => wanted().any(|wanted| like(operator, &value, wanted)),
        };
    }
    let Some(value) = value else {
        return is_property && matches!(operator, "not_in" | "not_exists");
    };
    let listed = || rule["values"].as_array().into_iter().flatten();
    match operator {
        "in" => listed().any(|one| *one == value),
        "not_in" => !listed().any(|one| *one == value),
        "exists" => is_property,
        "not_exists" => false,
        "equals" => value == rule["value"],
        "contains" if is_property => to_text(&value).contains(&to_text(&rule["value"])),
        _ if is_property => false,
        operator => like(operator, &to_text(&value), &to_text(&rule["value"])),
    }
}

/// What a flag is: as the page says it, step by step.
fn decide(flag: &Value, active: &BTreeMap<String, Value>, groups: &[Value], who: &Caller) -> Value {
    let off =
        |reason: &str| json!({"enabled": false, "value": false, "payload": null, "reason": reason});
    let lists = |name: &str| flag[name].as_array().cloned().unwrap_or_default();
    for needed in lists("dependencies") {
        let other = active.get(needed.as_str().unwrap());
        if other.is_none_or(|other| other["environment"] != flag["environment"]) {
            return off("DEPENDENCY_NOT_SATISFIED");
        }
    }
    let found = |rules: &[Value]| rules.iter().find(|rule| matches(rule, who)).cloned();
    let then = |on: bool, reason: &str| {
        let payload = if on {
            flag["payload"].clone()
        } else {
            Value::Null
        };
        json!({"enabled": on, "value": on, "payload": payload, "reason": reason})
    };
    if let Some(rule) = found(&lists("rules")) {
        return then(rule["enabled"] == true, "USER_RULE_MATCH");
    }
    for group in groups {
        if let Some(rule) = found(group.as_array().unwrap()) {
            return then(rule["enabled"] == true, "TARGET_GROUP_MATCH");
        }
    }
    choose(flag, who, then)
}

/// What a flag is when no rule says anything.
fn choose(flag: &Value, who: &Caller, then: impl Fn(bool, &str) -> Value) -> Value {
    let key = flag["key"].as_str().unwrap();
    let variants = flag["variants"].as_array().cloned().unwrap_or_default();
    if flag["type"] == "multivariant" && !variants.is_empty() {
        let chosen = chosen(&variants, hash(&format!("{key}:variant:{}", person(who))));
        return json!({
            "enabled": true, "value": chosen["value"], "payload": flag["payload"],
            "reason": "MULTIVARIANT_EVALUATED", "variant": chosen["key"],
        });
    }
    if flag["type"] != "rollout" {
        return then(flag["defaultValue"] == true, "BOOLEAN_DEFAULT");
    }
    let who = match flag["rolloutBy"].as_str() {
        Some("organization") => filled(who, "organizationId"),
        Some("team") => filled(who, "teamId"),
        _ => Some(person(who)),
    };
    let who = who.unwrap_or_else(|| "anonymous".to_owned());
    let below = flag["rolloutPercentage"].as_i64().unwrap_or(0);
    if hash(&format!("{key}:{who}")) % 100 < below {
        then(true, "ROLLOUT_ENABLED")
    } else {
        then(false, "ROLLOUT_DISABLED")
    }
}

fn chosen(variants: &[Value], hash: i64) -> &Value {
    if !variants.iter().any(|variant| variant["weight"].is_number()) {
        return &variants[hash as usize % variants.len()];
    }
    let mut sum = 0.0;
    for variant in variants {
        sum += variant["weight"].as_f64().unwrap_or(0.0);
        if ((hash % 100) as f64) < sum {
            return variant;
        }
    }
    variants.last().unwrap()
}

fn pieces() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        "a",
        "ab",
        "b",
        "a@b",
        "ä",
        "😀",
        "1",
        "true",
        "anonymous",
    ])
    .prop_map(str::to_owned)
}

fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        pieces().prop_map(Value::from),
        (0..3).prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ]
}

fn rules() -> impl Strategy<Value = Value> {
    let kinds = prop::sample::select(vec!["user_id", "email", "property"]);
    let operators = prop::sample::select(vec![
        "equals",
        "contains",
        "starts_with",
        "ends_with",
        "in",
        "not_in",
        "exists",
        "not_exists",
    ]);
    let fields = prop::sample::select(vec![json!("p"), json!("q"), Value::Null]);
    let wanted = prop_oneof![
        pieces().prop_map(Value::from),
        (0..100).prop_map(Value::from),
        any::<bool>().prop_map(Value::from)
    ];
    let lists = prop::collection::vec(values(), 0..3);
    let batches = prop::collection::vec(pieces(), 0..3);
    let leaf = (
        kinds,
        operators,
        fields,
        wanted,
        lists,
        any::<bool>(),
        any::<bool>(),
        batches,
    );
    let leaf = leaf.prop_map(|(kind, operator, field, value, values, enabled, batch, many)| {
        json!({
            "type": kind, "operator": operator, "field": field, "value": value, "values": values,
            "enabled": enabled, "batch": batch, "batchValues": many,
        })
    });
    leaf.prop_recursive(2, 6, 3, |inner| {
        let kinds = prop::sample::select(vec!["all", "any", "not"]);
        (kinds, prop::collection::vec(inner, 1..3), any::<bool>()).prop_map(
            |(kind, rules, enabled)| json!({"type": kind, "rules": rules, "enabled": enabled}),
        )
    })
}

fn flags(key: &'static str) -> impl Strategy<Value = Value> {
    let kinds = prop::sample::select(vec!["boolean", "rollout", "multivariant"]);
    let by = prop::sample::select(vec![
        Value::Null,
        json!("user"),
        json!("organization"),
        json!("team"),
    ]);
    let weight = prop_oneof![Just(Value::Null), (0..60).prop_map(Value::from)];
    let variants = prop::collection::vec((pieces(), weight), 0..4).prop_map(|variants| {
        let variants = variants.into_iter().map(|(value, weight)| {
            json!({"key": format!("v{value}"), "value": value, "type": "string", "weight": weight})
        });
        variants.collect::<Vec<_>>()
    });
    let payload = prop::sample::select(vec![Value::Null, json!({"a": [1]})]);
    let needs = prop::sample::subsequence(vec!["one", "two", "nobody"], 0..=1);
    let environments = prop::sample::select(vec![Value::Null, Value::Null, json!("test")]);
    let rules = prop::collection::vec(rules(), 0..3);
    (kinds, any::<bool>(), 0..=100_u8, by, variants, payload, needs, environments, rules).prop_map(
        move |(kind, on, share, by, variants, payload, needs, environment, rules)| {
            json!({
                "key": key, "type": kind, "defaultValue": on, "rolloutPercentage": share,
                "rolloutBy": by, "variants": variants, "payload": payload, "dependencies": needs,
                "environment": environment, "rules": rules,
            })
        },
    )
}

fn people() -> impl Strategy<Value = Caller> {
    let name = || prop::option::of(pieces());
    let properties =
        prop::collection::btree_map(prop::sample::select(vec!["p", "q"]), values(), 0..3);
    (name(), name(), name(), name(), properties).prop_map(
        |(user, email, organization, team, properties)| {
            json!({
                "userId": user, "email": email, "organizationId": organization, "teamId": team,
                "properties": properties,
            })
        },
    )
}

fn context(who: &Caller) -> Context<'static> {
    let text = |name: &str| who[name].as_str().map(str::to_owned);
    Context {
        user_id: text("userId"),
        email: text("email"),
        organization_id: text("organizationId"),
        team_id: text("teamId"),
        properties: who["properties"].as_object().cloned().unwrap_or_default(),
        ..Context::default()
    }
}

fn compiled(flag: &Value, groups: &[Arc<Group>]) -> Arc<Compiled> {
    let fields: FlagFields = serde_json::from_value(flag.clone()).unwrap();
    Arc::new(Compiled::new(&fields, groups).unwrap())
}

#[test]
fn a_hundred_thousand_decisions_agree_with_the_page() {
    let mut runner = TestRunner::new(ProptestConfig::with_cases(1_000));
    let groups = prop::collection::vec(prop::collection::vec(rules(), 0..2), 0..3);
    let people = prop::collection::vec(people(), 100);
    let strategy = (flags("asked"), flags("one"), flags("two"), groups, people);
    runner
        .run(&strategy, |(asked, one, two, groups, people)| {
            let ready: Vec<_> = groups
                .iter()
                .map(|rules| {
                    let rules: Vec<Rule> = serde_json::from_value(json!(rules)).unwrap();
                    Arc::new(Group::new("g", "G", &rules).unwrap())
                })
                .collect();
            let mut flags = Flags::new();
            for (flag, groups) in [(&asked, &ready[..]), (&one, &[]), (&two, &[])] {
                flags.insert(flag["key"].as_str().unwrap().into(), compiled(flag, groups));
            }
            let active = [&asked, &one, &two]
                .map(|flag| (flag["key"].as_str().unwrap().to_owned(), flag.clone()));
            let active = BTreeMap::from(active);
            let groups: Vec<_> = groups.iter().map(|rules| json!(rules)).collect();
            for who in &people {
                let context = context(who);
                let decision =
                    serde_json::to_value(flags["asked"].evaluate(&flags, &context)).unwrap();
                let expected = decide(&asked, &active, &groups, who);
                prop_assert_eq!(&decision, &expected, "{} for {}", asked, who);
                let (explained, trace) = flags["asked"].explain(&flags, &context);
                prop_assert_eq!(serde_json::to_value(explained).unwrap(), decision);
                prop_assert!(
                    !serde_json::to_value(trace)
                        .unwrap()
                        .as_array()
                        .unwrap()
                        .is_empty()
                );
            }
            Ok(())
        })
        .unwrap();
}
