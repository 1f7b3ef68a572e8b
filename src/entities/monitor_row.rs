//! Table `monitor_rows`, written by the domain `monitors`: results of checks that are committed and not in an event log yet.

use sea_orm::entity::prelude::*;

/// A result that its node owes to its event log, gone once it is there.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "monitor_rows")]
pub struct Model {
    /// The monitor's number.
    #[sea_orm(primary_key, auto_increment = false)]
    pub monitor_key: i64,
    /// The event's id: of a slot there is one.
    #[sea_orm(primary_key, auto_increment = false)]
    pub event_id: String,
    /// The data directory whose process has committed it, and which alone may write it to its log.
    pub node: String,
    /// The version of the record, and the record.
    pub event: Vec<u8>,
}
