//! Table `feedback`, written by the domain `desk`.

use sea_orm::entity::prelude::*;

use crate::ids::UserId;

/// What somebody had to say.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "feedback")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub id: String,
    /// Who said it.
    #[sea_orm(column_type = "Text")]
    pub user_id: String,
    /// The organization that they were working in.
    #[sea_orm(column_type = "Text")]
    pub organization_id: Option<String>,
    /// What it is about.
    #[sea_orm(column_type = "Text")]
    pub title: String,
    /// What was said.
    #[sea_orm(column_type = "Text")]
    pub description: String,
    /// `bug_report`, …
    #[sea_orm(column_type = "Text")]
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
