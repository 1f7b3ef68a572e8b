//! Table `error_statuses`, written by `actors::error_statuses`.

use sea_orm::entity::prelude::*;

use crate::ids::WebsiteId;

/// What a team thinks of an error of a website, as stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "error_statuses")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub website_id: String,
    /// A hash of the error's message, which is nowhere but among the events.
    #[sea_orm(primary_key, auto_increment = false)]
    pub error_id: String,
    /// `resolved` or `ignored`.
    pub status: String,
    pub changed_by: Option<String>,
    pub changed_at: DateTimeUtc,
}

impl Entity {
    /// The tenant door: the errors of one website.
    pub fn within(website: &WebsiteId) -> Select<Self> {
        Self::find().filter(COLUMN.website_id.eq(website.as_str()))
    }
}
