//! What people say of a flag, and what of it is in order.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Number, Value};

use super::{
    bucketing::{self, Bucketing},
    engine::Rule,
};
use crate::{
    actors::{issues::Issues, patch::patched, text_enum::text_enums},
    fault::Issue,
};

const MAX_KEY: usize = 100;
const MAX_NAME: usize = 100;
const MAX_DESCRIPTION: usize = 500;
const MAX_ENVIRONMENT: usize = 64;
/// Bytes of a payload, as JSON.
const MAX_PAYLOAD: usize = 32 << 10;
const MAX_RULES: usize = 100;
const MAX_BATCH: usize = 10_000;
const MAX_VARIANTS: usize = 32;
const MAX_VARIANT_KEY: usize = 50;
const MAX_DEPENDENCIES: usize = 50;
/// Sums of weights that miss 100 by less are 100.
const NEARLY: f64 = 1e-6;

/// How a flag decides when no rule does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FlagType {
    /// By its default.
    #[default]
    Boolean,
    /// On for a percentage.
    Rollout,
    /// One of several variants.
    Multivariant,
}

/// Whether a flag counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlagStatus")]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Status {
    /// It is evaluated.
    #[default]
    Active,
    /// It is paused.
    Inactive,
    /// It is retired.
    Archived,
}

text_enums!(Status);

/// Who is in a rollout together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RolloutBy {
    /// Each user alone.
    User,
    /// An organization.
    Organization,
    /// A team.
    Team,
}

/// What kind of value a variant has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VariantType {
    /// Text.
    #[default]
    String,
    /// A number.
    Number,
    /// Anything.
    Json,
}

/// A variant of a multivariate flag.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlagVariant")]
#[serde(rename_all = "camelCase")]
pub struct Variant {
    /// 1 to 50 characters.
    pub key: String,
    /// The value.
    pub value: Value,
    /// What kind of value.
    #[serde(rename = "type", default)]
    pub kind: VariantType,
    /// Its share, 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<Number>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl Variant {
    pub(super) fn weight(&self) -> Option<f64> {
        self.weight.as_ref().and_then(Number::as_f64)
    }

    /// Its weight in Unleash's buckets.
    pub(super) fn parts(&self) -> Option<u32> {
        bucketing::parts(self.weight()?)
    }
}

/// What people say of a flag.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FlagFields {
    /// Its key, unique within its website or organization.
    pub key: String,
    /// Its name.
    pub name: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// How it decides.
    #[serde(rename = "type")]
    pub kind: FlagType,
    /// Whether it counts.
    pub status: Status,
    /// What it is when nothing else decides.
    #[serde(deserialize_with = "or_default")]
    #[schemars(with = "Option<bool>")]
    pub default_value: bool,
    /// What goes with it.
    pub payload: Option<Map<String, Value>>,
    /// Its rules, in order.
    #[serde(deserialize_with = "or_default")]
    #[schemars(with = "Option<Vec<Rule>>")]
    pub rules: Vec<Rule>,
    /// Whether clients keep a visitor's answer over signing in.
    #[serde(deserialize_with = "or_default")]
    #[schemars(with = "Option<bool>")]
    pub persist_across_auth: bool,
    /// The share for which a rollout is on.
    pub rollout_percentage: Option<u8>,
    /// Who is in a rollout together.
    pub rollout_by: Option<RolloutBy>,
    /// Whose hash chooses people for percentages and variants.
    #[serde(deserialize_with = "or_default")]
    #[schemars(with = "Option<Bucketing>")]
    pub bucketing: Bucketing,
    /// What is hashed beside the person in Unleash's buckets (`groupId` there). By default the key.
    pub bucketing_group: Option<String>,
    /// Its values.
    #[serde(deserialize_with = "or_default")]
    #[schemars(with = "Option<Vec<Variant>>")]
    pub variants: Vec<Variant>,
    /// Keys of flags that have to be active.
    #[serde(deserialize_with = "or_default")]
    #[schemars(with = "Option<Vec<String>>")]
    pub dependencies: Vec<String>,
    /// Where it counts; everywhere that names none otherwise.
    pub environment: Option<String>,
    /// Target groups, in order.
    #[serde(deserialize_with = "or_default")]
    #[schemars(with = "Option<Vec<String>>")]
    pub target_group_ids: Vec<String>,
}

/// `null` is what a field is by itself.
fn or_default<'de, T, D>(body: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Ok(Option::deserialize(body)?.unwrap_or_default())
}

impl FlagFields {
    /// What people say of a flag, by the names of the wire; what is wrong with it otherwise.
    pub fn read(fields: &Map<String, Value>) -> Result<Self, Vec<Issue>> {
        patched(("flag", &Self::default()), fields, "")
    }

