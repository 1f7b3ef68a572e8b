//! What owners and admins may read: the entries of their organization, the latest first; and the way in for changes that are done.

use sea_orm::{QuerySelect, QueryTrait, prelude::*};
use serde_json::Value;

use super::{Entry, record};
use crate::{
    access::OrganizationAccess,
    actors::error::CommonError,
    entities::audit_entry,
    store::{StateDb, StateError},
};

/// The read side of the audit log; cheap to clone.
#[derive(Debug, Clone)]
pub struct AuditLog {
    db: StateDb,
}

/// Which entries are wanted; what is not named does not matter.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only entries before this place of the chain.
    pub before: Option<i64>,
    pub action: Option<String>,
    /// Only what this person or key did.
    pub actor: Option<String>,
    /// Only what was done to this.
    pub target: Option<String>,
    pub from_ms: Option<i64>,
    pub to_ms: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its place in the organization's chain, from 1.
    pub seq: i64,
    pub at_ms: i64,
    /// `user`, `key`, `system` or `anonymous`.
    pub actor: String,
    /// The id of the person or key.
    pub actor_id: Option<String>,
    /// What was done, such as `key.revoke`.
    pub action: String,
    /// What it was done to, such as `key`.
    pub target: String,
    pub target_id: String,
    pub details: Value,
    pub previous: String,
    pub hash: String,
}

/// When the last entry of all organizations was written, Unix milliseconds.
pub async fn last_written(db: &StateDb) -> Result<Option<i64>, StateError> {
    let last = audit_entry::Entity::find()
        .select_only()
        .column_as(audit_entry::Column::AtMs.max(), "at_ms");
    let last: Option<Option<i64>> = last.into_tuple().one(db.reader()).await?;
    Ok(last.flatten())
}

impl AuditLog {
    pub fn new(db: StateDb) -> Self {
        Self { db }
    }

    /// Adds an entry about a change that is done.
    ///
    /// # Errors
    /// The database is away, or the write's outcome is unknown.
    pub async fn append(&self, at_ms: i64, entry: Entry) -> Result<(), StateError> {
        let write = self.db.begin().await?;
        record(&write, at_ms, entry).await?;
        write.commit().await
    }

    /// At most `limit` entries of the organization, the latest first.
    pub async fn list(
        &self,
        access: &OrganizationAccess,
        filter: &Filter,
        limit: u64,
    ) -> Result<Vec<AuditRecord>, CommonError> {
        let entries = audit_entry::COLUMN;
        let (action, actor, target) = (&filter.action, &filter.actor, &filter.target);
        let rows = audit_entry::Entity::within(access.organization())
            .apply_if(filter.before, |rows, seq| rows.filter(entries.seq.lt(seq)))
            .apply_if(action.as_ref(), |rows, action| {
                rows.filter(entries.action.eq(action))
            })
            .apply_if(actor.as_ref(), |rows, id| {
                rows.filter(entries.actor_id.eq(id))
            })
            .apply_if(target.as_ref(), |rows, id| {
                rows.filter(entries.target_id.eq(id))
            })
            .apply_if(filter.from_ms, |rows, ms| {
                rows.filter(entries.at_ms.gte(ms))
            })
            .apply_if(filter.to_ms, |rows, ms| rows.filter(entries.at_ms.lt(ms)))
            .limit(limit)
            .all(self.db.reader())
            .await?;
        Ok(rows.into_iter().map(AuditRecord::from).collect())
    }
}

impl From<audit_entry::Model> for AuditRecord {
    fn from(row: audit_entry::Model) -> Self {
        Self {
            seq: row.seq,
            at_ms: row.at_ms,
            actor: row.actor,
            actor_id: Some(row.actor_id).filter(|id| !id.is_empty()),
            action: row.action,
            target: row.target,
            target_id: row.target_id,
            // A damaged text is shown as it is: the chain shows that it is damaged.
            details: serde_json::from_str(&row.details).unwrap_or(Value::String(row.details)),
            previous: row.previous,
            hash: row.hash,
        }
    }
}
