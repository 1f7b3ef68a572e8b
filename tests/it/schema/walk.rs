//! Every schema within a schema.

use serde_json::Value;

/// Calls `look` with a schema, every schema in it, and where each is.
pub fn every(schema: &Value, place: &str, look: &mut impl FnMut(&str, &str, &Value)) {
    walk(schema, place, "", look);
}

fn walk(schema: &Value, place: &str, rule: &str, look: &mut impl FnMut(&str, &str, &Value)) {
    look(place, rule, schema);
    for (rule, says) in schema.as_object().into_iter().flatten() {
        let place = format!("{place}/{rule}");
        match rule.as_str() {
            "properties" | "$defs" | "patternProperties" | "dependentSchemas" => {
                for (name, inner) in says.as_object().unwrap() {
                    walk(inner, &format!("{place}/{name}"), rule, look);
                }
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                for (nth, inner) in says.as_array().unwrap().iter().enumerate() {
                    walk(inner, &format!("{place}/{nth}"), rule, look);
                }
            }
            "items"
            | "not"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames"
            | "contains"
            | "if"
            | "then"
            | "else" => walk(says, &place, rule, look),
            _ => {}
        }
    }
}