    /// What is not in order, rules aside.
    pub fn check(&self) -> Vec<Issue> {
        let mut issues = Issues::default();
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        let holds = (1..=MAX_KEY).contains(&self.key.len()) && self.key.bytes().all(known);
        let message = "has 1 to 100 letters, digits, `_`, `.` or `-`";
        issues.require(holds, "invalid", "key", message);
        for (field, text, bounds) in [
            ("name", &self.name, 1..=MAX_NAME),
            ("description", &self.description, 0..=MAX_DESCRIPTION),
            ("environment", &self.environment, 1..=MAX_ENVIRONMENT),
        ] {
            let Some(text) = text else { continue };
            let (least, most) = (bounds.start(), bounds.end());
            if !bounds.contains(&text.chars().count()) {
                let message = format!("has {least} to {most} characters");
                issues.refuse("invalid", field, message);
            } else if text.contains('\0') {
                issues.refuse("invalid", field, "contains a NUL character");
            }
        }
        let batch = |rule: &Rule| {
            (
                "rules",
                rule.batch_values.as_ref().map_or(0, Vec::len),
                MAX_BATCH,
            )
        };
        let counts = [
            ("rules", self.rules.len(), MAX_RULES),
            ("variants", self.variants.len(), MAX_VARIANTS),
            ("dependencies", self.dependencies.len(), MAX_DEPENDENCIES),
        ];
        for (field, count, most) in counts.into_iter().chain(self.rules.iter().map(batch)) {
            let message = format_args!("at most {most}");
            issues.require(count <= most, "invalid", field, message);
        }
        let holds = self
            .rollout_percentage
            .is_none_or(|percentage| percentage <= 100);
        let message = "expected a percentage from 0 to 100";
        issues.require(holds, "invalid", "rolloutPercentage", message);
        let payload = self.payload.as_ref().map(serde_json::to_vec);
        let holds = payload.is_none_or(|json| json.is_ok_and(|json| json.len() <= MAX_PAYLOAD));
        issues.require(holds, "invalid", "payload", "at most 32 KiB of JSON");
        check_variants(&mut issues, &self.variants);
        let weights = self.variants.iter().map(Variant::weight);
        let group = self.bucketing_group.as_deref();
        self.bucketing.check(group, weights, &mut issues);
        issues.into_list()
    }
}

fn check_variants(issues: &mut Issues, variants: &[Variant]) {
    let mut sum = None;
    for (at, variant) in variants.iter().enumerate() {
        let mut require = |holds, field: &str, message: &str| {
            issues.require(holds, "invalid", &format!("variants.{at}.{field}"), message);
        };
        let length = variant.key.chars().count();
        let earlier = variants.iter().take(at);
        let is_new = earlier.into_iter().all(|other| other.key != variant.key);
        let fits = match variant.kind {
            VariantType::String => variant.value.is_string(),
            VariantType::Number => variant.value.is_number(),
            VariantType::Json => true,
        };
        let is_short = (1..=MAX_VARIANT_KEY).contains(&length);
        require(is_short, "key", "has 1 to 50 characters");
        require(is_new, "key", "another variant has this key");
        require(fits, "value", "is not of the variant's `type`");
        if let Some(weight) = variant.weight() {
            let is_share = (0.0..=100.0).contains(&weight);
            require(is_share, "weight", "is from 0 to 100");
            *sum.get_or_insert(0.0) += weight;
        }
    }
    let holds = sum.is_none_or(|sum: f64| (sum - 100.0).abs() <= NEARLY);
    issues.require(holds, "invalid", "variants", "weights add up to 100");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn issues(body: Value) -> Vec<String> {
        let mut fields: FlagFields = serde_json::from_value(body).unwrap();
        if fields.key.is_empty() {
            "a".clone_into(&mut fields.key);
        }
        let issues = fields.check().into_iter();
        issues.map(|issue| issue.field).collect()
    }

    #[test]
    fn both_sides_of_every_bound() {
        let long = |count: usize| "x".repeat(count);
        let variant =
            |weight: Value| json!({ "key": weight.to_string(), "value": "a", "weight": weight });
        let rules = |count: usize| vec![json!({ "type": "email", "operator": "in" }); count];
        for (body, wrong) in [
            (json!({ "key": long(100) }), None),
            (json!({ "key": long(101) }), Some("key")),
            (json!({ "key": "a b" }), Some("key")),
            (json!({ "key": "a.B-_9" }), None),
            (json!({ "name": long(100) }), None),
            (json!({ "name": long(101) }), Some("name")),
            (json!({ "name": "" }), Some("name")),
            (json!({ "description": long(500) }), None),
            (json!({ "description": long(501) }), Some("description")),
            (json!({ "rolloutPercentage": 100 }), None),
            (
                json!({ "rolloutPercentage": 101 }),
                Some("rolloutPercentage"),
            ),
            (json!({ "payload": { "x": long((32 << 10) - 8) } }), None),
            (
                json!({ "payload": { "x": long((32 << 10) - 7) } }),
                Some("payload"),
            ),
            (json!({ "rules": rules(100) }), None),
            (json!({ "rules": rules(101) }), Some("rules")),
            (json!({ "type": "multivariant" }), None),
            (
                json!({ "variants": [variant(json!(99.5)), variant(json!(0.5))] }),
                None,
            ),
            (
                json!({ "variants": [variant(json!(99))] }),
                Some("variants"),
            ),
            (
                json!({ "variants": [variant(json!(50)), variant(json!(50))] }),
                Some("variants.1.key"),
            ),
            (
                json!({ "variants": [{ "key": "a", "value": 1 }] }),
                Some("variants.0.value"),
            ),
            (
                json!({ "variants": [{ "key": "a", "value": 1, "type": "number" }] }),
                None,
            ),
        ] {
            let found = issues(body.clone());
            assert_eq!(found.first().map(String::as_str), wrong, "{body}");
        }
    }
}
