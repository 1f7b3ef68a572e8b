//! Unleash: the JSON of an environment's export (`POST /api/admin/features-batch/export`).
//!
//! A feature is on for a context if one of its strategies is. So a strategy is a rule that turns the flag on, made of
//! its constraints and its own condition, and the default is off.

mod constraint;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{
    ENVIRONMENT, description,
    rule::{all, is_there, leaf, nobody},
};
use crate::{
    actors::flags::{
        FlagFields, FlagType, Status,
        engine::{Operator, Rule, RuleKind},
    },
    importers::{Definition, ImportError, Plan, Source, source::check_count},
};

pub(super) fn read(source: &Source<'_>) -> Result<Plan, ImportError> {
    let json = source.json()?;
    let (Some(features), Some(_)) = (
        json["features"].as_array(),
        json["featureStrategies"].as_array(),
    ) else {
        let message =
            "The file isn't an export of Unleash: `features` and `featureStrategies` are missing";
        return Err(ImportError::new(message));
    };
    check_count(features.len())?;
    let environment = environment(source, &json)?;
    let dependents: HashSet<&str> = list(&json, "dependencies")
        .filter_map(|one| one["feature"].as_str())
        .collect();
    let parts = Parts {
        environments: list(&json, "featureEnvironments")
            .filter(|one| one["environment"] == environment.as_str())
            .filter_map(|one| Some((one["featureName"].as_str()?, one)))
            .collect(),
        strategies: sort_strategies(&json, &environment),
    };
    let mut plan = Plan::default();
    for (at, feature) in features.iter().enumerate() {
        let at = format!("features[{at}]");
        let key = feature["name"].as_str().unwrap_or_default();
        let read = if dependents.contains(key) {
            Err("It depends on another feature for the same user, and prerequisites here are for all users".to_owned())
        } else {
            flag(key, feature, &parts)
        };
        match read {
            Ok(flag) => plan.push(at, Definition::Flag(Box::new(flag))),
            Err(reason) => plan.omit(at, format!("flag {key}"), reason),
        }
    }
    Ok(plan)
}

fn list<'v>(json: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    json[name].as_array().into_iter().flatten()
}

/// The environment of the export: the one that is asked for, or the only one.
fn environment(source: &Source<'_>, json: &Value) -> Result<String, ImportError> {
    let known: HashSet<&str> = list(json, "featureEnvironments")
        .filter_map(|one| one["environment"].as_str())
        .collect();
    if let Some(named) = source.environment {
        if known.is_empty() || known.contains(named) {
            return Ok(named.to_owned());
        }
        let message = format!("The export has no environment `{named}`");
        return Err(ImportError::new(message));
    }
    let mut all = known.iter();
    match (all.next(), all.next()) {
        (Some(only), None) => Ok((*only).to_owned()),
        (Some(_), Some(_)) if !known.contains(ENVIRONMENT) => {
            let message = "The export has several environments. Name one of them";
            Err(ImportError::new(message))
        }
        _ => Ok(ENVIRONMENT.to_owned()),
    }
}

/// Environments and strategies by the name of their feature.
struct Parts<'j> {
    environments: HashMap<&'j str, &'j Value>,
    strategies: HashMap<&'j str, Vec<&'j Value>>,
}

fn sort_strategies<'j>(json: &'j Value, environment: &str) -> HashMap<&'j str, Vec<&'j Value>> {
    let mut strategies: HashMap<&str, Vec<&Value>> = HashMap::new();
    for one in list(json, "featureStrategies") {
        let own = one["environment"].as_str();
        if let (true, Some(name)) = (
            own.is_none_or(|own| own == environment),
            one["featureName"].as_str(),
        ) {
            strategies.entry(name).or_default().push(one);
        }
    }
    strategies
}

