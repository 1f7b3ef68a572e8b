//! Everything that can be asked of the domain.

use actix::Message;
use serde_json::{Map, Value};

use super::{
    FlagError,
    engine::Rule,
    fields::FlagFields,
    model::{Author, Flag, Schedule, ScheduleKind, Scope, Step, TargetGroup},
};
use crate::ids::{FlagId, FlagScheduleId, OrganizationId, TargetGroupId, UserId, WebsiteId};

/// Make a flag, or make a deleted one again.
#[derive(Debug, Message)]
#[rtype(result = "Result<Flag, FlagError>")]
pub struct CreateFlag {
    pub scope: Scope,
    pub author: Author,
    /// Whose it is said to be.
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

/// Delete a flag. Its key can be used again, which brings it back.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), FlagError>")]
pub struct DeleteFlag {
    pub organization: OrganizationId,
    pub id: FlagId,
    pub author: Author,
}

/// What people say of a target group; what is not said stays as it is.
#[derive(Debug, Clone, Default)]
pub struct GroupFields {
    /// 1 to 100 characters.
    pub name: Option<String>,
    /// At most 500 characters; `Some(None)` takes it away.
    pub description: Option<Option<String>>,
    /// `#RRGGBB`.
    pub color: Option<String>,
    /// Its rules, in order.
    pub rules: Option<Vec<Rule>>,
}

#[derive(Debug, Message)]
#[rtype(result = "Result<TargetGroup, FlagError>")]
pub struct CreateGroup {
    pub organization: OrganizationId,
    pub website: WebsiteId,
    /// Whose it is said to be.
    pub created_by: Option<UserId>,
    pub fields: GroupFields,
}

/// Change a target group, and with it every flag that targets it.
#[derive(Debug, Message)]
#[rtype(result = "Result<TargetGroup, FlagError>")]
pub struct UpdateGroup {
    pub organization: OrganizationId,
    pub id: TargetGroupId,
    pub fields: GroupFields,
}

/// Delete a target group; flags target it no more.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), FlagError>")]
pub struct DeleteGroup {
    pub organization: OrganizationId,
    pub id: TargetGroupId,
    pub author: Author,
}

/// Plan something for a flag.
#[derive(Debug, Message)]
#[rtype(result = "Result<Schedule, FlagError>")]
pub struct CreateSchedule {
    pub organization: OrganizationId,
    pub flag: FlagId,
    /// Whose it is said to be.
    pub created_by: Option<UserId>,
    pub kind: ScheduleKind,
    /// When, and to what.
    pub steps: Vec<Step>,
}

/// Plan it otherwise.
#[derive(Debug, Message)]
#[rtype(result = "Result<Schedule, FlagError>")]
pub struct UpdateSchedule {
    pub organization: OrganizationId,
    pub id: FlagScheduleId,
    pub kind: Option<ScheduleKind>,
    /// When, and to what.
    pub steps: Option<Vec<Step>>,
}

/// Plan it no more.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), FlagError>")]
pub struct DeleteSchedule {
    pub organization: OrganizationId,
    pub id: FlagScheduleId,
}
