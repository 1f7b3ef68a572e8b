//! Flagsmith: the JSON of a feature export, which is of one environment and holds no segments.

use serde_json::Value;

use crate::{
    actors::flags::{FlagFields, FlagType, Status, Variant},
    importers::{Definition, ImportError, Plan, Source, source::check_count},
};

pub(super) fn read(source: &Source<'_>) -> Result<Plan, ImportError> {
    let json = source.json()?;
    let Some(features) = json.as_array() else {
        let message = "The file isn't a feature export of Flagsmith, which is an array";
        return Err(ImportError::new(message));
    };
    check_count(features.len())?;
    let mut plan = Plan::default();
    for (at, feature) in features.iter().enumerate() {
        let at = format!("[{at}]");
        let key = feature["name"].as_str().unwrap_or_default();
        match flag(key, feature) {
            Ok(flag) => plan.push(at, Definition::Flag(Box::new(flag))),
            Err(reason) => plan.omit(at, format!("flag {key}"), reason),
        }
    }
    let reason = "The export holds neither segments nor overrides of users";
    plan.omit("", "segment and identity overrides", reason);
    Ok(plan)
}

fn flag(key: &str, feature: &Value) -> Result<FlagFields, String> {
    if key.is_empty() {
        return Err("It has no name".to_owned());
    }
    let shares = feature["multivariate"].as_array().into_iter().flatten();
    let share = |one: &Value| one["percentage_allocation"].as_f64();
    let shares: Option<Vec<f64>> = shares.map(share).collect();
    let shares = shares.ok_or("Its variants can't be read")?;
    if shares.iter().any(|share| *share > 0.0) {
        return Err(
            "It has variants by percentage, and Flagsmith puts users into other buckets".to_owned(),
        );
    }
    let enabled = feature["enabled"]
        .as_bool()
        .ok_or("It doesn't say whether it is enabled")?;
    let value = &feature["value"];
    let has_value = !value.is_null() && value.as_str() != Some("");
    let variant = || -> Result<Variant, String> {
        let fields = serde_json::json!({
            "key": "value", "value": value, "type": if value.is_string() { "string" } else { "json" },
        });
        serde_json::from_value(fields).map_err(|_| "Its value can't be read".to_owned())
    };
    Ok(FlagFields {
        key: key.to_owned(),
        name: None,
        kind: if has_value {
            FlagType::Multivariant
        } else {
            FlagType::Boolean
        },
        // Off for everybody, whatever its value.
        status: if enabled {
            Status::Active
        } else {
            Status::Inactive
        },
        default_value: true,
        variants: if has_value {
            vec![variant()?]
        } else {
            Vec::new()
        },
        ..FlagFields::default()
    })
}
