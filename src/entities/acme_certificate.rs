//! Table `acme_certificates`, written by `actors::certificates`.

use sea_orm::entity::prelude::*;

/// A host with its certificate, or with why there is none.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "acme_certificates")]
pub struct Model {
    /// The host.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Grows with every write of the table.
    pub version: i64,
    /// Chain and key, sealed with a key of the installation.
    pub sealed: Option<Vec<u8>>,
    /// Whose certificate it is.
    pub authority: Option<String>,
    pub begins_at: Option<DateTimeUtc>,
    pub ends_at: Option<DateTimeUtc>,
    pub renew_at: Option<DateTimeUtc>,
    /// When the authority is asked again when to renew; null = it doesn't say.
    pub check_at: Option<DateTimeUtc>,
    /// Attempts since the last certificate.
    pub failures: i32,
    /// No attempt is made before.
    pub next_try_at: Option<DateTimeUtc>,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// When the host was removed.
    pub removed_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}
