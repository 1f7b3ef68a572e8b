//! Table `flags`, written by the domain `flags`.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "flags")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    /// The website that it is for; none when it is for the organization.
    pub website_id: Option<String>,
    /// The one of both that it is for.
    pub scope_id: String,
    /// Its key, unique within that.
    pub key: String,
    /// Whether it counts.
    pub status: String,
    pub created_by: Option<String>,
    /// What people say of it, as JSON.
    pub details: String,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub deleted_at: Option<DateTimeUtc>,
}
