//! Table `deleted_links`, written by the domain `links`.

use sea_orm::entity::prelude::*;

/// A link that was deleted and whose clicks are not erased yet.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "deleted_links")]
pub struct Model {
    /// The link's id.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Its number in event rows.
    #[sea_orm(unique)]
    pub key: i64,
    pub organization_id: String,
    pub deleted_at: DateTimeUtc,
}
