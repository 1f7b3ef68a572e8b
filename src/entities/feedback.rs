//! Table `feedback`, written by `actors::feedback`.

use sea_orm::entity::prelude::*;

use crate::ids::UserId;

/// What somebody had to say.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "feedback")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Who said it.
    pub user_id: String,
    /// The organization that they were working in.
    pub organization_id: Option<String>,
    /// What it is about.
    pub title: String,
    /// What was said.
    pub description: String,
    /// `bug_report`, …
    pub category: String,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}

impl Entity {
    /// The door of one person: what they have said.
    pub fn by(user: &UserId) -> Select<Self> {
        Self::find().filter(COLUMN.user_id.eq(user.as_str()))
    }
}
