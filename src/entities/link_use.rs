//! Table `link_uses`, written by the domain `links`.

use sea_orm::entity::prelude::*;

/// How many clicks a link has that ends after some of them. Without a row they were not counted since the link has its cap.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "link_uses")]
pub struct Model {
    /// The link's number.
    #[sea_orm(primary_key, auto_increment = false)]
    pub link_key: i64,
    /// Clicks that count against the cap.
    pub clicks: i64,
}
