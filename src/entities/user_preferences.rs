//! Table `user_preferences`, written by `actors::preferences`.

use sea_orm::entity::prelude::*;

/// How a person reads times.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "user_preferences")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: String,
    pub id: String,
    /// `auto`, or an IANA zone.
    pub timezone: String,
    pub date_format: String,
    pub time_format: String,
    /// When they were first looked at.
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}
