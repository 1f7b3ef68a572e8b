//! A constraint of Unleash as a rule.

use serde_json::Value;

use super::super::rule::{about, leaf, nest, not};
use crate::{
    actors::flags::engine::{Operator, Rule, RuleKind},
    clock::iso_ms,
};

/// Names of the user within a context.
pub(super) const USERS: [&str; 1] = ["userId"];
/// Fields of a context that are no property of the user.
const FIXED: [&str; 2] = ["appName", "environment"];
/// A version as semver writes it; ours read more than that.
const SEMVER: &str =
    r"^v?(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$";

pub(super) fn rule(constraint: &Value) -> Result<Rule, String> {
    let name = constraint["contextName"].as_str().unwrap_or_default();
    let operator = constraint["operator"].as_str().unwrap_or_default();
    if name.is_empty() || FIXED.contains(&name) {
        return Err(format!("A constraint is about `{name}`"));
    }
    let rule = match operator {
        "DATE_AFTER" | "DATE_BEFORE" => date(constraint, name, operator)?,
        _ if name == "currentTime" => {
            return Err(format!("A constraint compares `currentTime` by {operator}"));
        }
        "IN" | "NOT_IN" if name == "remoteAddress" => {
            let rule = Rule {
                values: Some(texts(constraint)?.into_iter().map(Value::from).collect()),
                ..leaf(RuleKind::Ip, Some(Operator::InNetwork))
            };
            if operator == "IN" { rule } else { not(rule) }
        }
        _ if name == "remoteAddress" => {
            return Err(format!("A constraint compares addresses by {operator}"));
        }
        "IN" => any_of(name, Operator::In, texts(constraint)?),
        "NOT_IN" => not(any_of(name, Operator::In, texts(constraint)?)),
        "STR_CONTAINS" => text(constraint, name, Operator::Contains)?,
        "STR_STARTS_WITH" => text(constraint, name, Operator::StartsWith)?,
        "STR_ENDS_WITH" => text(constraint, name, Operator::EndsWith)?,
        "NUM_EQ" => nest(
            RuleKind::All,
            vec![
                number(constraint, name, Operator::GreaterOrEqual)?,
                number(constraint, name, Operator::LessOrEqual)?,
            ],
        ),
        "NUM_GT" => number(constraint, name, Operator::GreaterThan)?,
        "NUM_GTE" => number(constraint, name, Operator::GreaterOrEqual)?,
        "NUM_LT" => number(constraint, name, Operator::LessThan)?,
        "NUM_LTE" => number(constraint, name, Operator::LessOrEqual)?,
        "SEMVER_EQ" => version(constraint, name, Operator::VersionEquals)?,
        "SEMVER_GT" => version(constraint, name, Operator::VersionGreaterThan)?,
        "SEMVER_GTE" => version(constraint, name, Operator::VersionGreaterOrEqual)?,
        "SEMVER_LT" => version(constraint, name, Operator::VersionLessThan)?,
        "SEMVER_LTE" => version(constraint, name, Operator::VersionLessOrEqual)?,
        other => return Err(format!("A constraint compares by {other}")),
    };
    let is_inverted = constraint["inverted"] == Value::Bool(true);
    Ok(if is_inverted { not(rule) } else { rule })
}

fn texts(constraint: &Value) -> Result<Vec<String>, String> {
    let values = constraint["values"].as_array().into_iter().flatten();
    let values: Option<Vec<String>> = values.map(|one| one.as_str().map(str::to_owned)).collect();
    values.ok_or("The values of a constraint aren't texts".to_owned())
}

/// A rule that nobody matches.
fn is_none(name: &str) -> Rule {
    Rule {
        values: Some(Vec::new()),
        ..about(name, &USERS, Operator::In)
    }
}

/// Texts are compared as texts, whatever the type of the property.
fn any_of(name: &str, operator: Operator, values: Vec<String>) -> Rule {
    if values.is_empty() {
        return is_none(name);
    }
    Rule {
        batch: true,
        batch_values: Some(values),
        ..about(name, &USERS, operator)
    }
}

fn text(constraint: &Value, name: &str, operator: Operator) -> Result<Rule, String> {
    let values = texts(constraint)?;
    if constraint["caseInsensitive"] != Value::Bool(true) {
        return Ok(any_of(name, operator, values));
    }
    if values
        .iter()
        .any(|value| value.is_empty() || !value.is_ascii())
    {
        return Err("A constraint ignores the case of letters beyond ASCII".to_owned());
    }
    if values.is_empty() {
        return Ok(is_none(name));
    }
    let any: Vec<String> = values
        .iter()
        .map(|value| ignoring_case(value, operator))
        .collect();
    let any = any.join("|");
    let pattern = match operator {
        Operator::StartsWith => format!("^(?:{any})"),
        Operator::EndsWith => format!("(?:{any})$"),
        _ => any,
    };
    Ok(Rule {
        value: Some(pattern.into()),
        ..about(name, &USERS, Operator::Matches)
    })
}

/// An expression for what is this text in lower case, as JavaScript makes it: `K` (Kelvin) becomes k, and `İ` becomes an
/// i with a dot behind it.
fn ignoring_case(value: &str, operator: Operator) -> String {
    let last = value.len() - 1;
    let letter = |(at, letter): (usize, char)| {
        let letter = letter.to_ascii_lowercase();
        let upper = letter.to_ascii_uppercase();
        match letter {
            'k' => "[kK\u{212a}]".to_owned(),
            'i' if at == last && operator != Operator::EndsWith => "[iI\u{130}]".to_owned(),
            'a'..='z' => format!("[{letter}{upper}]"),
            other => format!("\\x{{{:x}}}", u32::from(other)),
        }
    };
    value.char_indices().map(letter).collect()
}

fn number(constraint: &Value, name: &str, operator: Operator) -> Result<Rule, String> {
    let value = match &constraint["value"] {
        Value::String(text) => text.trim().parse().ok(),
        Value::Number(number) => number.as_f64(),
        _ => None,
    };
    let value: f64 = value.ok_or("The value of a constraint isn't a number")?;
    Ok(Rule {
        value: Some(value.into()),
        ..about(name, &USERS, operator)
    })
}

fn version(constraint: &Value, name: &str, operator: Operator) -> Result<Rule, String> {
    let value = constraint["value"].as_str().unwrap_or_default().trim();
    if semver::Version::parse(value).is_err() {
        return Err("The value of a constraint isn't a version".to_owned());
    }
    let compares = Rule {
        value: Some(value.into()),
        ..about(name, &USERS, operator)
    };
    let is_version = Rule {
        value: Some(SEMVER.into()),
        ..about(name, &USERS, Operator::Matches)
    };
    Ok(nest(RuleKind::All, vec![is_version, compares]))
}

fn date(constraint: &Value, name: &str, operator: &str) -> Result<Rule, String> {
    if name != "currentTime" {
        return Err(format!("A constraint compares `{name}` as a date"));
    }
    let value = constraint["value"].as_str().unwrap_or_default();
    let moment = chrono::DateTime::parse_from_rfc3339(value);
    let moment = moment.map_err(|_| "The value of a constraint isn't a time")?;
    let moment = moment.timestamp_millis();
    // Ours is after a moment at that moment already.
    let (operator, moment) = if operator == "DATE_AFTER" {
        (Operator::After, moment.saturating_add(1))
    } else {
        (Operator::Before, moment)
    };
    Ok(Rule {
        value: Some(iso_ms(moment).into()),
        ..leaf(RuleKind::Time, Some(operator))
    })
}
