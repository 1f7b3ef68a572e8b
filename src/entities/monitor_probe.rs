//! Table `monitor_probes`, written by the domain `monitors`: places from which monitors are checked.

use sea_orm::entity::prelude::*;

/// A probe. What changes with its requests is written without an epoch.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "monitor_probes")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    pub name: String,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// Millionths of a degree, as the longitude.
    pub latitude: Option<i32>,
    pub longitude: Option<i32>,
    /// SHA-256 of the token.
    pub digest: String,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub revoked_at: Option<DateTimeUtc>,
    /// Written every ten seconds at most.
    pub last_seen_at: Option<DateTimeUtc>,
    /// Since when owners know that it does not report.
    pub silent_since: Option<DateTimeUtc>,
    /// The version of its program.
    pub version: Option<String>,
    /// What its program calls the machine.
    pub host: Option<String>,
    /// The spool that its reports come from.
    pub spool: Option<String>,
    /// The last report of that spool which was stored.
    pub acknowledged: i64,
    /// How many reports were stored, of all spools.
    pub received: i64,
    /// How many reports its spool had to drop.
    pub lost: i64,
}
