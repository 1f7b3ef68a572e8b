//! Table `audit_heads`: the last entry of each chain of the audit log, written with it.

use sea_orm::entity::prelude::*;

/// Where a chain ends. Without it, entries cut off at the end would not be missed.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_heads")]
pub struct Model {
    /// The organization; empty for the chain of none.
    #[sea_orm(primary_key, auto_increment = false)]
    pub chain: String,
    /// Place of the last entry; 0 before the first.
    pub seq: i64,
    /// Hash of the last entry, in hex.
    pub hash: String,
}
