//! Whose buckets a flag uses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actors::issues::Issues;

const MAX_GROUP: usize = 100;
/// Parts of a percent that Unleash's weights know.
const PARTS: f64 = 10.0;
const NEARLY: f64 = 1e-6;

/// How percentages and variants choose people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlagBucketing")]
#[serde(rename_all = "lowercase")]
pub enum Bucketing {
    /// By the hash of this program.
    #[default]
    Pharos,
    /// By the hash of Unleash's clients: who is in a percentage there is in it here. Without a user ID, the property `sessionId`
    /// counts. A context with neither is out.
    Unleash,
}

/// A weight in Unleash's parts of 1,000; `None` if it isn't a whole number of them.
pub(super) fn parts(weight: f64) -> Option<u32> {
    let parts = weight * PARTS;
    let is_whole = (parts - parts.round()).abs() <= NEARLY;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 1,000"
    )]
    is_whole.then_some(parts.round() as u32)
}

impl Bucketing {
    /// What is wrong with a group and weights beside it.
    pub(super) fn check(
        self,
        group: Option<&str>,
        weights: impl Iterator<Item = Option<f64>>,
        issues: &mut Issues,
    ) {
        if let Some(group) = group {
            let length = group.chars().count();
            let holds = (1..=MAX_GROUP).contains(&length) && !group.contains(char::is_control);
            issues.require(
                holds,
                "invalid",
                "bucketingGroup",
                "has 1 to 100 characters",
            );
        }
        if self == Self::Pharos {
            let message = "is for `bucketing` `unleash` only";
            issues.require(group.is_none(), "invalid", "bucketingGroup", message);
            return;
        }
        for (at, weight) in weights.enumerate() {
            let holds = weight.is_none_or(|weight| parts(weight).is_some());
            let message = "has at most one decimal with `bucketing` `unleash`";
            issues.require(holds, "invalid", &format!("variants.{at}.weight"), message);
        }
    }
}
