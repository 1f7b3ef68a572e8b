//! Table `target_groups`, written by the domain `flags`.

use sea_orm::entity::prelude::*;

use crate::ids::OrganizationId;

/// A target group as stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "target_groups")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    /// The website that it is for.
    pub website_id: String,
    /// The person who made it.
    pub created_by: Option<String>,
    pub name: String,
    pub description: Option<String>,
    /// Its colour, `#RRGGBB`.
    pub color: String,
    /// Its rules, as JSON.
    pub rules: String,
    pub created_at: DateTimeUtc,
    /// When it was last changed.
    pub updated_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}

impl Entity {
    /// The tenant door: the rows of one organization.
    pub fn within(organization: &OrganizationId) -> Select<Self> {
        Self::find().filter(COLUMN.organization_id.eq(organization.as_str()))
    }
}
