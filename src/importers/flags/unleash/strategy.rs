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
    let name = strategy["name"].as_str().unwrap_or_default();
    let parameter = |name: &str| match &strategy["parameters"][name] {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let group = parameter("groupId").filter(|group| !group.is_empty());
    match name {
        "default" => {}
        "userWithId" => {
            let ids = names(&parameter("userIds").unwrap_or_default());
            if ids.is_empty() {
                return Ok(None);
            }
            rules.push(Rule {
                batch: true,
                batch_values: Some(ids),
                ..leaf(RuleKind::UserId, Some(Operator::In))
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
            let percentage = percentage(parameter("rollout"))?;
            let is_free = ["", "default", "random"].contains(&stickiness.as_str());
            if percentage <= 0.0 {
                return Ok(None);
            }
            if percentage < 100.0 && stickiness == "random" {
                return Err("A strategy chooses people at random".to_owned());
            }
            if percentage < 100.0 {
                buckets.share(group)?;
                rules.extend(share(&stickiness, percentage)?);
            } else if !is_free {
                // A person without the value that is hashed is in no share, be it one of 100 %.
                rules.push(is_there(&stickiness, &constraint::USERS));
            }
        }
        "gradualRolloutUserId" | "gradualRolloutSessionId" => {
            let percentage = percentage(parameter("percentage"))?;
            if percentage <= 0.0 {
                return Ok(None);
            }
            buckets.share(Some(group.unwrap_or_default()))?;
            let is_user = name == "gradualRolloutUserId";
            let stickiness = if is_user { "userId" } else { "sessionId" };
            rules.extend(share(stickiness, percentage)?);
        }
        "gradualRolloutRandom" => {
            return match percentage(parameter("percentage"))? {
                0.0 => Ok(None),
                _ => Err("A strategy chooses people at random".to_owned()),
            };
        }
        other => return Err(format!("It uses the strategy `{other}`")),
    }
    Ok(Some(rules))
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
