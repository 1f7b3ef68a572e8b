//! Whether a value is what a schema says: as much of JSON Schema as our own schemas use.

use serde_json::Value;

/// What is wrong, place by place; nothing when all of it fits.
pub fn wrong(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, "", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, place: &str, found: &mut Vec<String>) {
    if *schema == Value::Bool(false) {
        found.push(format!("{place}: there must be nothing"));
    }
    let Some(rules) = schema.as_object() else {
        return;
    };
    for (rule, says) in rules {
        if !fits(root, (rule, says), value) {
            found.push(format!("{place}: {value} is not {rule} {says}"));
        }
        deeper(root, (schema, rule, says), value, place, found);
    }
}

/// Whether a value keeps a rule that is about itself.
fn fits(root: &Value, (rule, says): (&str, &Value), value: &Value) -> bool {
    let number = || value.as_f64().zip(says.as_f64());
    match rule {
        "type" => match says {
            Value::Array(kinds) => kinds.iter().any(|kind| is(kind, value)),
            kind => is(kind, value),
        },
        "enum" => says.as_array().unwrap().contains(value),
        "const" => says == value,
        "minimum" => number().is_none_or(|(own, least)| own >= least),
        "maximum" => number().is_none_or(|(own, most)| own <= most),
        "anyOf" | "oneOf" => says.as_array().unwrap().iter().any(|way| {
            let mut wrong = Vec::new();
            check(root, way, value, "", &mut wrong);
            wrong.is_empty()
        }),
        "required" => value.as_object().is_none_or(|own| {
            let mut names = says.as_array().unwrap().iter();
            names.all(|name| own.contains_key(name.as_str().unwrap()))
        }),
        _ => true,
    }
}

/// Goes on with what a rule says about something else: another schema, a field, an item.
fn deeper(
    root: &Value,
    (schema, rule, says): (&Value, &str, &Value),
    value: &Value,
    place: &str,
    found: &mut Vec<String>,
) {
    let fields = || value.as_object().into_iter().flatten();
    match rule {
        "$ref" => {
            let path = says.as_str().unwrap().strip_prefix('#').unwrap();
            let referred = root.pointer(path).unwrap_or_else(|| panic!("{path}"));
            check(root, referred, value, place, found);
        }
        "allOf" => {
            for one in says.as_array().unwrap() {
                check(root, one, value, place, found);
            }
        }
        "properties" => {
            for (name, field) in fields() {
                if let Some(schema) = says.get(name) {
                    check(root, schema, field, &format!("{place}/{name}"), found);
                }
            }
        }
        "additionalProperties" => {
            for (name, field) in fields() {
                if schema["properties"].get(name).is_none() {
                    check(root, says, field, &format!("{place}/{name}"), found);
                }
            }
        }
        "items" => {
            for (nth, item) in value.as_array().into_iter().flatten().enumerate() {
                check(root, says, item, &format!("{place}/{nth}"), found);
            }
        }
        _ => {}
    }
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        _ => value.is_object(),
    }
}

#[test]
fn what_does_not_fit_is_found_with_its_place() {
    use serde_json::json;

    let schema = json!({
        "type": "object", "required": ["a"], "$defs": { "n": { "type": ["integer", "null"] } },
        "properties": { "a": { "type": "array", "items": { "$ref": "#/$defs/n" } }, "b": { "anyOf": [{ "const": 1 }, { "enum": ["x"] }] } },
        "additionalProperties": false,
    });
    for (value, count) in [
        (json!({ "a": [1, null], "b": "x" }), 0),
        (json!({ "a": [], "b": 1 }), 0),
        (json!({}), 1),
        (json!([]), 1),
        (json!({ "a": ["1"] }), 1),
        (json!({ "a": [1.5], "b": 2, "c": 3 }), 3),
    ] {
        assert_eq!(
            wrong(&schema, &value).len(),
            count,
            "{value}: {:?}",
            wrong(&schema, &value)
        );
    }
}
