//! Rules about a value itself.

use serde_json::Value;

/// Rules that do not judge.
const ANNOTATIONS: [&str; 9] = [
    "$comment",
    "$defs",
    "$schema",
    "default",
    "deprecated",
    "description",
    "examples",
    "title",
    "writeOnly",
];
/// Rules that lead to other values or schemas.
const APPLICATORS: [&str; 9] = [
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "items",
    "not",
    "oneOf",
    "properties",
    "propertyNames",
];

/// Whether a rule says something about the members of an object.
pub fn is_about_members(rule: &str) -> bool {
    !ANNOTATIONS.contains(&rule) && rule != "not"
}

/// Whether a value keeps a rule.
pub fn is_kept((rule, says): (&str, &Value), value: &Value) -> bool {
    let number = || value.as_f64().zip(says.as_f64());
    let size = |own: Option<usize>| own.zip(says.as_u64().map(|says| says as usize));
    let letters = || size(value.as_str().map(|text| text.chars().count()));
    let items = || size(value.as_array().map(Vec::len));
    let members = || size(value.as_object().map(serde_json::Map::len));
    let least = |pair: Option<(usize, usize)>| pair.is_none_or(|(own, least)| own >= least);
    let most = |pair: Option<(usize, usize)>| pair.is_none_or(|(own, most)| own <= most);
    match rule {
        "type" => match says {
            Value::Array(kinds) => kinds.iter().any(|kind| is(kind, value)),
            kind => is(kind, value),
        },
        "enum" => says.as_array().unwrap().contains(value),
        "const" => says == value,
        "minimum" => number().is_none_or(|(own, least)| own >= least),
        "maximum" => number().is_none_or(|(own, most)| own <= most),
        "exclusiveMinimum" => number().is_none_or(|(own, least)| own > least),
        "exclusiveMaximum" => number().is_none_or(|(own, most)| own < most),
        "minLength" => least(letters()),
        "maxLength" => most(letters()),
        "minItems" => least(items()),
        "maxItems" => most(items()),
        "minProperties" => least(members()),
        "maxProperties" => most(members()),
        "uniqueItems" => value.as_array().is_none_or(|items| {
            let mut items = items.iter().enumerate();
            items.all(|(nth, item)| !value.as_array().unwrap()[..nth].contains(item))
        }),
        "pattern" => value.as_str().is_none_or(|text| {
            let pattern = regex::Regex::new(says.as_str().unwrap()).unwrap();
            pattern.is_match(text)
        }),
        "format" => value
            .as_str()
            .is_none_or(|text| has_format(says.as_str().unwrap(), text)),
        "required" => value.as_object().is_none_or(|own| {
            let mut names = says.as_array().unwrap().iter();
            names.all(|name| own.contains_key(name.as_str().unwrap()))
        }),
        "dependentRequired" => value.as_object().is_none_or(|own| {
            let mut needs = says.as_object().unwrap().iter();
            needs.all(|(name, needed)| {
                let mut needed = needed.as_array().unwrap().iter();
                !own.contains_key(name) || needed.all(|one| own.contains_key(one.as_str().unwrap()))
            })
        }),
        "unevaluatedProperties" => *says == Value::Bool(false),
        known if ANNOTATIONS.contains(&known) || APPLICATORS.contains(&known) => true,
        unknown => panic!("the rule `{unknown}` is not known to this check"),
    }
}

fn has_format(format: &str, text: &str) -> bool {
    match format {
        "date-time" => chrono::DateTime::parse_from_rfc3339(text).is_ok(),
        "date" => text.parse::<chrono::NaiveDate>().is_ok(),
        "uri" => url::Url::parse(text).is_ok(),
        _ => true,
    }
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        unknown => panic!("there is no type `{unknown}`"),
    }
}
