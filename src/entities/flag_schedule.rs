//! Table `flag_schedules`, written by the domain `flags`.

use sea_orm::entity::prelude::*;

use crate::ids::OrganizationId;

/// What is planned for a flag as stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "flag_schedules")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    pub flag_id: String,
    /// What will be done.
    pub kind: String,
    /// When and to what, as JSON.
    pub steps: String,
    /// The step that comes next.
    pub next_step: i32,
    /// When it comes.
    pub due_at: DateTimeUtc,
    /// The person who planned it.
    pub created_by: Option<String>,
    /// When it was planned.
    pub created_at: DateTimeUtc,
    /// When the plan was last changed.
    pub updated_at: DateTimeUtc,
    /// When the last step was done.
    pub done_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}

impl Entity {
    /// The tenant door: the rows of one organization.
    pub fn within(organization: &OrganizationId) -> Select<Self> {
        Self::find().filter(COLUMN.organization_id.eq(organization.as_str()))
    }
}
