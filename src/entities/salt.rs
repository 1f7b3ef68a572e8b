//! Table `salts`, written by the domain `ingest`.

use sea_orm::entity::prelude::*;

/// The salt of one day's visitor hashes.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "salts")]
pub struct Model {
    /// Days since the Unix epoch, UTC.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: i32,
    /// The salt in hex.
    pub salt: String,
    pub created_at: DateTimeUtc,
}
