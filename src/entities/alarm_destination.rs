//! Table `alarm_destinations`, written by the domain `alarms`: where alarms are sent.

use sea_orm::entity::prelude::*;

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
    pub updated_at: DateTimeUtc,
}
