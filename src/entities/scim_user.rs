//! Table `scim_users`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

/// A person as an organization's identity provider knows them.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "scim_users")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    /// The address of the account, in lower case. It never changes.
    pub account: String,
    /// The user name in lower case, unique in the organization.
    pub name_key: String,
    /// What the provider says of the person: JSON.
    pub attributes: String,
    /// Whether the provider wants the person to be a member.
    pub is_active: bool,
    /// The role of the membership that the provider took, to be given back.
    pub left_role: Option<String>,
    /// The role that groups gave; null = none did.
    pub group_role: Option<String>,
    pub version: i64,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}
