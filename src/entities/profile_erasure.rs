//! Table `profile_erasures`, written by the domain `profiles`.

use sea_orm::entity::prelude::*;

/// A person to be erased whose events are not erased yet.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "profile_erasures")]
pub struct Model {
    /// The website's number.
    #[sea_orm(primary_key, auto_increment = false)]
    pub website: i64,
    /// The website's own id of the person.
    #[sea_orm(primary_key, auto_increment = false)]
    pub profile_id: String,
    /// The visitors that the person is, as JSON.
    pub visitors: String,
    /// The website's owner, in whose log the receipt goes.
    pub organization_id: String,
    pub asked_at: DateTimeUtc,
}
