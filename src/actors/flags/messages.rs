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
    /// For whom.
    pub scope: Scope,
    /// Who does it.
    pub author: Author,
    /// Whose it is said to be.
    pub created_by: Option<UserId>,
    /// What people say of it.
    pub fields: FlagFields,
}

/// Change a flag.
#[derive(Debug, Message)]
#[rtype(result = "Result<Flag, FlagError>")]
pub struct UpdateFlag {
    /// The owner.
    pub organization: OrganizationId,
    /// The flag.
    pub id: FlagId,
    /// Who does it.
    pub author: Author,
    /// The fields that change.
    pub patch: Map<String, Value>,
}

/// Delete a flag. Its key can be used again, which brings it back.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), FlagError>")]
pub struct DeleteFlag {
    /// The owner.
    pub organization: OrganizationId,
    /// The flag.
    pub id: FlagId,
    /// Who does it.
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

/// Make a target group.
#[derive(Debug, Message)]
#[rtype(result = "Result<TargetGroup, FlagError>")]
pub struct CreateGroup {
    /// The owner.
    pub organization: OrganizationId,
    /// The website.
    pub website: WebsiteId,
    /// Whose it is said to be.
    pub created_by: Option<UserId>,
    /// What people say of it.
    pub fields: GroupFields,
}

/// Change a target group, and with it every flag that targets it.
#[derive(Debug, Message)]
#[rtype(result = "Result<TargetGroup, FlagError>")]
pub struct UpdateGroup {
    /// The owner.
    pub organization: OrganizationId,
    /// The group.
    pub id: TargetGroupId,
    /// What changes.
    pub fields: GroupFields,
}

/// Delete a target group; flags target it no more.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), FlagError>")]
pub struct DeleteGroup {
    /// The owner.
    pub organization: OrganizationId,
    /// The group.
    pub id: TargetGroupId,
    /// Who does it.
    pub author: Author,
}

/// Plan something for a flag.
#[derive(Debug, Message)]
#[rtype(result = "Result<Schedule, FlagError>")]
pub struct CreateSchedule {
    /// The owner.
    pub organization: OrganizationId,
    /// The flag.
    pub flag: FlagId,
    /// Whose it is said to be.
    pub created_by: Option<UserId>,
    /// What will be done.
    pub kind: ScheduleKind,
    /// When, and to what.
    pub steps: Vec<Step>,
}

/// Plan it otherwise.
#[derive(Debug, Message)]
#[rtype(result = "Result<Schedule, FlagError>")]
pub struct UpdateSchedule {
    /// The owner.
    pub organization: OrganizationId,
    /// The plan.
    pub id: FlagScheduleId,
    /// What will be done.
    pub kind: Option<ScheduleKind>,
    /// When, and to what.
    pub steps: Option<Vec<Step>>,
}

/// Plan it no more.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), FlagError>")]
pub struct DeleteSchedule {
    /// The owner.
    pub organization: OrganizationId,
    /// The plan.
    pub id: FlagScheduleId,
}
