//! Table `boards`, written by `actors::boards`.

use sea_orm::entity::prelude::*;

/// A page with panels of several resources, as stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "boards")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The owner, and goes with it.
    pub organization_id: String,
    /// What people set, as JSON.
    pub fields: String,
    pub created_by: Option<String>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}
