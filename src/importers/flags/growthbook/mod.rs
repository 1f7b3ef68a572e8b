//! GrowthBook: the JSON of `GET /api/v1/features`, or of an SDK endpoint (`/api/features/<key>`).
//!
//! Rules are looked at in their order, as ours are, so a rule that forces a value of a boolean flag is one of ours.

mod condition;

use serde_json::{Value, json};

use super::{
    ENVIRONMENT, description,
    rule::{all, nobody},
};
use crate::{
    actors::flags::{FlagFields, FlagType, Status, Variant, engine::Rule},
    importers::{Definition, ImportError, Plan, Source, source::check_count},
};

pub(super) fn read(source: &Source<'_>) -> Result<Plan, ImportError> {
    let json = source.json()?;
    let features: Vec<(String, String, &Value, Option<&Value>)> = match &json["features"] {
        Value::Array(list) => list
            .iter()
            .enumerate()
            .map(|(at, feature)| {
                let name = source.environment.unwrap_or(ENVIRONMENT);
                let key = feature["id"].as_str().unwrap_or_default().to_owned();
                let environment = &feature["environments"][name];
                (format!("features[{at}]"), key, feature, Some(environment))
            })
            .collect(),
        Value::Object(all) => all
            .iter()
            .map(|(key, feature)| (format!("features.{key}"), key.clone(), feature, None))
            .collect(),
        _ => {
            let message = "The file has no `features` of GrowthBook";
            return Err(ImportError::new(message));
        }
    };
    check_count(features.len())?;
    let mut plan = Plan::default();
    for (at, key, feature, environment) in features {
        match flag(&key, feature, environment) {
            Ok(flag) => plan.push(at, Definition::Flag(Box::new(flag))),
            Err(reason) => plan.omit(at, format!("flag {key}"), reason),
        }
    }
    Ok(plan)
}

/// A feature; with its `environment` where it is the API's, and as an SDK gets it otherwise.
fn flag(key: &str, feature: &Value, environment: Option<&Value>) -> Result<FlagFields, String> {
    if key.is_empty() {
        return Err("It has no id".to_owned());
    }
    if feature["archived"] == json!(true) {
        return Err("It is archived".to_owned());
    }
    if has_items(&feature["prerequisites"]) {
        return Err(
            "It has prerequisites for the same user, and prerequisites here are for all users"
                .to_owned(),
        );
    }
    let (default, rules, enabled) = parts(feature, environment)?;
    let status = if enabled {
        Status::Active
    } else {
        Status::Inactive
    };
    let rules: Vec<&Value> = rules.as_array().into_iter().flatten().collect();
    let mut fields = FlagFields {
        key: key.to_owned(),
        description: description(feature["description"].as_str()),
        status,
        ..FlagFields::default()
    };
    match &default {
        Value::Bool(on) => {
            fields.default_value = *on;
            for one in rules {
                fields.rules.extend(rule(one)?);
            }
        }
        Value::Null => return Err("It has no default value".to_owned()),
        _ if !rules.is_empty() => {
            return Err(
                "Rules of flags here are on or off, and its rules have other values".to_owned(),
            );
        }
        other => {
            fields.kind = FlagType::Multivariant;
            fields.variants = vec![variant(other)?];
        }
    }
    Ok(fields)
}

/// The default, the rules, and whether it is enabled.
fn parts<'f>(
    feature: &'f Value,
    environment: Option<&'f Value>,
) -> Result<(Value, &'f Value, bool), String> {
    let own = match environment {
        None => return Ok((feature["defaultValue"].clone(), &feature["rules"], true)),
        Some(Value::Null) => return Err("It isn't in this environment".to_owned()),
        Some(own) => own,
    };
    if own["rules"].is_null() && feature["rules"].is_array() {
        return Err("It is of version 2 of the API. Export `GET /api/v1/features`".to_owned());
    }
    let default = own["defaultValue"]
        .as_str()
        .or(feature["defaultValue"].as_str());
    let default = value(default, &feature["valueType"])?;
    let enabled = own["enabled"].as_bool();
    let enabled = enabled.ok_or("It doesn't say whether it is enabled")?;
    Ok((default, &own["rules"], enabled))
}

fn has_items(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => false,
    }
}

/// A value of the API, which is text.
fn value(text: Option<&str>, kind: &Value) -> Result<Value, String> {
    let text = text.ok_or("It has no default value")?;
    match kind.as_str() {
        Some("boolean") => Ok(json!(text == "true")),
        Some("string") => Ok(json!(text)),
        Some("number" | "json") => {
            serde_json::from_str(text).map_err(|_| "Its default value can't be read".to_owned())
        }
        _ => Err("It has no value type".to_owned()),
    }
}

fn variant(value: &Value) -> Result<Variant, String> {
    let kind = match value {
        Value::String(_) => "string",
        Value::Number(_) => "number",
        _ => "json",
    };
    let fields = json!({ "key": "value", "value": value, "type": kind });
    serde_json::from_value(fields).map_err(|_| "Its value can't be read".to_owned())
}

/// Fields of a rule that decide more than ours can.
const REFUSED: [&str; 12] = [
    "variations",
    "weights",
    "parentConditions",
    "prerequisites",
    "savedGroupTargeting",
    "savedGroups",
    "filters",
    "ranges",
    "range",
    "scheduleRules",
    "namespace",
    "values",
];

/// A rule of a boolean flag; `None` if it never decides.
fn rule(rule: &Value) -> Result<Option<Rule>, String> {
    if rule["enabled"] == json!(false) {
        return Ok(None);
    }
    let is_used = |name: &&str| has_items(&rule[*name]);
    if let Some(name) = REFUSED.iter().find(|name| is_used(name)) {
        return Err(format!("A rule has `{name}`"));
    }
    let kind = rule["type"].as_str();
    if kind.is_some_and(|kind| !["force", "rollout"].contains(&kind)) {
        return Err(format!("A rule is of type `{}`", kind.unwrap_or_default()));
    }
    let forced = match [&rule["force"], &rule["value"]]
        .into_iter()
        .find(|one| !one.is_null())
    {
        Some(Value::Bool(on)) => *on,
        Some(Value::String(text)) if text == "true" => true,
        Some(Value::String(text)) if text == "false" => false,
        _ => return Err("A rule doesn't force on or off".to_owned()),
    };
    let mut parts = Vec::new();
    match &rule["condition"] {
        Value::Null => {}
        Value::String(text) if text.trim().is_empty() => {}
        Value::String(text) => {
            let condition = serde_json::from_str(text);
            let condition: Value = condition.map_err(|_| "A condition isn't JSON")?;
            parts.push(condition::rule(&condition)?);
        }
        condition => parts.push(condition::rule(condition)?),
    }
    match rule["coverage"].as_f64() {
        None => {}
        Some(1.0) => {
            // Who has no value to hash is in no share.
            let name = rule["hashAttribute"].as_str().unwrap_or("id");
            parts.push(condition::is_there(name));
        }
        Some(0.0) => parts.push(nobody()),
        Some(share) => {
            return Err(format!(
                "A rule has a coverage of {share}, and GrowthBook puts users into other buckets"
            ));
        }
    }
    Ok(Some(Rule {
        enabled: forced,
        ..all(parts)
    }))
}
