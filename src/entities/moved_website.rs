//! Table `moved_websites`, written by the domain `websites`.

use sea_orm::entity::prelude::*;

/// A website that has changed hands, and one of those it belonged to before.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "moved_websites")]
pub struct Model {
    /// The website's number in event rows.
    #[sea_orm(primary_key, auto_increment = false)]
    pub website: i64,
    /// The number of the organization that its earlier events carry.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization: i64,
    /// When it went from there.
    pub moved_at: DateTimeUtc,
}
