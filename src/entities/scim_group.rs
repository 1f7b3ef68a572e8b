//! Table `scim_groups`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

/// A group of an organization's identity provider.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "scim_groups")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    pub name: String,
    /// The name in lower case, unique in the organization.
    pub name_key: String,
    /// The provider's own ID.
    pub external_id: Option<String>,
    /// The role that its members get; null = it gives none.
    pub role: Option<String>,
    pub version: i64,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}
