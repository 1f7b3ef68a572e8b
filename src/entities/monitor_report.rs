//! Table `monitor_reports`, written by the domain `monitors`: what probes have found, until it is part of a slot.

use sea_orm::entity::prelude::*;

/// A report, gone once its row and its slot are stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "monitor_reports")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub probe_id: String,
    /// Counts the probe's reports.
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i64,
    /// As JSON.
    pub report: String,
}
