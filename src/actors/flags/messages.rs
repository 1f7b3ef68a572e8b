//! The messages of the domain. Their senders are authorized.

use actix::Message;
use serde_json::{Map, Value};

use super::{
    FlagError,
    engine::Rule,
    fields::FlagFields,
    model::{Author, Flag, Schedule, ScheduleKind, Scope, Step, TargetGroup},
};
use crate::ids::{FlagId, FlagScheduleId, OrganizationId, TargetGroupId, UserId, WebsiteId};

/// Creates a flag, or restores a deleted one.
#[derive(Debug, Message)]
#[rtype(result = "Result<Flag, FlagError>")]
pub struct CreateFlag {
    pub scope: Scope,
    pub author: Author,
    pub created_by: Option<UserId>,
    pub fields: FlagFields,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<Flag, FlagError>")]
pub struct UpdateFlag {
    pub organization: OrganizationId,
    pub id: FlagId,
    pub author: Author,
    pub patch: Map<String, Value>,
}

/// Deletes a flag. Its key can be used again, which restores it.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), FlagError>")]
pub struct DeleteFlag {
    pub organization: OrganizationId,
    pub id: FlagId,
    pub author: Author,
}

/// Fields of a target group; absent ones stay.
#[derive(Debug, Clone, Default)]
pub struct GroupFields {
    /// 1 to 100 characters.
    pub name: Option<String>,
    /// At most 500 characters; `Some(None)` clears it.
    pub description: Option<Option<String>>,
    /// `#RRGGBB`.
    pub color: Option<String>,
    pub rules: Option<Vec<Rule>>,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<TargetGroup, FlagError>")]
pub struct CreateGroup {
    pub organization: OrganizationId,
    pub website: WebsiteId,
    pub created_by: Option<UserId>,
    pub fields: GroupFields,
}

/// Changes a target group, and with it every flag that targets it.
#[derive(Debug, Message)]
#[rtype(result = "Result<TargetGroup, FlagError>")]
pub struct UpdateGroup {
    pub organization: OrganizationId,
    pub id: TargetGroupId,
    pub fields: GroupFields,
}

/// Deletes a target group. Flags no longer target it.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), FlagError>")]
pub struct DeleteGroup {
    pub organization: OrganizationId,
    pub id: TargetGroupId,
    pub author: Author,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<Schedule, FlagError>")]
pub struct CreateSchedule {
    pub organization: OrganizationId,
    pub flag: FlagId,
    pub created_by: Option<UserId>,
    pub kind: ScheduleKind,
    pub steps: Vec<Step>,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<Schedule, FlagError>")]
pub struct UpdateSchedule {
    pub organization: OrganizationId,
    pub id: FlagScheduleId,
    pub kind: Option<ScheduleKind>,
    pub steps: Option<Vec<Step>>,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<(), FlagError>")]
pub struct DeleteSchedule {
    pub organization: OrganizationId,
    pub id: FlagScheduleId,
}
