//! Table `monitor_transitions`, written by the domain `monitors`: changes of a monitor's state.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "monitor_transitions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub monitor_id: String,
    pub at: DateTimeUtc,
    pub from_state: String,
    pub to_state: String,
    pub error_class: Option<String>,
    pub error: Option<String>,
    /// The monitor that this one depends on and that was down: no alert was sent.
    pub because_of: Option<String>,
}
