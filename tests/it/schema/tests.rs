use serde_json::{Value, json};

use super::find_mismatches;

fn count(schema: &Value, value: &Value) -> usize {
    find_mismatches(schema, value).len()
}

#[test]
fn what_does_not_fit_is_found_with_its_place() {
    let schema = json!({
        "type": "object", "required": ["a"], "$defs": { "n": { "type": ["integer", "null"] } },
        "properties": { "a": { "type": "array", "items": { "$ref": "#/$defs/n" } }, "b": { "anyOf": [{ "const": 1 }, { "enum": ["x"] }] } },
        "additionalProperties": false,
    });
    for (value, wrong) in [
        (json!({ "a": [1, null], "b": "x" }), 0),
        (json!({ "a": [], "b": 1 }), 0),
        (json!({}), 1),
        (json!([]), 1),
        (json!({ "a": ["1"] }), 1),
        (json!({ "a": [1.5], "b": 2, "c": 3 }), 3),
    ] {
        let found = find_mismatches(&schema, &value);
        assert_eq!(found.len(), wrong, "{value}: {found:?}");
    }
    assert!(find_mismatches(&schema, &json!({ "a": ["1"] }))[0].starts_with("/a/0: "));
}

#[test]
fn a_member_that_no_schema_names_is_found_unless_it_is_left_open() {
    let bare = json!({ "type": "object", "properties": { "a": {} } });
    assert_eq!(count(&bare, &json!({ "a": { "z": 1 } })), 0);
    assert_eq!(count(&bare, &json!({ "a": 1, "b": 1 })), 1);
    assert_eq!(count(&json!({ "type": "object" }), &json!({ "b": 1 })), 1);
    let open = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
    assert_eq!(count(&open, &json!({ "b": 1 })), 0);
    assert_eq!(count(&open, &json!({ "b": "1" })), 1);
    let parts = json!({ "allOf": [bare, { "properties": { "b": {} } }] });
    assert_eq!(count(&parts, &json!({ "a": 1, "b": 1 })), 0);
    assert_eq!(count(&parts, &json!({ "a": 1, "c": 1 })), 1);
    let nested = json!({ "type": "array", "items": bare });
    assert_eq!(count(&nested, &json!([{ "a": 1 }, { "b": 1 }])), 1);
}

#[test]
fn one_of_takes_just_one_and_any_of_the_nearest() {
    let kind = |name: &str| json!({ "type": "object", "required": ["kind"], "properties": { "kind": { "const": name } } });
    let one = json!({ "oneOf": [kind("a"), kind("b")] });
    assert_eq!(count(&one, &json!({ "kind": "b" })), 0);
    assert_eq!(count(&one, &json!({ "kind": "c" })), 1);
    assert_eq!(count(&one, &json!({ "kind": "b", "more": 1 })), 1);
    let both = json!({ "oneOf": [kind("a"), kind("a")] });
    assert_eq!(count(&both, &json!({ "kind": "a" })), 1);
    let any = json!({ "anyOf": [kind("a"), { "properties": { "n": { "minimum": 1 } } }] });
    assert_eq!(count(&any, &json!({ "kind": "a", "n": 1 })), 0);
    assert_eq!(count(&any, &json!({ "n": 0 })), 1);
}

#[test]
fn sizes_forms_and_names_count() {
    for (schema, fits, fails) in [
        (
            json!({ "minLength": 2, "maxLength": 3 }),
            json!("äöü"),
            json!("a"),
        ),
        (json!({ "maxItems": 1 }), json!([1]), json!([1, 2])),
        (
            json!({ "minProperties": 1, "additionalProperties": {} }),
            json!({ "a": 1 }),
            json!({}),
        ),
        (json!({ "pattern": "^a+$" }), json!("aa"), json!("ab")),
        (
            json!({ "format": "date-time" }),
            json!("2026-01-01T00:00:00.000Z"),
            json!("2026-01-01"),
        ),
        (json!({ "not": { "type": "null" } }), json!(1), json!(null)),
        (json!({ "exclusiveMinimum": 0 }), json!(0.5), json!(0)),
        (json!({ "type": "integer" }), json!(2.0), json!(2.5)),
    ] {
        assert_eq!(count(&schema, &fits), 0, "{schema} {fits}");
        assert_eq!(count(&schema, &fails), 1, "{schema} {fails}");
    }
}
