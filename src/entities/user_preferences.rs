//! Table `user_preferences`, written by the domain `desk`.

use sea_orm::entity::prelude::*;

/// How somebody likes to read times.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "user_preferences")]
pub struct Model {
    /// Whose they are.
    #[sea_orm(primary_key, auto_increment = false, column_type = "Text")]
    pub user_id: String,
    #[sea_orm(column_type = "Text")]
    pub id: String,
    /// `auto`, or an IANA zone.
    #[sea_orm(column_type = "Text")]
    pub timezone: String,
    /// How dates are written.
    #[sea_orm(column_type = "Text")]
    pub date_format: String,
    /// How times of day are written.
    #[sea_orm(column_type = "Text")]
    pub time_format: String,
    /// When they were first looked at.
    pub created_at: DateTimeUtc,
    /// When they were last changed.
    pub updated_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
