//! Stale flags, which can be removed from the code.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Flag, FlagType, Status};

const DAY: i64 = 86_400_000;

/// Why a flag is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FlagStaleReason")]
#[serde(rename_all = "snake_case")]
pub enum StaleReason {
    /// It is not active.
    NotActive,
    /// It has the same value for everyone: no rule, no target group, no share, no choice.
    SameForEverybody,
    /// No page has reported an evaluation.
    NotEvaluated,
}

/// Why a flag is stale; empty if it was changed within `days` or is in use.
pub fn stale(
    flag: &Flag,
    last_evaluated_ms: Option<i64>,
    now_ms: i64,
    days: u32,
) -> Vec<StaleReason> {
    let border = now_ms - i64::from(days) * DAY;
    if flag.updated_ms > border {
        return Vec::new();
    }
    let is_active = flag.fields.status == Status::Active;
    let silent = last_evaluated_ms.is_none_or(|last| last <= border);
    let reasons = [
        (!is_active, StaleReason::NotActive),
        (
            is_active && constant(flag).is_some(),
            StaleReason::SameForEverybody,
        ),
        (is_active && silent, StaleReason::NotEvaluated),
    ];
    let reasons = reasons.into_iter().filter(|(holds, _)| *holds);
    reasons.map(|(_, reason)| reason).collect()
}

/// The value of a flag, if it is the same for everyone.
pub fn constant(flag: &Flag) -> Option<Value> {
    let fields = &flag.fields;
    if !fields.rules.is_empty() || !fields.target_group_ids.is_empty() {
        return None;
    }
    let by_default = || Some(Value::Bool(fields.default_value));
    match fields.kind {
        FlagType::Boolean => by_default(),
        FlagType::Rollout => match fields.rollout_percentage.unwrap_or(0) {
            0 => Some(Value::Bool(false)),
            100 => Some(Value::Bool(true)),
            _ => None,
        },
        FlagType::Multivariant => {
            let weighted = fields
                .variants
                .iter()
                .any(|variant| variant.weight().is_some());
            let mut chosen = fields
                .variants
                .iter()
                .filter(|variant| !weighted || variant.weight().is_some_and(|weight| weight > 0.0));
            match (chosen.next(), chosen.next()) {
                (None, _) if fields.variants.is_empty() => by_default(),
                (Some(only), None) => Some(only.value.clone()),
                _ => None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::{
        super::{FlagFields, testing},
        *,
    };

    const NOW: i64 = 100 * DAY;

    fn flag(fields: &Value) -> Flag {
        let fields: Map<String, Value> = fields.as_object().unwrap().clone();
        let mut flag = testing::flag("f");
        flag.fields = FlagFields::read(&fields).unwrap();
        flag.updated_ms = NOW - 30 * DAY;
        flag
    }

    #[test]
    fn what_is_always_the_same_is_found_and_nothing_else() {
        let variant = |key: &str, weight: u8| json!({ "key": key, "value": key, "weight": weight });
        let rule =
            json!({ "type": "user_id", "operator": "equals", "value": "a", "enabled": true });
        for (fields, is) in [
            (
                json!({ "key": "f", "defaultValue": true }),
                Some(json!(true)),
            ),
            (json!({ "key": "f" }), Some(json!(false))),
            (json!({ "key": "f", "rules": [rule] }), None),
            (
                json!({ "key": "f", "type": "rollout", "rolloutPercentage": 100 }),
                Some(json!(true)),
            ),
            (
                json!({ "key": "f", "type": "rollout", "rolloutPercentage": 99 }),
                None,
            ),
            (
                json!({ "key": "f", "type": "rollout", "rolloutPercentage": 0 }),
                Some(json!(false)),
            ),
            (
                json!({ "key": "f", "type": "multivariant", "variants": [variant("a", 0), variant("b", 100)] }),
                Some(json!("b")),
            ),
            (
                json!({ "key": "f", "type": "multivariant", "variants": [variant("a", 1), variant("b", 99)] }),
                None,
            ),
        ] {
            assert_eq!(constant(&flag(&fields)), is, "{fields}");
        }
    }

    #[test]
    fn both_sides_of_the_border() {
        let half = flag(&json!({ "key": "f", "type": "rollout", "rolloutPercentage": 50 }));
        let border = NOW - 30 * DAY;
        assert_eq!(stale(&half, Some(border + 1), NOW, 30), []);
        assert_eq!(
            stale(&half, Some(border), NOW, 30),
            [StaleReason::NotEvaluated]
        );
        assert_eq!(stale(&half, None, NOW, 30), [StaleReason::NotEvaluated]);
        assert_eq!(stale(&half, None, NOW, 31), [], "it was changed since");
        let mut off = flag(&json!({ "key": "f" }));
        assert_eq!(
            stale(&off, Some(NOW), NOW, 30),
            [StaleReason::SameForEverybody]
        );
        off.fields.status = Status::Inactive;
        assert_eq!(stale(&off, Some(NOW), NOW, 30), [StaleReason::NotActive]);
    }
}
