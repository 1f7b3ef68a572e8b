//! Unleash: the JSON of an environment's export (`POST /api/admin/features-batch/export`).
//!
//! A feature is on for a context if one of its strategies is. So a strategy is a rule that turns the flag on, made of
//! its constraints and its own condition, and the default is off. Percentages and variants stay in Unleash's buckets.

mod constraint;
mod strategy;
mod variants;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{
    ENVIRONMENT, description,
    rule::{all, nest},
};
use crate::{
    actors::flags::{
        Bucketing, FlagFields, FlagType, Status, Variant,
        engine::{Rule, RuleKind},
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
    let strategies = parts.strategies.get(key).map_or(&[][..], Vec::as_slice);
    let active: Vec<&Value> = strategies
        .iter()
        .filter(|one| one["disabled"] != Value::Bool(true))
        .copied()
        .collect();
    if active.is_empty() && !strategies.is_empty() {
        return Err("All of its strategies are disabled".to_owned());
    }
    let mut buckets = UnleashBuckets::new(key);
    let mut conditions = Vec::new();
    for one in &active {
        // A strategy that holds for nobody decides nothing.
        conditions.extend(strategy::conditions(one, &mut buckets)?);
    }
    let is_on_for_all = active.is_empty() || conditions.iter().any(std::vec::Vec::is_empty);
    let rules: Vec<Rule> = if is_on_for_all {
        Vec::new()
    } else {
        conditions.into_iter().map(all).collect()
    };
    let mut flag = FlagFields {
        key: key.to_owned(),
        description: description(feature["description"].as_str()),
        kind: FlagType::Boolean,
        status: if enabled {
            Status::Active
        } else {
            Status::Inactive
        },
        default_value: is_on_for_all,
        rules,
        ..FlagFields::default()
    };
    let own = own.map_or(&Value::Null, |own| &own["variants"]);
    let variants = variants::read(&active, [own, &feature["variants"]], &mut buckets)?;
    if !variants.is_empty() {
        offer(&mut flag, variants)?;
    }
    if buckets.is_used {
        flag.bucketing = Bucketing::Unleash;
        flag.bucketing_group = buckets.group.filter(|group| group != key);
    }
    Ok(flag)
}

/// Gives variants to those for whom a flag is on: it is off for everyone else, and then they decide.
fn offer(flag: &mut FlagFields, variants: Vec<Variant>) -> Result<(), String> {
    let on = std::mem::take(&mut flag.rules);
    if on.is_empty() && !flag.default_value {
        return Err("It has variants but is off for all users".to_owned());
    }
    if !on.is_empty() {
        flag.rules = vec![Rule {
            enabled: false,
            ..nest(RuleKind::Not, on)
        }];
    }
    flag.kind = FlagType::Multivariant;
    flag.variants = variants;
    Ok(())
}

/// The buckets of a flag: one group is hashed for all of its percentages and variants.
struct UnleashBuckets {
    key: String,
    group: Option<String>,
    is_used: bool,
}

impl UnleashBuckets {
    fn new(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            group: None,
            is_used: false,
        }
    }

    /// Uses the buckets of a group; those of the feature, if none is named.
    fn share(&mut self, group: Option<String>) -> Result<(), String> {
        let group = group.unwrap_or_else(|| self.key.clone());
        if group.is_empty() {
            return Err("A strategy has no group ID".to_owned());
        }
        if self.group.get_or_insert_with(|| group.clone()) != &group {
            return Err("Its percentages and variants have different group IDs".to_owned());
        }
        self.is_used = true;
        Ok(())
    }
}

fn has_items(value: &Value) -> bool {
    value.as_array().is_some_and(|items| !items.is_empty())
}
