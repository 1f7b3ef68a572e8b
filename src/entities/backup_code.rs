//! Table `backup_codes`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

/// A single-use code that replaces the authenticator app. Only its hash is stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "backup_codes")]
pub struct Model {
    /// Keyed hash of person and code, in hex.
    #[sea_orm(primary_key, auto_increment = false)]
    pub code_hash: String,
    pub user_id: String,
}
