//! Table `audit_entries`, filled only by `audit::record`, inside the transaction of the change.

use sea_orm::{QueryOrder, entity::prelude::*};

use crate::ids::OrganizationId;

/// One change. Entries are never changed or deleted; the database refuses both.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_entries")]
pub struct Model {
    /// The organization whose chain it is in; empty for what concerns none.
    #[sea_orm(primary_key, auto_increment = false)]
    pub chain: String,
    /// Its place in the chain, from 1.
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    /// When, Unix milliseconds.
    pub at_ms: i64,
    /// `user`, `key`, `system` or `anonymous`.
    pub actor: String,
    /// The person's or the key's id; empty for the others.
    pub actor_id: String,
    /// What was done, such as `key.revoke`.
    pub action: String,
    /// What it was done to, such as `key`.
    pub target: String,
    pub target_id: String,
    /// What else is worth knowing: a JSON object.
    pub details: String,
    /// Hash of the entry before it, in hex; 64 zeros at the beginning.
    pub previous: String,
    /// Hash of this entry and the one before it, in hex.
    pub hash: String,
}

impl Entity {
    /// The tenant door: what was done in one organization, the latest first.
    pub fn within(organization: &OrganizationId) -> Select<Self> {
        Self::find()
            .filter(COLUMN.chain.eq(organization.as_str()))
            .order_by_desc(COLUMN.seq)
    }
}
