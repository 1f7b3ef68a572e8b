//! Table `alarm_destinations`, written by the domain `alarms`: whom alarms tell.

use sea_orm::entity::prelude::*;

/// A destination as stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "alarm_destinations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub alarm_id: String,
    /// Its place among the alarm's destinations.
    pub position: i64,
    /// What kind it is, such as `webhook`.
    pub kind: String,
    /// Where it is and what it needs, sealed.
    pub sealed: Vec<u8>,
    /// Why nothing is sent there any more.
    pub disabled: Option<String>,
    pub created_at: DateTimeUtc,
    /// When it was last changed.
    pub updated_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
