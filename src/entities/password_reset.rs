//! Table `password_resets`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

/// Permission to set a new password, as stored; its token is not.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "password_resets")]
pub struct Model {
    /// SHA-256 of the token, in hex.
    #[sea_orm(primary_key, auto_increment = false)]
    pub token_hash: String,
    /// Whose password it is.
    pub user_id: String,
    pub created_at: DateTimeUtc,
    /// Until when it may be used.
    pub expires_at: DateTimeUtc,
}
