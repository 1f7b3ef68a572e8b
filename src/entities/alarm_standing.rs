//! Table `alarm_standings`, written by the domain `alarms`: how alarms stand about each of their subjects.

use sea_orm::entity::prelude::*;

/// How an alarm stands about one thing, as stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "alarm_standings")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub alarm_id: String,
    /// What it is about: a monitor's id, or nothing in particular.
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject: String,
    /// How it stands, as JSON.
    pub standing: String,
}

impl ActiveModelBehavior for ActiveModel {}
