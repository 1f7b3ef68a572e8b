//! Rules as written and stored: upstream's, and more.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The subject of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlagRuleType")]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The user's id.
    UserId,
    /// The person's address.
    Email,
    /// A property. Without a `field` and with a number in `value`, a percentage of people.
    Property,
    /// The country of the request, an ISO 3166-1 alpha-2 code.
    Country,
    /// The device of the request: `mobile`, `tablet` or `desktop`.
    Device,
    /// The address of the request.
    Ip,
    /// The time of the evaluation.
    Time,
    /// A percentage by any property (`field`), or by person without one; `value` is the percentage.
    Percentage,
    /// All of `rules` match.
    All,
    /// One of `rules` matches.
    Any,
    /// None of `rules` matches.
    Not,
}

/// How a rule compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlagRuleOperator")]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// Is the same value of the same type.
    Equals,
    /// Has the text in it.
    Contains,
    /// Begins with the text.
    StartsWith,
    /// Ends with the text.
    EndsWith,
    /// Is one of `values`.
    In,
    /// Is none of `values`, or missing.
    NotIn,
    /// Is there.
    Exists,
    /// Is not there.
    NotExists,
    /// Is a larger number.
    GreaterThan,
    /// Is a number that is as large or larger.
    GreaterOrEqual,
    /// Is a smaller number.
    LessThan,
    /// Is a number that is as small or smaller.
    LessOrEqual,
    /// Is the same version (semver).
    VersionEquals,
    /// Is a later version.
    VersionGreaterThan,
    /// Is the same version or a later one.
    VersionGreaterOrEqual,
    /// Is an earlier version.
    VersionLessThan,
    /// Is the same version or an earlier one.
    VersionLessOrEqual,
    /// Is an earlier time; times are ISO 8601 or Unix milliseconds.
    Before,
    /// Is the same time or a later one.
    After,
    /// Matches the regular expression.
    Matches,
    /// Is an address in one of the networks in `values`.
    InNetwork,
}

/// A rule of a flag or of a target group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlagRule")]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// What it looks at.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// How it compares; those made of `rules` and percentages have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<Operator>,
    /// Which property.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// With what it compares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// With which ones `in`, `not_in` and `in_network` compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<Value>>,
    /// The rules that it is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<Rule>>,
    /// Whether the flag is on for those who match.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Whether `batchValues` counts instead of `value` and `values`.
    #[serde(default)]
    pub batch: bool,
    /// Many values; the comparison is one of texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_values: Option<Vec<String>>,
}

fn yes() -> bool {
    true
}
