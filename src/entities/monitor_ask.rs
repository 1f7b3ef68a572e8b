//! Table `monitor_asks`, written by the domain `monitors`: what processes that check nothing were asked for.

use sea_orm::entity::prelude::*;

/// Something that the process which checks has to do, gone once it is done.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "monitor_asks")]
pub struct Model {
    /// Its id; ids are made in the order of time.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub monitor_id: String,
    /// `check`, or what a watched program says: `start`, `finish` or `fail`.
    pub what: String,
}
