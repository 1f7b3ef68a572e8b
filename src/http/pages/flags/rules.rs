//! Rules of a flag as rows of a form. Rules that rows cannot express (nested rules, long lists) are JSON.

use serde_json::{Map, Value, json};

use crate::{
    fault::Issue,
    http::pages::{form::Rows, prelude::*},
    pages::part::{Field, more},
};

/// The field with rules as JSON, and the prefix of the rows' fields.
const NAME: &str = "rules";
/// Rows of a form, as many as a flag has rules.
const MAX: usize = 100;

/// Types of rules.
const KINDS: [(&str, &str); 9] = [
    ("", "Choose"),
    ("user_id", "User ID"),
    ("email", "Email"),
    ("property", "Property"),
    ("country", "Country"),
    ("device", "Device"),
    ("ip", "IP address"),
    ("time", "Time"),
    ("percentage", "Percentage of users"),
];

/// Operators; a share has none.
const OPERATORS: [(&str, &str); 20] = [
    ("equals", "is"),
    ("in", "is one of"),
    ("not_in", "is not one of"),
    ("contains", "contains"),
    ("starts_with", "starts with"),
    ("ends_with", "ends with"),
    ("matches", "matches (regex)"),
    ("exists", "exists"),
    ("not_exists", "doesn't exist"),
    ("greater_than", "is greater than"),
    ("greater_or_equal", "is at least"),
    ("less_than", "is less than"),
    ("less_or_equal", "is at most"),
    ("before", "is before"),
    ("after", "is at or after"),
    ("in_network", "is in network"),
    ("version_equals", "is version"),
    ("version_greater_or_equal", "is version or later"),
    ("version_greater_than", "is later than version"),
    ("version_less_than", "is earlier than version"),
];

/// Results of a rule.
const ANSWERS: [(&str, &str); 2] = [("on", "on"), ("off", "off")];

/// Fields of a row.
const FIELDS: [&str; 5] = ["type", "field", "operator", "value", "answer"];

fn name(at: usize, field: &str) -> String {
    format!("{NAME}.{at}.{field}")
}

/// Whether an operator takes several values.
fn takes_list(operator: &str) -> bool {
    ["in", "not_in", "in_network"].contains(&operator)
}

/// The value of a property: numbers, `true` and `false` without quotes are typed. Everything else is text.
fn typed(kind: &str, text: &str) -> Value {
    let read = serde_json::from_str::<Value>(text).ok();
    let plain = read.filter(|value| value.is_number() || value.is_boolean() || value.is_string());
    let is_typed = ["property", "percentage"].contains(&kind);
    plain.filter(|_| is_typed).unwrap_or_else(|| json!(text))
}

