//! Table `alarm_standings`, written by the domain `alarms`: the state of an alarm for each of its subjects.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "alarm_standings")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub alarm_id: String,
    /// What it is about: a monitor's id, or nothing in particular.
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject: String,
    /// The state, as JSON.
    pub standing: String,
}
