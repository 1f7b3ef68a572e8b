//! Table `spent_challenges`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

/// A challenge that a passkey has answered: no answer counts twice.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "spent_challenges")]
pub struct Model {
    /// SHA-256 of the challenge.
    #[sea_orm(primary_key, auto_increment = false)]
    pub digest: String,
    /// When it would be over anyway.
    pub expires_at: DateTimeUtc,
}
