//! Table `feedback`, written by `actors::feedback`.

use sea_orm::entity::prelude::*;

use crate::ids::UserId;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "feedback")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub user_id: String,
    /// The organization that they were working in.
    pub organization_id: Option<String>,
    pub title: String,
    pub description: String,
    /// `bug_report`, …
    pub category: String,
    pub created_at: DateTimeUtc,
}

impl Entity {
    /// The feedback of one person.
    pub fn by_user(user: &UserId) -> Select<Self> {
        Self::find().filter(COLUMN.user_id.eq(user.as_str()))
    }
}
