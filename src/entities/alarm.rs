//! Table `alarms`, written by the domain `alarms`.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "alarms")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    /// The website that it is about.
    pub website_id: Option<String>,
    pub created_by: Option<String>,
    /// Everything that people say of it, as JSON.
    pub fields: String,
    /// Whether it is on.
    pub enabled: bool,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}
