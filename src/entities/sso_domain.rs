//! Table `sso_domains`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

/// A domain that an organization says is its own.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sso_domains")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    /// In lower case, unique in the organization.
    pub name: String,
    /// What the text record has to hold.
    pub token: String,
    /// The name while it is verified; unique, so that one organization has it at a time.
    pub verified_name: Option<String>,
    /// What the last check found, as JSON.
    pub outcome: Option<String>,
    pub checked_at: Option<DateTimeUtc>,
    /// Since when the record of a verified domain is missing; stays after the domain is lost.
    pub missing_since: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
}
