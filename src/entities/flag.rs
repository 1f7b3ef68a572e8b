//! Table `flags`, written by the domain `flags`.

use sea_orm::entity::prelude::*;

use crate::ids::OrganizationId;

/// A feature flag as stored.
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
    /// The person who made it.
    pub created_by: Option<String>,
    /// What people say of it, as JSON.
    pub details: String,
    pub created_at: DateTimeUtc,
    /// When it was last changed.
    pub updated_at: DateTimeUtc,
    /// When it was deleted.
    pub deleted_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}

impl Entity {
    /// The tenant door: the rows of one organization.
    pub fn within(organization: &OrganizationId) -> Select<Self> {
        Self::find().filter(COLUMN.organization_id.eq(organization.as_str()))
    }
}