fn flag(key: &str, feature: &Value, parts: &Parts<'_>) -> Result<FlagFields, String> {
    if key.is_empty() {
        return Err("It has no name".to_owned());
    }
    if feature["archived"] == Value::Bool(true) {
        return Err("It is archived".to_owned());
    }
    let own = parts.environments.get(key);
    let enabled = own.and_then(|own| own["enabled"].as_bool());
    let enabled = enabled.ok_or("The export doesn't say whether it is enabled")?;
    let variants = [
        own.map_or(&Value::Null, |own| &own["variants"]),
        &feature["variants"],
    ];
    if variants.iter().any(|all| has_items(all)) {
        return Err("It has variants, and Unleash puts users into other buckets".to_owned());
    }
    let strategies = parts.strategies.get(key).map_or(&[][..], Vec::as_slice);
    let active: Vec<&Value> = strategies
        .iter()
        .filter(|one| one["disabled"] != Value::Bool(true))
        .copied()
        .collect();
    if active.is_empty() && !strategies.is_empty() {
        return Err("All of its strategies are disabled".to_owned());
    }
    let rules: Result<Vec<Rule>, String> = active.into_iter().map(strategy).collect();
    let rules = rules?;
    Ok(FlagFields {
        key: key.to_owned(),
        description: description(feature["description"].as_str()),
        kind: FlagType::Boolean,
        status: if enabled {
            Status::Active
        } else {
            Status::Inactive
        },
        // Without a strategy it is on for everybody.
        default_value: rules.is_empty(),
        rules,
        ..FlagFields::default()
    })
}

fn has_items(value: &Value) -> bool {
    value.as_array().is_some_and(|items| !items.is_empty())
}

/// A strategy as a rule that turns the flag on.
fn strategy(strategy: &Value) -> Result<Rule, String> {
    if has_items(&strategy["segments"]) {
        return Err(
            "A strategy has segments, whose constraints the export doesn't hold".to_owned(),
        );
    }
    if has_items(&strategy["variants"]) {
        return Err(
            "A strategy has variants, and Unleash puts users into other buckets".to_owned(),
        );
    }
    let mut rules = Vec::new();
    for one in list(strategy, "constraints") {
        rules.push(constraint::rule(one)?);
    }
    let name = strategy["name"].as_str().unwrap_or_default();
    let parameter = |name: &str| match &strategy["parameters"][name] {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    match name {
        "default" => {}
        "userWithId" => {
            let ids = names(&parameter("userIds").unwrap_or_default());
            rules.push(if ids.is_empty() {
                nobody()
            } else {
                Rule {
                    batch: true,
                    batch_values: Some(ids),
                    ..leaf(RuleKind::UserId, Some(Operator::In))
                }
            });
        }
        "remoteAddress" => {
            let addresses = names(&parameter("IPs").unwrap_or_default());
            rules.push(Rule {
                values: Some(addresses.into_iter().map(Value::from).collect()),
                ..leaf(RuleKind::Ip, Some(Operator::InNetwork))
            });
        }
        "flexibleRollout" => {
            let stickiness = parameter("stickiness").unwrap_or_default();
            let nobody = share(parameter("rollout"))?;
            // A person without the value that is hashed is in no share, be it one of 100 %.
            let needs_value = !["", "default", "random"].contains(&stickiness.as_str());
            let present = needs_value.then(|| is_there(&stickiness, &constraint::USERS));
            rules.extend(nobody.or(present));
        }
        "gradualRolloutUserId" | "gradualRolloutSessionId" | "gradualRolloutRandom" => {
            if share(parameter("percentage"))?.is_none() {
                // It needs a user or a session even at 100 %.
                return Err(format!("It uses the strategy `{name}`"));
            }
            rules.push(nobody());
        }
        other => return Err(format!("It uses the strategy `{other}`")),
    }
    Ok(all(rules))
}

/// A rollout of 100 is no condition, one of 0 is nobody, and all others are in other buckets.
fn share(percentage: Option<String>) -> Result<Option<Rule>, String> {
    match percentage.as_deref() {
        Some("100") => Ok(None),
        Some("0") => Ok(Some(nobody())),
        other => {
            let other = other.unwrap_or("no percentage");
            Err(format!(
                "A strategy has a rollout of {other} %, and Unleash puts users into other buckets"
            ))
        }
    }
}

fn names(text: &str) -> Vec<String> {
    let names = text.split(',').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}
