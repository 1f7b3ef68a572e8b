//! Table `website_protocols`, written by the domain `websites`.

use sea_orm::entity::prelude::*;

/// An id under which clients of another product send events for a website, as stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "website_protocols")]
pub struct Model {
    /// Which protocol the clients speak.
    #[sea_orm(primary_key, auto_increment = false)]
    pub protocol: String,
    /// What they send; one website of the installation has it.
    #[sea_orm(primary_key, auto_increment = false)]
    pub external_id: String,
    pub website_id: String,
    /// SHA-256 of what they have to send with it, in hex; without one they send the id alone.
    pub secret_hash: Option<String>,
}
