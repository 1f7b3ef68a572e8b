//! What the domain keeps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{engine::Rule, fields::FlagFields};
use crate::ids::{FlagId, FlagScheduleId, KeyId, OrganizationId, TargetGroupId, UserId, WebsiteId};

/// For whom flags are: the public id by which clients ask for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    pub organization: OrganizationId,
    /// The website, unless they are for the whole organization.
    pub website: Option<WebsiteId>,
}

impl Scope {
    /// What clients call it.
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
    /// Whether it is inactive only because a flag that it depends on is.
    pub held_back: bool,
    /// When it was made, Unix ms.
    pub created_ms: i64,
    /// When it was last changed, Unix ms.
    pub updated_ms: i64,
    /// When it was deleted, Unix ms.
    pub deleted_ms: Option<i64>,
}

/// People whom flags target.
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
    /// Its rules, in order.
    pub rules: Vec<Rule>,
    /// When it was made, Unix ms.
    pub created_ms: i64,
    /// When it was last changed, Unix ms.
    pub updated_ms: i64,
}

/// Who changes something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlagAuthor")]
#[serde(tag = "type", content = "id", rename_all = "snake_case")]
pub enum Author {
    /// A person.
    User(#[schemars(with = "String")] UserId),
    /// An API key.
    ApiKey(#[schemars(with = "String")] KeyId),
    /// A plan that came due.
    Schedule(#[schemars(with = "String")] FlagScheduleId),
    /// A change of a flag that this one depends on, by key.
    Dependency(String),
}

/// What happens to a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlagChangeType")]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is made.
    Created,
    /// It is changed.
    Updated,
    /// It begins or ends to count.
    StatusChanged,
    /// It is deleted.
    Archived,
    /// It is made again after it was deleted.
    Restored,
}

/// Something that happened to a flag.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub id: String,
    pub kind: ChangeKind,
    pub author: Author,
    /// What the flag was.
    pub before: Option<Value>,
    /// What it became.
    pub after: Option<Value>,
    /// When, Unix ms.
    pub at_ms: i64,
}

/// What a plan does.
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

/// A step of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// When, Unix ms.
    pub at_ms: i64,
    /// The percentage of a rollout.
    pub value: Option<u8>,
}

/// What is planned for a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    pub id: FlagScheduleId,
    pub organization: OrganizationId,
    pub flag: FlagId,
    pub kind: ScheduleKind,
    /// Its steps, in order of time.
    pub steps: Vec<Step>,
    /// The step that comes next.
    pub next: usize,
    pub created_by: Option<UserId>,
    /// When it was planned, Unix ms.
    pub created_ms: i64,
    /// When the plan was last changed, Unix ms.
    pub updated_ms: i64,
    /// When the last step was done, Unix ms.
    pub done_ms: Option<i64>,
}
