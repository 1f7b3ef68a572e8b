//! A condition of GrowthBook as a rule. An attribute is a text, a number or a truth value; of lists nothing is said.

use serde_json::{Map, Value};

use super::super::rule::{self, about, all, everybody, nest, nobody, not};
use crate::actors::flags::engine::{Operator, Rule, RuleKind};

/// Attributes that are the user's id.
const USERS: [&str; 1] = ["id"];
/// Conditions in conditions; rules of ours are nested a little deeper than they are.
const MAX_DEPTH: usize = 8;

pub(super) fn rule(condition: &Value) -> Result<Rule, String> {
    read(condition, 0)
}

fn read(condition: &Value, depth: usize) -> Result<Rule, String> {
    if depth >= MAX_DEPTH {
        return Err("A condition is nested too deep".to_owned());
    }
    let Value::Object(fields) = condition else {
        return Err("A condition isn't an object".to_owned());
    };
    let mut rules = Vec::new();
    for (name, value) in fields {
        rules.push(match name.as_str() {
            "$and" => all(several(value, depth)?),
            "$or" => any(several(value, depth)?),
            "$nor" => not(any_or_nobody(several(value, depth)?)),
            "$not" => not(read(value, depth + 1)?),
            name if name.starts_with('$') || name.contains('.') => {
                return Err(format!("A condition has `{name}`"));
            }
            name => attribute(name, value)?,
        });
    }
    Ok(all(rules))
}

fn several(conditions: &Value, depth: usize) -> Result<Vec<Rule>, String> {
    let all = conditions.as_array().ok_or("A condition isn't a list")?;
    all.iter().map(|one| read(one, depth + 1)).collect()
}

/// One of these; an empty list holds.
fn any(rules: Vec<Rule>) -> Rule {
    if rules.is_empty() {
        return everybody();
    }
    nest(RuleKind::Any, rules)
}

fn any_or_nobody(rules: Vec<Rule>) -> Rule {
    if rules.is_empty() {
        return nobody();
    }
    nest(RuleKind::Any, rules)
}

fn attribute(name: &str, value: &Value) -> Result<Rule, String> {
    match value {
        Value::Object(operators) if operators.keys().any(|key| key.starts_with('$')) => {
            all_of(name, operators)
        }
        value => equals(name, value),
    }
}

fn all_of(name: &str, operators: &Map<String, Value>) -> Result<Rule, String> {
    let rules: Result<Vec<Rule>, String> = operators
        .iter()
        .map(|(operator, value)| compare(name, operator, value))
        .collect();
    Ok(all(rules?))
}

fn compare(name: &str, operator: &str, value: &Value) -> Result<Rule, String> {
    let number = |operator: Operator| {
        if value.is_number() {
            let value = Some(value.clone());
            Ok(Rule {
                value,
                ..about(name, &USERS, operator)
            })
        } else {
            Err(format!(
                "A condition compares `{name}` with something else than a number"
            ))
        }
    };
    match operator {
        "$eq" => equals(name, value),
        "$ne" => Ok(not(equals(name, value)?)),
        "$in" => one_of(name, value),
        "$nin" => Ok(not(one_of(name, value)?)),
        "$gt" => number(Operator::GreaterThan),
        "$gte" => number(Operator::GreaterOrEqual),
        "$lt" => number(Operator::LessThan),
        "$lte" => number(Operator::LessOrEqual),
        "$exists" => match value {
            Value::Bool(true) => Ok(is_there(name)),
            Value::Bool(false) => Ok(not(is_there(name))),
            _ => Err("A condition has `$exists` without true or false".to_owned()),
        },
        "$not" => Ok(not(attribute(name, value)?)),
        other => Err(format!("A condition compares by `{other}`")),
    }
}

fn is_plain(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_))
}

fn equals(name: &str, value: &Value) -> Result<Rule, String> {
    if !is_plain(value) {
        return Err(format!(
            "A condition compares `{name}` with null, a list or an object"
        ));
    }
    let value = Some(value.clone());
    Ok(Rule {
        value,
        ..about(name, &USERS, Operator::Equals)
    })
}

fn one_of(name: &str, value: &Value) -> Result<Rule, String> {
    let values = value
        .as_array()
        .filter(|values| values.iter().all(is_plain));
    let values = values.ok_or(format!("A condition has no list of values for `{name}`"))?;
    if values.is_empty() {
        return Ok(nobody());
    }
    let values = Some(values.clone());
    Ok(Rule {
        values,
        ..about(name, &USERS, Operator::In)
    })
}

/// Whether an attribute has a value.
pub(super) fn is_there(name: &str) -> Rule {
    rule::is_there(name, &USERS)
}
