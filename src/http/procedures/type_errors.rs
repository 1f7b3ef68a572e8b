//! Finds the field of an input that has the wrong type, by the input's schema.
//!
//! serde reads the flattened parts of an input as a whole: its errors about them name no field.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

/// The path of the first value that does not fit the schema, such as `links[0].name`.
pub(super) fn find_path<I: JsonSchema>(input: &Value) -> Option<String> {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let schema = generator.into_root_schema_for::<I>().to_value();
    let finder = Finder {
        definitions: schema.get("$defs").and_then(Value::as_object),
    };
    finder.mismatch(&schema, input, "")
}

struct Finder<'s> {
    definitions: Option<&'s Map<String, Value>>,
}

impl Finder<'_> {
    fn mismatch(&self, schema: &Value, value: &Value, path: &str) -> Option<String> {
        let schema = schema.as_object()?;
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            let name = name.rsplit('/').next().unwrap_or_default();
            let definition = self.definitions.and_then(|all| all.get(name))?;
            if let Some(found) = self.mismatch(definition, value, path) {
                return Some(found);
            }
        }
        let list = |name: &str| schema.get(name).and_then(Value::as_array);
        for part in list("allOf").into_iter().flatten() {
            if let Some(found) = self.mismatch(part, value, path) {
                return Some(found);
            }
        }
        if let Some(choices) = list("anyOf").or_else(|| list("oneOf")) {
            let found = choices.iter().map(|one| self.mismatch(one, value, path));
            // Of several shapes that do not fit, the one that fits most says where.
            let found: Option<Vec<String>> = found.collect();
            if let Some(deepest) = found.and_then(|all| all.into_iter().max_by_key(String::len)) {
                return Some(deepest);
            }
        }
        if !fits_itself(schema, value) {
            return Some(path.to_owned());
        }
        self.mismatch_below(schema, value, path)
    }

    /// The same of the fields of an object, or the entries of a list.
    fn mismatch_below(
        &self,
        schema: &Map<String, Value>,
        value: &Value,
        path: &str,
    ) -> Option<String> {
        match value {
            Value::Object(fields) => {
                let known = schema.get("properties").and_then(Value::as_object);
                let others = schema.get("additionalProperties");
                fields.iter().find_map(|(name, value)| {
                    let schema = known.and_then(|known| known.get(name)).or(others)?;
                    let below = match path {
                        "" => name.clone(),
                        path => format!("{path}.{name}"),
                    };
                    self.mismatch(schema, value, &below)
                })
            }
            Value::Array(items) => {
                let schema = schema.get("items")?;
                let mut items = items.iter().enumerate();
                items.find_map(|(index, item)| {
                    self.mismatch(schema, item, &format!("{path}[{index}]"))
                })
            }
            _ => None,
        }
    }
}

/// Whether a value is one of a schema's values and types, and within its bounds; what is in it does not matter.
fn fits_itself(schema: &Map<String, Value>, value: &Value) -> bool {
    let known = schema.get("enum").and_then(Value::as_array);
    if known.is_some_and(|known| !known.contains(value)) {
        return false;
    }
    let is_typed = match schema.get("type") {
        Some(Value::String(kind)) => has_type(value, kind),
        Some(Value::Array(kinds)) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str);
            kinds.any(|kind| has_type(value, kind))
        }
        _ => true,
    };
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let is_within = value.as_f64().is_none_or(|number| {
        bound("minimum").is_none_or(|least| number >= least)
            && bound("maximum").is_none_or(|most| number <= most)
    });
    is_typed && is_within
}

fn has_type(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::all, *};

    /// A value that fits a schema, as far as types go.
    fn sample(schema: &Value, root: &Value, depth: usize) -> Value {
        let Some(fields) = schema.as_object().filter(|_| depth < 8) else {
            return json!({});
        };
        if let Some(name) = fields.get("$ref").and_then(Value::as_str) {
            let name = name.rsplit('/').next().unwrap();
            return sample(&root[name], root, depth + 1);
        }
        if let Some(one) = fields.get("const") {
            return one.clone();
        }
        let first = |name: &str| fields.get(name).and_then(|list| list.get(0));
        if let Some(one) = first("enum") {
            return one.clone();
        }
        // Choices beside properties only say which of them are required.
        let choice = first("anyOf").or_else(|| first("oneOf"));
        if let Some(one) = choice.filter(|_| !fields.contains_key("properties")) {
            return sample(one, root, depth + 1);
        }
        let kind = fields.get("type");
        match kind.and_then(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str())) {
            Some("string") => json!("2026-01-01"),
            Some("integer" | "number") => fields.get("minimum").cloned().unwrap_or(json!(1)),
            Some("boolean") => json!(true),
            Some("array") => json!([]),
            Some("null") => Value::Null,
            _ => {
                let required = fields.get("required").and_then(Value::as_array);
                let required = required.into_iter().flatten().filter_map(Value::as_str);
                let fields = required.map(|name| {
                    let known = fields.get("properties").and_then(|all| all.get(name));
                    let value = known.map(|schema| sample(schema, root, depth + 1));
                    (name.to_owned(), value.unwrap_or_default())
                });
                Value::Object(fields.collect())
            }
        }
    }

    #[test]
    fn a_wrong_type_names_its_field_in_every_procedure() {
        let mut nameless = Vec::new();
        for procedure in all() {
            let mut generator = SchemaSettings::draft2020_12().into_generator();
            let schema = (procedure.input)(&mut generator).to_value();
            let definitions = Value::Object(generator.take_definitions(true));
            let name = schema["$ref"].as_str().unwrap_or_default();
            let own = name.rsplit('/').next().unwrap_or_default();
            let schema = definitions.get(own).unwrap_or(&schema);
            let good = sample(schema, &definitions, 0);
            let properties = schema["properties"].as_object();
            for (field, schema) in properties.into_iter().flatten() {
                // A whole number, a list of it, or nothing is wrong everywhere else.
                let takes = schema.to_string();
                let typed = takes.contains(r#""type""#) || takes.contains("$ref");
                let wrong = if takes.contains("object") {
                    json!(7)
                } else {
                    json!({ "x": 7 })
                };
                if !typed {
                    continue;
                }
                let mut body = good.clone();
                body[field] = wrong;
                let Err(fault) = procedure.check(&body) else {
                    continue;
                };
                let crate::fault::Kind::Invalid { issues } = fault.kind else {
                    panic!("{procedure:?} is refused for something else");
                };
                if issues
                    .iter()
                    .any(|one| one.code == "invalid_type" && one.field.is_empty())
                {
                    nameless.push(format!("{procedure:?}: {body}"));
                }
            }
        }
        assert!(nameless.is_empty(), "{}", nameless.join("\n"));
    }
}
