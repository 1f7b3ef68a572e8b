//! Flags, groups and plans on the wire.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    actors::flags::{
        Author, Bucketing, Change, ChangeKind, Flag, FlagType, RolloutBy, Schedule, ScheduleKind,
        Status, TargetGroup, Variant, engine::Rule,
    },
    clock::iso_ms,
};

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Flag")]
#[serde(rename_all = "camelCase")]
pub struct FlagOut {
    pub id: String,
    pub key: String,
    pub name: Option<String>,
    pub description: Option<String>,
    #[serde(rename = "type")]
    pub kind: FlagType,
    pub status: Status,
    pub default_value: bool,
    pub payload: Option<Map<String, Value>>,
    pub rules: Vec<Rule>,
    pub persist_across_auth: bool,
    pub rollout_percentage: Option<u8>,
    pub rollout_by: Option<RolloutBy>,
    pub bucketing: Bucketing,
    pub bucketing_group: Option<String>,
    pub variants: Vec<Variant>,
    pub dependencies: Vec<String>,
    pub environment: Option<String>,
    pub target_group_ids: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_groups: Option<Vec<GroupOut>>,
    pub website_id: Option<String>,
    /// Of flags that are for no website.
    pub organization_id: Option<String>,
    pub user_id: Option<String>,
    pub created_by: Option<String>,
    pub created_at: String,
    pub updated_at: String,
    pub deleted_at: Option<String>,
}

impl From<Flag> for FlagOut {
    fn from(flag: Flag) -> Self {
        let fields = flag.fields;
        let organization = flag.scope.website.is_none();
        let organization = organization.then(|| flag.scope.organization.to_string());
        Self {
            id: flag.id.to_string(),
            key: fields.key,
            name: fields.name,
            description: fields.description,
            kind: fields.kind,
            status: fields.status,
            default_value: fields.default_value,
            payload: fields.payload,
            rules: fields.rules,
            persist_across_auth: fields.persist_across_auth,
            rollout_percentage: fields.rollout_percentage,
            rollout_by: fields.rollout_by,
            bucketing: fields.bucketing,
            bucketing_group: fields.bucketing_group,
            variants: fields.variants,
            dependencies: fields.dependencies,
            environment: fields.environment,
            target_group_ids: fields.target_group_ids,
            target_groups: None,
            website_id: flag.scope.website.map(|id| id.to_string()),
            organization_id: organization,
            user_id: None,
            created_by: flag.created_by.map(|maker| maker.to_string()),
            created_at: iso_ms(flag.created_ms),
            updated_at: iso_ms(flag.updated_ms),
            deleted_at: flag.deleted_ms.map(iso_ms),
        }
    }
}

/// People that flags target.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "TargetGroup")]
#[serde(rename_all = "camelCase")]
pub struct GroupOut {
    pub id: String,
    pub name: String,
    pub description: Option<String>,
    pub color: String,
    pub rules: Vec<Rule>,
    pub website_id: String,
    pub created_by: Option<String>,
    pub created_at: String,
    pub updated_at: String,
    pub deleted_at: Option<String>,
}

impl From<TargetGroup> for GroupOut {
    fn from(group: TargetGroup) -> Self {
        Self {
            id: group.id.to_string(),
            name: group.name,
            description: group.description,
            color: group.color,
            rules: group.rules,
            website_id: group.website.to_string(),
            created_by: group.created_by.map(|maker| maker.to_string()),
            created_at: iso_ms(group.created_ms),
            updated_at: iso_ms(group.updated_ms),
            deleted_at: None,
        }
    }
}

/// Something that happened to a flag.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FlagChange")]
#[serde(rename_all = "camelCase")]
pub struct ChangeOut {
    pub id: String,
    pub change_type: ChangeKind,
    pub changed_by: Author,
    /// The flag before; null when there was none.
    pub before: Option<Value>,
    /// The flag afterwards.
    pub after: Option<Value>,
    pub created_at: String,
}

impl From<Change> for ChangeOut {
    fn from(change: Change) -> Self {
        Self {
            id: change.id,
            change_type: change.kind,
            changed_by: change.author,
            before: change.before,
            after: change.after,
            created_at: iso_ms(change.at_ms),
        }
    }
}

/// What is planned for a flag.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FlagSchedule")]
#[serde(rename_all = "camelCase")]
pub struct ScheduleOut {
    pub id: String,
    pub flag_id: String,
    #[serde(rename = "type")]
    pub kind: ScheduleKind,
    /// When the next step is due, or when the last one was.
    pub scheduled_at: Option<String>,
    pub rollout_steps: Vec<StepOut>,
    pub executed_at: Option<String>,
    pub created_by: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

/// A step of a rollout.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FlagScheduleStep")]
#[serde(rename_all = "camelCase")]
pub struct StepOut {
    pub scheduled_at: String,
    pub value: Option<u8>,
    /// Whether it was done.
    pub executed: bool,
}

impl From<Schedule> for ScheduleOut {
    fn from(plan: Schedule) -> Self {
        let next = plan.steps.get(plan.next).or_else(|| plan.steps.last());
        let is_rollout = plan.kind == ScheduleKind::UpdateRollout;
        let steps = plan.steps.iter().enumerate().filter(|_| is_rollout);
        Self {
            id: plan.id.to_string(),
            flag_id: plan.flag.to_string(),
            kind: plan.kind,
            scheduled_at: next.map(|step| iso_ms(step.at_ms)),
            rollout_steps: steps
                .map(|(at, step)| StepOut {
                    scheduled_at: iso_ms(step.at_ms),
                    value: step.value,
                    executed: at < plan.next,
                })
                .collect(),
            executed_at: plan.done_ms.map(iso_ms),
            created_by: plan.created_by.map(|maker| maker.to_string()),
            created_at: iso_ms(plan.created_ms),
            updated_at: iso_ms(plan.updated_ms),
        }
    }
}
