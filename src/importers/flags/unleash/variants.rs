//! Variants of a feature, or of its only strategy.

use serde_json::{Number, Value};

use super::{UnleashBuckets, has_items};
use crate::actors::flags::{Variant, VariantType};

/// The sum of weights, which are parts of 1,000.
const WHOLE: u64 = 1_000;

/// The variants that count: those of the strategy, else those of the environment, else those of the feature.
pub(super) fn read(
    strategies: &[&Value],
    features: [&Value; 2],
    buckets: &mut UnleashBuckets,
) -> Result<Vec<Variant>, String> {
    let own = strategies.iter().find(|one| has_items(&one["variants"]));
    let found = match own {
        Some(_) if strategies.len() > 1 => {
            return Err("It has several strategies, and one of them has variants".to_owned());
        }
        Some(strategy) => {
            let group = strategy["parameters"]["groupId"]
                .as_str()
                .unwrap_or_default();
            buckets.share(Some(group.to_owned()))?;
            &strategy["variants"]
        }
        None => match features.into_iter().find(|variants| has_items(variants)) {
            Some(variants) => {
                buckets.share(None)?;
                variants
            }
            None => return Ok(Vec::new()),
        },
    };
    let variants = found.as_array().map_or(&[][..], Vec::as_slice);
    let weights = variants
        .iter()
        .map(|one| one["weight"].as_u64().unwrap_or_default());
    if weights.sum::<u64>() != WHOLE {
        return Err("The weights of its variants don't add up to 1,000".to_owned());
    }
    variants.iter().map(variant).collect()
}

fn variant(variant: &Value) -> Result<Variant, String> {
    if has_items(&variant["overrides"]) {
        return Err("A variant has overrides".to_owned());
    }
    let stickiness = variant["stickiness"].as_str().unwrap_or("default");
    if !["default", "userId"].contains(&stickiness) {
        return Err(format!("A variant chooses people by `{stickiness}`"));
    }
    let key = variant["name"].as_str().unwrap_or_default();
    let (kind, value) = value(key, &variant["payload"])?;
    let tenths = variant["weight"].as_u64().unwrap_or_default();
    let weight = if tenths.is_multiple_of(10) {
        Some(Number::from(tenths / 10))
    } else {
        #[expect(clippy::cast_precision_loss, reason = "up to 1,000")]
        Number::from_f64(tenths as f64 / 10.0)
    };
    Ok(Variant {
        key: key.to_owned(),
        value,
        kind,
        weight,
        description: None,
    })
}

/// The payload; a variant without one has its name as value.
fn value(key: &str, payload: &Value) -> Result<(VariantType, Value), String> {
    if payload.is_null() {
        return Ok((VariantType::String, key.into()));
    }
    let text = payload["value"].as_str().unwrap_or_default();
    let read = || serde_json::from_str::<Value>(text).ok();
    let wrong = |kind: &str| format!("The payload of a variant isn't {kind}: `{text}`");
    match payload["type"].as_str() {
        Some("string") => Ok((VariantType::String, text.into())),
        Some("number") => {
            let number = read().filter(Value::is_number);
            Ok((
                VariantType::Number,
                number.ok_or_else(|| wrong("a number"))?,
            ))
        }
        Some("json") => Ok((VariantType::Json, read().ok_or_else(|| wrong("JSON"))?)),
        other => Err(format!(
            "A variant has a payload of type `{}`",
            other.unwrap_or_default()
        )),
    }
}
