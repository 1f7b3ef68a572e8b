//! Table `user_preferences`, written by `actors::preferences`.

use sea_orm::entity::prelude::*;

/// How somebody likes to read times.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "user_preferences")]
pub struct Model {
    /// Whose they are.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: String,
    pub id: String,
    /// `auto`, or an IANA zone.
    pub timezone: String,
    /// How dates are written.
    pub date_format: String,
    /// How times of day are written.
    pub time_format: String,
    /// When they were first looked at.
    pub created_at: DateTimeUtc,
    /// When they were last changed.
    pub updated_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
