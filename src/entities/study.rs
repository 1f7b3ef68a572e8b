//! Table `studies`, written by `actors::definitions`.

use sea_orm::entity::prelude::*;

use crate::ids::WebsiteId;

/// Something that people saved about a website, as stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "studies")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The website that it is about, and goes with.
    pub website_id: String,
    /// `goal`, `funnel`, `annotation` or `segment`.
    pub kind: String,
    /// What people say of it, as JSON.
    pub fields: String,
    pub created_by: Option<String>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub deleted_at: Option<DateTimeUtc>,
}

impl Entity {
    /// The tenant door: what there is about one website.
    pub fn within(website: &WebsiteId) -> Select<Self> {
        Self::find()
            .filter(COLUMN.website_id.eq(website.as_str()))
            .filter(COLUMN.deleted_at.is_null())
    }
}
