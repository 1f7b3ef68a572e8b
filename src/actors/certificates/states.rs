//! How the certificates of all hosts are doing, for who looks from outside of the server.

use sea_orm::{QuerySelect, prelude::*};

use super::CertificateError;
use crate::{entities::acme_certificate, store::StateDb};

/// A host that has a certificate, or waits for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostState {
    pub host: String,
    /// When its certificate ends, Unix milliseconds; `None` = it has none.
    pub ends_ms: Option<i64>,
    /// Why the last attempt failed.
    pub error: Option<String>,
}

/// All hosts that were not removed. No certificate is opened.
///
/// # Errors
/// The database is away.
pub async fn read_states(db: &StateDb) -> Result<Vec<HostState>, CertificateError> {
    let rows = acme_certificate::Entity::find()
        .filter(acme_certificate::COLUMN.removed_at.is_null())
        .select_only()
        .column(acme_certificate::Column::Id)
        .column(acme_certificate::Column::EndsAt)
        .column(acme_certificate::Column::Error)
        .into_tuple::<(String, Option<DateTimeUtc>, Option<String>)>()
        .all(db.reader())
        .await?;
    let state = |(host, ends, error): (_, Option<DateTimeUtc>, _)| HostState {
        host,
        ends_ms: ends.map(|end| end.timestamp_millis()),
        error,
    };
    Ok(rows.into_iter().map(state).collect())
}
