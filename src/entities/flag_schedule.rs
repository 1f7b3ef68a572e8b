//! Table `flag_schedules`, written by the domain `flags`.

use sea_orm::entity::prelude::*;

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
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    /// When the last step was done.
    pub done_at: Option<DateTimeUtc>,
}
