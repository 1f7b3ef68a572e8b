//! Table `link_folders`, written by the domain `links`.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "link_folders")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    pub created_by: Option<String>,
    pub name: String,
    /// Its name in addresses, unique within the organization.
    pub slug: String,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}
