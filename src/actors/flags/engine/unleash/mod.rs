//! A flag as Unleash's clients evaluate it by themselves: the same decision for everyone, or the reason why there is none.
//!
//! Clients try the strategies of a feature in order, and the first one whose constraints all hold turns it on. Our rules are a list in
//! which the first match decides. So every rule that turns a flag on becomes strategies that also exclude the rules before it that turn
//! it off.

mod constraint;
mod formula;

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use self::{
    constraint::Constraint,
    formula::{Formula, Term},
};
use super::{Compiled, Flags, buckets::Buckets, compile::Choice};
use crate::actors::flags::fields::RolloutBy;

/// Why a flag can't be translated, as the end of a sentence.
pub type Reason = Cow<'static, str>;
/// The strategies of a flag.
pub type Strategies = Vec<Value>;

/// The sum of weights of what has one variant.
const WHOLE: u32 = 1_000;
/// The name of the variant that carries a payload.
pub const PAYLOAD: &str = "payload";

impl Compiled {
    /// Its strategies in Unleash's clients.
    pub fn unleash_strategies(&self) -> Result<&Strategies, &Reason> {
        self.unleash.get_or_init(|| strategies(self)).as_ref()
    }

    /// The feature that Unleash's clients evaluate.
    pub fn unleash_feature(&self, flags: &Flags) -> Result<Value, &Reason> {
        let strategies = self.unleash_strategies()?;
        let is_on = !strategies.is_empty() && self.depends_on_active(flags);
        Ok(json!({
            "name": self.key, "type": "release", "project": "default", "enabled": is_on, "stale": false,
            "impressionData": false, "variants": [], "strategies": if is_on { json!(strategies) } else { json!([]) },
        }))
    }
}

/// The variant with the value or payload of a flag that is on.
pub fn payload(value: &Value) -> Value {
    let (kind, text) = match value {
        Value::String(text) => ("string", text.clone()),
        Value::Number(number) => ("number", number.to_string()),
        other => ("json", other.to_string()),
    };
    json!({ "type": kind, "value": text })
}

fn strategies(flag: &Compiled) -> Result<Strategies, Reason> {
    let mut found = Vec::new();
    let own_payload = flag.payload.as_ref().map(plain_variant);
    let plain: Vec<Value> = own_payload.into_iter().collect();
    // Rules before that turn it off don't match.
    let mut off = Formula::constant(true);
    let rules = flag.rules.iter();
    let rules = rules.chain(flag.groups.iter().flat_map(|group| &group.rules));
    for (matcher, enabled) in rules {
        let formula = constraint::formula(matcher)?;
        if *enabled {
            let on = Formula::all(vec![off.clone(), formula]);
            put(&mut found, flag, on, &plain)?;
        } else {
            off = Formula::all(vec![off, formula.negate()?]);
        }
    }
    let (on, variants) = match &flag.choice {
        Choice::Default(enabled) => (Formula::constant(*enabled), plain),
        Choice::Rollout { buckets, by, below } => {
            let stickiness = match by {
                RolloutBy::User => None,
                RolloutBy::Organization => Some("organizationId"),
                RolloutBy::Team => Some("teamId"),
            };
            let all = f64::from(*below);
            let stickiness =
                stickiness.filter(|_| *below < 100 || matches!(buckets, Buckets::Unleash(_)));
            (Formula::among_by(stickiness, buckets, all)?, plain)
        }
        Choice::Variants {
            buckets: Buckets::Pharos(_),
            variants,
        } if variants.others.is_empty() => {
            let only = variant(&variants.first.key, WHOLE, &variants.first.value);
            (Formula::constant(true), vec![only])
        }
        Choice::Variants {
            buckets: Buckets::Pharos(_),
            ..
        } => return Err(formula::own_buckets()),
        Choice::Variants { buckets, variants } => {
            let each = variants
                .iter()
                .map(|one| variant(&one.key, one.parts, &one.value));
            (Formula::among_by(None, buckets, 100.0)?, each.collect())
        }
    };
    put(&mut found, flag, Formula::all(vec![off, on]), &variants)?;
    Ok(found)
}

/// Adds the strategies of those for whom a formula holds.
fn put(
    found: &mut Strategies,
    flag: &Compiled,
    on: Formula,
    variants: &[Value],
) -> Result<(), Reason> {
    let mut add = |share: Option<(u8, &str, &str)>, constraints: &[Constraint]| {
        found.push(strategy(flag, share, constraints, variants));
    };
    for Term {
        mut constraints,
        share,
    } in on.terms()?
    {
        let Some(share) = share else {
            add(None, &constraints);
            continue;
        };
        let (percentage, group) = (share.percentage, &*share.group);
        // Some clients put an empty value into a bucket, too. Users need no constraint that older clients don't know.
        if let Some(name) = &share.stickiness {
            constraints.push(Constraint::is_filled(name));
            add(Some((percentage, group, name)), &constraints);
        } else {
            add(Some((percentage, group, "userId")), &constraints);
            constraints.push(Constraint::is_filled("userId").inverted());
            constraints.push(Constraint::is_filled("sessionId"));
            add(Some((percentage, group, "sessionId")), &constraints);
        }
    }
    Ok(())
}

fn strategy(
    flag: &Compiled,
    share: Option<(u8, &str, &str)>,
    constraints: &[Constraint],
    variants: &[Value],
) -> Value {
    let stickiness = share.map_or("default", |(.., stickiness)| stickiness);
    let variants: Vec<Value> = variants
        .iter()
        .map(|variant| {
            let mut variant = variant.clone();
            variant["stickiness"] = json!(stickiness);
            variant
        })
        .collect();
    let (name, parameters) = match share {
        None => (
            "default",
            json!({ "groupId": flag.key, "stickiness": stickiness }),
        ),
        Some((percentage, group, _)) => (
            "flexibleRollout",
            json!({ "rollout": percentage.to_string(), "groupId": group, "stickiness": stickiness }),
        ),
    };
    let constraints: Vec<Value> = constraints.iter().map(Constraint::to_json).collect();
    json!({ "name": name, "parameters": parameters, "constraints": constraints, "variants": variants })
}

fn variant(key: &str, weight: u32, value: &Value) -> Value {
    json!({ "name": key, "weight": weight, "weightType": "variable", "payload": payload(value) })
}

fn plain_variant(own: &Map<String, Value>) -> Value {
    variant(PAYLOAD, WHOLE, &Value::Object(own.clone()))
}
