//! The variants of a flag as rows of its form. Rows without a key are left out.

use serde_json::{Map, Value, json};

use crate::{
    fault::Issue,
    http::pages::{form::Rows, prelude::*},
    pages::part::hidden,
};

/// The field of the variants, and the prefix of the rows' fields.
const NAME: &str = "variants";
/// Variants of a flag.
const MAX: usize = 32;
/// Empty rows below the filled ones.
const EMPTY: usize = 2;

/// Types of values.
const TYPES: [(&str, &str); 3] = [("string", "Text"), ("number", "Number"), ("json", "JSON")];

fn name(at: usize, field: &str) -> String {
    format!("{NAME}.{at}.{field}")
}

/// Rows with a key or a value, by their numbers.
fn filled(sent: &FormData) -> Vec<usize> {
    let is_filled = |at: &usize| {
        ["key", "value"]
            .iter()
            .any(|field| sent.some(&name(*at, field)).is_some())
    };
    (0..MAX).filter(is_filled).collect()
}

/// The variants of a flag.
#[derive(Debug)]
pub(super) struct Variants;

impl Rows for Variants {
    fn fill(&self, value: &Value) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        for (at, variant) in value.as_array().into_iter().flatten().enumerate() {
            for (field, value) in variant.as_object().into_iter().flatten() {
                let text = match value {
                    Value::Null => continue,
                    Value::String(text) if field != "value" || variant["type"] != "json" => {
                        text.clone()
                    }
                    other => other.to_string(),
                };
                fields.push((name(at, field), text));
            }
        }
        fields
    }

    fn read(&self, sent: &FormData, issues: &mut Vec<Issue>) -> Option<Value> {
        let rows = filled(sent).into_iter().enumerate();
        Some(rows.map(|row| read_row(row, sent, issues)).collect())
    }

    fn is_used(&self, sent: &FormData) -> bool {
        !filled(sent).is_empty()
    }

    fn draw(&self, sent: &FormData, _: &Choices, problems: &Problems) -> Markup {
        let rows = filled(sent);
        html! {
            fieldset.field {
                legend { "Variants" }
                p.hint { "Used by a multivariate flag. Weights are percentages with a sum of 100. Leave all empty for equal shares." }
                @for place in 0..(rows.len() + EMPTY).min(MAX) {
                    (draw_row((place, rows.get(place).copied()), sent, problems))
                }
                @for message in problems.exactly(NAME) { p.wrong { (message) } }
            }
        }
    }
}

/// Reads a row; `place` counts the filled ones.
fn read_row((place, at): (usize, usize), sent: &FormData, issues: &mut Vec<Issue>) -> Value {
    let kind = sent.some(&name(at, "type")).unwrap_or("string");
    let text = sent.text(&name(at, "value"));
    let value = match kind {
        "string" => Some(json!(text)),
        _ => serde_json::from_str(text).ok(),
    };
    let mut variant = Map::new();
    let mut refuse = |field: &str, message: &str| {
        issues.push(Issue::new("invalid", name(place, field), message));
    };
    match value {
        Some(value) => drop(variant.insert("value".to_owned(), value)),
        None if kind == "number" => refuse("value", "the value must be a number"),
        None => refuse("value", "the value must be valid JSON"),
    }
    if let Some(weight) = sent.some(&name(at, "weight")) {
        match serde_json::from_str::<serde_json::Number>(weight) {
            Ok(weight) => drop(variant.insert("weight".to_owned(), json!(weight))),
            Err(_) => refuse("weight", "the weight must be a number"),
        }
    }
    variant.insert("key".to_owned(), json!(sent.text(&name(at, "key"))));
    variant.insert("type".to_owned(), json!(kind));
    if let Some(description) = sent.some(&name(at, "description")) {
        variant.insert("description".to_owned(), json!(description));
    }
    Value::Object(variant)
}

fn draw_row((place, at): (usize, Option<usize>), sent: &FormData, problems: &Problems) -> Markup {
    let value = |field: &str| at.map_or("", |at| sent.raw(&name(at, field)));
    let wrong = (at.is_some() && problems.is_wrong(&format!("{NAME}.{place}"))).then_some("true");
    let input = |field: &str, label: &str, example: &str| {
        html! {
            label {
                span.small.dim { (label) span.hide { " of variant " (place + 1) } }
                input name=(name(place, field)) value=(value(field)) placeholder=(example) aria-invalid=[wrong];
            }
        }
    };
    html! {
        div.inline.variant {
            (input("key", "Key", "treatment"))
            (input("value", "Value", "blue"))
            label {
                span.small.dim { "Type" span.hide { " of variant " (place + 1) } }
                select name=(name(place, "type")) {
                    @for (kind, label) in TYPES { option value=(kind) selected[kind == value("type")] { (label) } }
                }
            }
            (input("weight", "Weight (%)", "50"))
            @if !value("description").is_empty() { (hidden(&name(place, "description"), value("description"))) }
        }
        @if wrong.is_some() { @for message in problems.beside(&format!("{NAME}.{place}")) { p.wrong { (message) } } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unchanged_form_keeps_its_variants() {
        let variants = json!([
            { "key": "a", "value": "blue", "type": "string", "weight": 50, "description": "the old one" },
            { "key": "b", "value": 2.5, "type": "number", "weight": 12.5 },
            { "key": "c", "value": "text", "type": "json" },
            { "key": "d", "value": { "x": [true] }, "type": "json" },
        ]);
        let sent = FormData::from(Variants.fill(&variants));
        let mut issues = Vec::new();
        assert_eq!(Variants.read(&sent, &mut issues), Some(variants));
        assert!(issues.is_empty() && Variants.is_used(&sent));
        let drawn = Variants.draw(&sent, &Choices::default(), &Problems::NONE);
        let rows = drawn.into_string().matches("inline variant").count();
        assert_eq!(rows, 4 + EMPTY);
    }

    #[test]
    fn unreadable_values_are_reported_below_their_row() {
        let fields = [
            ("variants.3.key", "a"),
            ("variants.3.type", "json"),
            ("variants.3.value", "{"),
            ("variants.3.weight", "half"),
        ];
        let sent = FormData::with(fields.map(|(name, value)| (name, value.to_owned())));
        let mut issues = Vec::new();
        Variants.read(&sent, &mut issues);
        let problems = Problems::from_fault(Fault::issues("no", issues)).unwrap();
        let drawn = Variants.draw(&sent, &Choices::default(), &problems);
        let drawn = drawn.into_string();
        assert!(
            drawn.contains("must be valid JSON") && drawn.contains("must be a number"),
            "{drawn}"
        );
        assert!(problems.above(&[]).is_empty(), "all are shown");
    }
}
