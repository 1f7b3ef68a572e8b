//! Making the tables and bringing them up to date.

use std::time::Duration;

use super::{
    ClickHouse, Failure, Schema,
    schema::{TABLE, VERSIONS},
};
use crate::events::versions::SCHEMA;

/// How long a change of the tables may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// Why the tables are not what they have to be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MigrateError {
    /// The engine does not answer, or refuses.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// A later program has been there.
    #[error(
        "the tables in ClickHouse have version {0}, and this program knows versions up to {SCHEMA}: a later pharos made them"
    )]
    Newer(i32),
}

impl ClickHouse {
    /// Makes the tables of this version. Every statement is harmless when another process has run it before.
    ///
    /// # Errors
    /// They cannot be made, or a later version made them.
    pub async fn migrate(&self) -> Result<(), MigrateError> {
        let found = self.version().await?;
        if let Some(newer) = found.filter(|found| *found > SCHEMA) {
            return Err(MigrateError::Newer(newer));
        }
        if found == Some(SCHEMA) {
            return Ok(());
        }
        for statement in self.0.schema.creation() {
            self.tell(&statement, PATIENCE).await?;
        }
        for statement in found.map_or_else(Vec::new, |found| self.0.schema.upgrade(found)) {
            self.tell(&statement, PATIENCE).await?;
        }
        self.tell(&Schema::noted(), PATIENCE).await?;
        tracing::info!(
            table = TABLE,
            version = SCHEMA,
            "the tables in ClickHouse are ready"
        );
        Ok(())
    }

    /// The version of the tables; `None` when there are none.
    pub async fn version(&self) -> Result<Option<i32>, Failure> {
        let exists = self
            .tell(&format!("EXISTS TABLE {VERSIONS}"), PATIENCE)
            .await?;
        if exists.trim_ascii() != b"1" {
            return Ok(None);
        }
        let newest = format!("SELECT max(version) FROM {VERSIONS}");
        let newest = self.tell(&newest, PATIENCE).await?;
        let newest = std::str::from_utf8(newest.trim_ascii()).ok();
        let newest = newest.and_then(|text| text.parse().ok());
        // A table that was made and not filled yet.
        Ok(newest.filter(|version| *version > 0))
    }
}
