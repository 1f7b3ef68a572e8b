//! Table `scim_members`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

/// Who is in a group of an identity provider.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "scim_members")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub group_id: String,
    /// The row of `scim_users`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: String,
}
