//! Table `status_pages`, written by the domain `status_pages`.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "status_pages")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    /// What it is called in addresses.
    #[sea_orm(unique)]
    pub slug: String,
    /// Everything that people say of it, its monitors and its incidents, as JSON.
    pub page: String,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}
