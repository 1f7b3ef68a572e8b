//! Table `acme_orders`, written by `actors::certificates`.

use sea_orm::entity::prelude::*;

/// An order of the last hours, which counts against the limit of orders.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "acme_orders")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub host: String,
    /// The organization that has the host; null = the installation.
    pub organization_id: Option<String>,
    pub created_at: DateTimeUtc,
}
