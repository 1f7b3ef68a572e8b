//! Table `link_folders`, written by the domain `links`.

use sea_orm::entity::prelude::*;

use crate::ids::OrganizationId;

/// A folder of short links as stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "link_folders")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    /// The person who made it.
    pub created_by: Option<String>,
    pub name: String,
    /// Its name in addresses, unique within the organization.
    pub slug: String,
    pub created_at: DateTimeUtc,
    /// When it was last changed.
    pub updated_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}

impl Entity {
    /// The tenant door: the folders of one organization.
    pub fn within(organization: &OrganizationId) -> Select<Self> {
        Self::find().filter(COLUMN.organization_id.eq(organization.as_str()))
    }
}
