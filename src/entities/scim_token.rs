//! Table `scim_tokens`, written by `actors::scim`. Rows go with the membership of who made them.

use sea_orm::entity::prelude::*;

/// What an identity provider shows.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "scim_tokens")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    /// The member whose rights it has.
    pub created_by: String,
    pub name: String,
    /// SHA-256 of the token.
    pub digest: String,
    pub created_at: DateTimeUtc,
    /// Written every five minutes at most.
    pub last_used_at: Option<DateTimeUtc>,
}
