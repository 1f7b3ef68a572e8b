//! Table `acme_accounts`, written by `actors::certificates`.

use sea_orm::entity::prelude::*;

/// An account at an authority.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "acme_accounts")]
pub struct Model {
    /// The authority's directory, and behind `#` the external account that it is bound to.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Sealed with a key of the installation.
    pub sealed_credentials: Vec<u8>,
    pub created_at: DateTimeUtc,
}
