//! A strategy as conditions.

use serde_json::Value;

use super::{
    super::rule::{is_there, leaf},
    UnleashBuckets, constraint, has_items, list,
};
use crate::actors::flags::engine::{Operator, Rule, RuleKind};

/// Names in a context that are no properties here, or that have a meaning of their own.
const NO_PROPERTIES: [&str; 7] = [
    "appName",
    "currentTime",
    "email",
    "environment",
    "organizationId",
    "remoteAddress",
    "teamId",
];

const AT_RANDOM: &str = "A strategy chooses people at random";

/// Conditions that all have to hold for a strategy; `None` if it holds for nobody.
pub(super) fn conditions(
    strategy: &Value,
    buckets: &mut UnleashBuckets,
) -> Result<Option<Vec<Rule>>, String> {
    if has_items(&strategy["segments"]) {
        return Err(
            "A strategy has segments, whose constraints the export doesn't hold".to_owned(),
        );
    }
    let constraints = list(strategy, "constraints").map(constraint::rule);
    let mut rules: Vec<Rule> = constraints.collect::<Result<_, _>>()?;
    let own = own_conditions(strategy, buckets)?;
    Ok(own.map(|own| {
        rules.extend(own);
        rules
    }))
}

/// What a strategy asks beside its constraints.
fn own_conditions(
    strategy: &Value,
    buckets: &mut UnleashBuckets,
) -> Result<Option<Vec<Rule>>, String> {
    let name = strategy["name"].as_str().unwrap_or_default();
    match name {
        "default" => Ok(Some(Vec::new())),
        "userWithId" => {
            let ids = names(&parameter(strategy, "userIds").unwrap_or_default());
            let rule = Rule {
                batch: true,
                batch_values: Some(ids.clone()),
                ..leaf(RuleKind::UserId, Some(Operator::In))
            };
            Ok((!ids.is_empty()).then(|| vec![rule]))
        }
        "remoteAddress" => {
            let addresses = names(&parameter(strategy, "IPs").unwrap_or_default());
            Ok(Some(vec![Rule {
                values: Some(addresses.into_iter().map(Value::from).collect()),
                ..leaf(RuleKind::Ip, Some(Operator::InNetwork))
            }]))
        }
        "flexibleRollout" => rollout(strategy, buckets),
        "gradualRolloutUserId" | "gradualRolloutSessionId" => {
            let percentage = percentage(parameter(strategy, "percentage"))?;
            if percentage <= 0.0 {
                return Ok(None);
            }
            buckets.share(Some(group(strategy).unwrap_or_default()))?;
            let is_user = name == "gradualRolloutUserId";
            let stickiness = if is_user { "userId" } else { "sessionId" };
            share(stickiness, percentage).map(Some)
        }
        "gradualRolloutRandom" if percentage(parameter(strategy, "percentage"))? <= 0.0 => Ok(None),
        "gradualRolloutRandom" => Err(AT_RANDOM.to_owned()),
        other => Err(format!("It uses the strategy `{other}`")),
    }
}

fn rollout(strategy: &Value, buckets: &mut UnleashBuckets) -> Result<Option<Vec<Rule>>, String> {
    let stickiness = parameter(strategy, "stickiness").unwrap_or_default();
    let percentage = percentage(parameter(strategy, "rollout"))?;
    if percentage <= 0.0 {
        return Ok(None);
    }
    if percentage >= 100.0 {
        // A person without the value that is hashed is in no share, be it one of 100 %.
        let needs_value = !["", "default", "random"].contains(&stickiness.as_str());
        let present = needs_value.then(|| is_there(&stickiness, &constraint::USERS));
        return Ok(Some(present.into_iter().collect()));
    }
    if stickiness == "random" {
        return Err(AT_RANDOM.to_owned());
    }
    buckets.share(group(strategy))?;
    share(&stickiness, percentage).map(Some)
}

/// The group ID with its spaces, which are hashed as well.
fn group(strategy: &Value) -> Option<String> {
    let group = strategy["parameters"]["groupId"].as_str();
    group.filter(|group| !group.is_empty()).map(str::to_owned)
}

fn parameter(strategy: &Value, name: &str) -> Option<String> {
    match &strategy["parameters"][name] {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn percentage(text: Option<String>) -> Result<f64, String> {
    let text = text.unwrap_or_default();
    let number: Option<f64> = text.parse().ok();
    let number = number.filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| format!("A strategy has a rollout of `{text}`"))
}

/// A percentage of those with a value of the context.
fn share(stickiness: &str, percentage: f64) -> Result<Vec<Rule>, String> {
    let whole = percentage.fract() == 0.0;
    #[expect(clippy::cast_possible_truncation, reason = "0 to 100")]
    let value = if whole {
        Value::from(percentage as i64)
    } else {
        Value::from(percentage)
    };
    let share = Rule {
        value: Some(value),
        ..leaf(RuleKind::Percentage, None)
    };
    match stickiness {
        "" | "default" => Ok(vec![share]),
        "userId" => Ok(vec![is_there("userId", &constraint::USERS), share]),
        name if NO_PROPERTIES.contains(&name) => {
            Err(format!("A strategy chooses people by `{name}`"))
        }
        name => Ok(vec![Rule {
            field: Some(name.to_owned()),
            ..share
        }]),
    }
}

fn names(text: &str) -> Vec<String> {
    let names = text.split(',').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}
