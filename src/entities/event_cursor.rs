//! Table `event_cursors`, written by the domain `ingest`.

use sea_orm::entity::prelude::*;

/// How far a process's log is contained in segments.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "event_cursors")]
pub struct Model {
    /// The process.
    #[sea_orm(primary_key, auto_increment = false)]
    pub node_id: String,
    /// The last log position that is in a segment.
    pub lsn: i64,
    /// How often its manifest was changed.
    pub version: i64,
}
