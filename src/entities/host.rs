//! Table `hosts`, written by the domain `hosts`.

use sea_orm::entity::prelude::*;

/// A host that an organization brings.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "hosts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    /// In lower case, unique in the organization.
    pub name: String,
    /// The name while it is verified; unique, so that one organization has it at a time.
    pub verified_name: Option<String>,
    /// What it serves: `links`, `status`, `tracker` or `share`.
    pub serves: String,
    /// The status page or the share link.
    pub subject: Option<String>,
    /// What can be changed, as JSON.
    pub fields: String,
    /// What the text record has to hold.
    pub token: String,
    /// By what it is verified: `text` or `address`.
    pub proof: Option<String>,
    /// What the last check found, as JSON.
    pub findings: Option<String>,
    pub checked_at: Option<DateTimeUtc>,
    /// Since when it has no proof, while it is verified; stays after it is lost.
    pub missing_since: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
}
