//! Table `target_groups`, written by the domain `flags`.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "target_groups")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    /// The website that it is for.
    pub website_id: String,
    pub created_by: Option<String>,
    pub name: String,
    pub description: Option<String>,
    /// Its colour, `#RRGGBB`.
    pub color: String,
    /// Its rules, as JSON.
    pub rules: String,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}
