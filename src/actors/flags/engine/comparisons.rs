//! Rules that only we know compare as they say, and those that cannot work are refused with their place.

use serde_json::{Value, json};

use super::{Compiled, Context, Flags, Group, Rule};
use crate::actors::flags::FlagFields;

/// Whether a rule holds for somebody with these properties, who asks from 192.0.2.7 at second one.
fn holds(rule: &Value, properties: Value) -> bool {
    let fields = FlagFields {
        key: "a".to_owned(),
        rules: vec![serde_json::from_value(rule.clone()).unwrap()],
        ..FlagFields::default()
    };
    let Value::Object(properties) = properties else {
        panic!("properties are an object");
    };
    let context = Context {
        properties,
        now_ms: 1_000,
        address: Some("192.0.2.7".parse().unwrap()),
        ..Context::default()
    };
    let flag = Compiled::new(&fields, &[]).unwrap();
    flag.evaluate(&Flags::new(), &context).enabled
}

#[test]
fn numbers_versions_times_and_patterns_compare_as_they_say() {
    for (operator, wanted, yes, no) in [
        ("greater_than", json!(5), json!("5.5"), json!(5)),
        ("greater_or_equal", json!(5), json!(5), json!(4.9)),
        ("less_than", json!("5"), json!(4), json!("x")),
        ("less_or_equal", json!(5), json!(5), json!(true)),
        (
            "version_equals",
            json!("1.2"),
            json!("v1.2.0"),
            json!("1.2.1"),
        ),
        (
            "version_greater_than",
            json!("1.9"),
            json!("1.10.0"),
            json!("1.9.0"),
        ),
        (
            "version_greater_or_equal",
            json!("2"),
            json!("2.0.0"),
            json!("2.0.0-rc.1"),
        ),
        (
            "version_less_than",
            json!("2.0.0"),
            json!("2.0.0-rc.1"),
            json!("x"),
        ),
        (
            "version_less_or_equal",
            json!("2"),
            json!("2"),
            json!("2.0.1"),
        ),
        (
            "before",
            json!("2026-01-01T00:00:00Z"),
            json!("2025-12-31"),
            json!("2026-01-01"),
        ),
        (
            "after",
            json!("2026-01-01"),
            json!("2026-01-01"),
            json!("then"),
        ),
        ("matches", json!("^a+$"), json!("aaa"), json!("b")),
    ] {
        let rule = json!({"type": "property", "field": "p", "operator": operator, "value": wanted});
        assert!(holds(&rule, json!({"p": yes})), "{yes}: {rule}");
        assert!(!holds(&rule, json!({"p": no})), "{no}: {rule}");
    }
}

#[test]
fn requests_shares_and_what_is_made_of_rules() {
    let germans = json!({"type": "country", "operator": "equals", "value": "DE"});
    for (rule, expected) in [
        (
            json!({"type": "time", "operator": "before", "value": 1_001}),
            true,
        ),
        (
            json!({"type": "time", "operator": "after", "value": 1_001}),
            false,
        ),
        (json!({"type": "ip", "values": ["192.0.2.0/24"]}), true),
        (
            json!({"type": "ip", "values": ["2001:db8::/32", "192.0.2.8"]}),
            false,
        ),
        (json!({"type": "percentage", "value": 100}), true),
        (json!({"type": "percentage", "value": 0}), false),
        (
            json!({"type": "percentage", "field": "account", "value": 100}),
            false,
        ),
        (json!({"type": "not", "rules": [germans]}), true),
    ] {
        assert_eq!(holds(&rule, json!({})), expected, "{rule}");
    }
    let accounts = json!({"type": "percentage", "field": "account", "value": 100});
    assert!(holds(&accounts, json!({"account": 5})));
}

#[test]
fn rules_that_cannot_work_are_refused_with_their_place() {
    let deep = (0..9).fold(
        json!({"type": "email", "operator": "exists"}),
        |rule, _| json!({"type": "all", "rules": [rule]}),
    );
    for (rule, place) in [
        (json!({"type": "any"}), "rules.0.rules"),
        (
            json!({"type": "all", "rules": [{"type": "percentage", "value": 101}]}),
            "rules.0.rules.0.value",
        ),
        (json!({"type": "email"}), "rules.0.operator"),
        (
            json!({"type": "property", "field": "p", "operator": "matches", "value": "("}),
            "rules.0.value",
        ),
        (
            json!({"type": "property", "field": "p", "operator": "greater_than", "value": "x"}),
            "rules.0.value",
        ),
        (
            json!({"type": "property", "field": "p", "operator": "version_equals", "value": "x"}),
            "rules.0.value",
        ),
        (
            json!({"type": "ip", "operator": "in_network", "values": ["x"]}),
            "rules.0.values",
        ),
        (
            json!({"type": "time", "operator": "equals", "value": 5}),
            "rules.0.operator",
        ),
    ] {
        let rule: Rule = serde_json::from_value(rule).unwrap();
        let issues = Group::new("g", "G", &[rule]).unwrap_err();
        assert_eq!(issues[0].field, place);
    }
    let rule: Rule = serde_json::from_value(deep).unwrap();
    assert!(Group::new("g", "G", &[rule]).is_err(), "so deep");
}