/// The same back, if it is a single value.
fn written(kind: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(text) if typed(kind, text) == *value => Some(text.clone()),
        Value::String(_) | Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// The rule of a row, if the row has one.
fn read(sent: &FormData, at: usize) -> Option<Value> {
    let text = |field: &str| sent.text(&name(at, field));
    let (kind, operator, value) = (
        sent.some(&name(at, "type"))?,
        text("operator"),
        text("value"),
    );
    let mut rule = Map::new();
    rule.insert("type".to_owned(), json!(kind));
    rule.insert("enabled".to_owned(), json!(text("answer") != "off"));
    let mut say = |name: &str, value: Value| rule.insert(name.to_owned(), value);
    if !text("field").is_empty() {
        say("field", json!(text("field")));
    }
    if kind == "percentage" {
        say("value", typed(kind, value));
    } else {
        say("operator", json!(operator));
        match operator {
            "exists" | "not_exists" => {}
            several if takes_list(several) => {
                let words = sent.words(&name(at, "value"));
                let words = words.into_iter().map(|word| typed(kind, word));
                say("values", words.collect());
            }
            _ => {
                say("value", typed(kind, value));
            }
        }
    }
    Some(Value::Object(rule))
}

/// A rule as a row, unless rows cannot express it.
fn row(rule: &Value, at: usize) -> Option<Vec<(String, String)>> {
    let mut plain = rule.as_object()?.clone();
    if plain.get("batch") == Some(&json!(false)) {
        plain.remove("batch");
    }
    let text = |field: &str| rule[field].as_str().unwrap_or_default();
    let kind = text("type");
    let value = match &rule["values"] {
        Value::Array(all) => {
            let all: Option<Vec<String>> = all.iter().map(|one| written(kind, one)).collect();
            all?.join(", ")
        }
        _ => written(kind, &rule["value"]).unwrap_or_default(),
    };
    let answer = if rule["enabled"] == false {
        "off"
    } else {
        "on"
    };
    let texts = [kind, text("field"), text("operator"), &value, answer];
    let fields = FIELDS.iter().zip(texts);
    let fields: Vec<(String, String)> = fields
        .map(|(field, value)| (name(at, field), value.to_owned()))
        .collect();
    let again = read(&FormData::from(fields.clone()), at);
    (again == Some(Value::Object(plain))).then_some(fields)
}

/// The rules of the rows.
fn rows(sent: &FormData) -> Vec<Value> {
    (0..MAX).filter_map(|at| read(sent, at)).collect()
}

/// The rules of a flag.
#[derive(Debug)]
pub(super) struct Rules;

impl Rows for Rules {
    /// As rows if all of them can be, else as JSON.
    fn fill(&self, rules: &Value) -> Vec<(String, String)> {
        let all = rules.as_array().map_or(&[][..], Vec::as_slice);
        let rows: Option<Vec<_>> = all
            .iter()
            .enumerate()
            .map(|(at, rule)| row(rule, at))
            .collect();
        match rows {
            Some(rows) => rows.into_iter().flatten().collect(),
            None => vec![(NAME.to_owned(), super::fields::pretty(rules))],
        }
    }

    fn read(&self, sent: &FormData, issues: &mut Vec<Issue>) -> Option<Value> {
        if sent.some(NAME).is_some() {
            return Some(sent.json(NAME, issues).unwrap_or_default());
        }
        Some(json!(rows(sent)))
    }

    /// The rows with something in them, and some empty ones; below them the same as JSON.
    fn draw(&self, sent: &FormData, _: &Choices, problems: &Problems) -> Markup {
        let filled: Vec<usize> = (0..MAX)
            .filter(|at| sent.some(&name(*at, "type")).is_some())
            .collect();
        let is_json = sent.some(NAME).is_some();
        let json = Field::text(NAME, "Rules as JSON")
            .optional()
            .value(sent.raw(NAME));
        let json = json.hint("For nested rules and long lists. JSON replaces the rows above. Example: [{\"type\": \"any\", \"rules\": […]}]");
        let pick = |(place, field, label): (usize, &str, &str),
                    among: &[(&str, &str)],
                    chosen: &str| {
            html! {
                select name=(name(place, field)) aria-label=(format!("{label} of rule {}", place + 1)) {
                    @for (value, text) in among { option value=(value) selected[*value == chosen] { (text) } }
                }
            }
        };
        let (beside, empty) = (
            if is_json { problems } else { &Problems::NONE },
            if is_json { 0 } else { 2 },
        );
        html! {
            fieldset.field {
                legend { "Rules" }
                p.hint { "The first matching rule decides. Separate several values with commas. Enter a property name only for properties." }
                @for place in 0..(filled.len() + empty).min(MAX) {
                    @let at = filled.get(place).copied();
                    @let value = |field: &str| at.map_or("", |at| sent.raw(&name(at, field)));
                    div.inline.rule {
                        (pick((place, "type", "Subject"), &KINDS, value("type")))
                        input name=(name(place, "field")) value=(value("field")) placeholder="property" aria-label=(format!("Property of rule {}", place + 1));
                        (pick((place, "operator", "Comparison"), &OPERATORS, value("operator")))
                        input name=(name(place, "value")) value=(value("value")) placeholder="value" aria-label=(format!("Value of rule {}", place + 1));
                        span.answer { "then " (pick((place, "answer", "Answer"), &ANSWERS, value("answer"))) }
                    }
                }
                @if !is_json && problems.is_wrong(NAME) { p.wrong #rules-wrong { (problems.beside(NAME).join("; ")) } }
                (more("As JSON", is_json, &json.lines(6, beside)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(rules: &Value) -> Value {
        json!(rows(&FormData::from(Rules.fill(rules))))
    }

    #[test]
    fn rules_that_fit_into_rows_stay_the_same() {
        let rules = json!([
            { "type": "email", "operator": "ends_with", "value": "@example.com", "enabled": true },
            { "type": "user_id", "operator": "in", "values": ["1", "b c"], "enabled": false },
            { "type": "property", "field": "seats", "operator": "greater_than", "value": 5, "enabled": true },
            { "type": "property", "field": "plan", "operator": "equals", "value": "5", "enabled": true },
            { "type": "property", "field": "paid", "operator": "not_in", "values": [true, "yes", 2.5], "enabled": true },
            { "type": "property", "field": "team", "operator": "exists", "enabled": true },
            { "type": "percentage", "value": 25, "enabled": true },
            { "type": "percentage", "field": "team", "value": 12.5, "enabled": true },
        ]);
        assert_eq!(again(&rules), rules);
        let drawn = Rules
            .draw(
                &FormData::from(Rules.fill(&rules)),
                &Choices::default(),
                &Problems::NONE,
            )
            .into_string();
        assert!(drawn.contains("value=\"&quot;5&quot;\""), "{drawn}");
        assert_eq!(drawn.matches("inline rule").count(), 10, "two are empty");
        assert!(!drawn.contains("<details class=\"behind\" open"), "{drawn}");
        // Fields that the server adds do not make another rule.
        let stored = json!([{ "type": "country", "operator": "equals", "value": "DE", "enabled": true, "batch": false }]);
        assert_eq!(again(&stored)[0]["value"], "DE");
    }

    #[test]
    fn other_rules_are_json() {
        for rule in [
            json!({ "type": "any", "rules": [], "enabled": true }),
            json!({ "type": "email", "operator": "in", "values": ["a,b"], "enabled": true }),
            json!({ "type": "email", "operator": "equals", "value": " a ", "enabled": true }),
            json!({ "type": "email", "operator": "equals", "value": null, "enabled": true }),
            json!({ "type": "user_id", "operator": "in", "batch": true, "batchValues": ["a"], "enabled": true }),
        ] {
            let simple =
                json!({ "type": "user_id", "operator": "equals", "value": "u", "enabled": true });
            let sent = FormData::from(Rules.fill(&json!([simple, rule])));
            assert!(rows(&sent).is_empty(), "{rule}");
            let json: Value = serde_json::from_str(sent.raw(NAME)).unwrap();
            assert_eq!(json, json!([simple, rule]));
            let drawn = Rules
                .draw(&sent, &Choices::default(), &Problems::NONE)
                .into_string();
            assert!(drawn.contains("<details class=\"behind\" open"), "{drawn}");
        }
        assert!(Rules.fill(&json!([])).is_empty() && Rules.fill(&Value::Null).is_empty());
    }
}
