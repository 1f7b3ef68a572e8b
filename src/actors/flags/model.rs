//! Flags, target groups, schedules and the change log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{engine::Rule, fields::FlagFields};
use crate::ids::{FlagId, FlagScheduleId, KeyId, OrganizationId, TargetGroupId, UserId, WebsiteId};

/// The website or organization of flags, whose public id clients use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    pub organization: OrganizationId,
    /// `None` for flags of the whole organization.
    pub website: Option<WebsiteId>,
}

impl Scope {
    pub fn id(&self) -> &str {
        self.website
            .as_ref()
            .map_or_else(|| self.organization.as_str(), WebsiteId::as_str)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Flag {
    pub id: FlagId,
    pub scope: Scope,
    pub created_by: Option<UserId>,
    pub fields: FlagFields,
    /// Whether it is inactive only because a dependency is.
    pub held_back: bool,
    /// Unix ms, as `updated_ms`.
    pub created_ms: i64,
    pub updated_ms: i64,
    /// Unix ms.
    pub deleted_ms: Option<i64>,
}

/// A group of users that flags target.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetGroup {
    pub id: TargetGroupId,
    pub organization: OrganizationId,
    pub website: WebsiteId,
    pub created_by: Option<UserId>,
    /// 1 to 100 characters.
    pub name: String,
    /// At most 500 characters.
    pub description: Option<String>,
    /// `#RRGGBB`.
    pub color: String,
    pub rules: Vec<Rule>,
    /// Unix ms, as `updated_ms`.
    pub created_ms: i64,
    pub updated_ms: i64,
}

/// The author of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlagAuthor")]
#[serde(tag = "type", content = "id", rename_all = "snake_case")]
pub enum Author {
    /// A person.
    User(#[schemars(with = "String")] UserId),
    /// An API key.
    ApiKey(#[schemars(with = "String")] KeyId),
    /// A schedule that was due.
    Schedule(#[schemars(with = "String")] FlagScheduleId),
    /// A change of a flag that this one depends on, by key.
    Dependency(String),
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlagChangeType")]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is made.
    Created,
    /// It is changed.
    Updated,
    /// Its status is changed.
    StatusChanged,
    /// It is deleted.
    Archived,
    /// It is restored after it was deleted.
    Restored,
}

/// An entry of the change log.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub id: String,
    pub kind: ChangeKind,
    pub author: Author,
    pub before: Option<Value>,
    pub after: Option<Value>,
    /// Unix ms.
    pub at_ms: i64,
}

/// The effect of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlagScheduleType")]
#[serde(rename_all = "snake_case")]
pub enum ScheduleKind {
    /// Makes the flag active.
    Enable,
    /// Makes it inactive.
    Disable,
    /// Sets the percentage of a rollout, step by step.
    UpdateRollout,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Unix ms.
    pub at_ms: i64,
    /// The percentage of a rollout.
    pub value: Option<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    pub id: FlagScheduleId,
    pub organization: OrganizationId,
    pub flag: FlagId,
    pub kind: ScheduleKind,
    /// In order of time.
    pub steps: Vec<Step>,
    /// The index of the next step.
    pub next: usize,
    pub created_by: Option<UserId>,
    /// Unix ms, as `updated_ms` and `done_ms`.
    pub created_ms: i64,
    pub updated_ms: i64,
    pub done_ms: Option<i64>,
}
