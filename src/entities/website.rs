//! Table `websites`, written by the domain `websites`.

use sea_orm::entity::prelude::*;

use crate::ids::OrganizationId;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "websites")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Its number in event rows: random, positive, never reused.
    #[sea_orm(unique)]
    pub key: i64,
    /// The public id that its tracker sends.
    #[sea_orm(unique)]
    pub client_id: String,
    pub organization_id: String,
    pub name: String,
    /// Its normalised domain, unique among the owner's live websites.
    pub domain: String,
    /// `ACTIVE`, …
    pub status: String,
    /// Whether anyone may see its public query types.
    pub is_public: bool,
    /// Its settings as JSON.
    pub settings: String,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    /// When it was deleted; its rows are erased later.
    pub deleted_at: Option<DateTimeUtc>,
}

impl Entity {
    /// The tenant door: the live websites of one organization.
    pub fn within(organization: &OrganizationId) -> Select<Self> {
        Self::find()
            .filter(COLUMN.organization_id.eq(organization.as_str()))
            .filter(COLUMN.deleted_at.is_null())
    }
}
