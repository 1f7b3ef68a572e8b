//! The only way into the log, and the one question about all of it.

use sea_orm::{ActiveValue::Set, QuerySelect, prelude::*};

use super::{Action, Entry, chain};
use crate::{
    entities::{self, audit_entry, audit_head},
    store::state::Write,
};

/// Adds an entry to its organization's chain in the transaction of the change: both happen or neither does. Gives its
/// place in the chain, from 1.
///
/// # Errors
/// The entry could not be stored. The caller must not commit then; dropping the transaction takes everything back.
pub async fn record(write: &Write, at_ms: i64, entry: Entry) -> Result<i64, DbErr> {
    let chain = entry
        .organization
        .as_ref()
        .map_or("", |organization| organization.as_str());
    let head = head(write, chain).await?;
    let (actor, actor_id) = entry.actor.parts();
    let mut row = audit_entry::Model {
        chain: chain.to_owned(),
        seq: head.seq + 1,
        at_ms,
        actor: actor.to_owned(),
        actor_id: actor_id.to_owned(),
        action: entry.action.to_string(),
        target: entry.kind().to_owned(),
        details: entry.all_details().to_string(),
        target_id: entry.target,
        previous: head.hash,
        hash: String::new(),
    };
    row.hash = chain::hash(&row);
    let next = audit_head::ActiveModel {
        chain: Set(row.chain.clone()),
        seq: Set(row.seq),
        hash: Set(row.hash.clone()),
    };
    entities::insert(&**write, audit_entry::ActiveModel::from(row).reset_all()).await?;
    audit_head::Entity::update(next)
        .exec(&**write)
        .await
        .map(|_| head.seq + 1)
}

/// Whether something like this was ever done, in any organization.
pub async fn was_done(db: &impl ConnectionTrait, action: Action) -> Result<bool, DbErr> {
    let entries = audit_entry::Entity::find();
    let like_this = entries.filter(audit_entry::COLUMN.action.eq(action.as_str()));
    Ok(like_this.one(db).await?.is_some())
}

/// The end of a chain, locked until the transaction ends: two processes cannot both continue it.
async fn head(write: &Write, chain: &str) -> Result<audit_head::Model, DbErr> {
    let beginning = audit_head::ActiveModel {
        chain: Set(chain.to_owned()),
        seq: Set(0),
        hash: Set(chain::GENESIS.to_owned()),
    };
    entities::insert_if_absent(&**write, beginning, [audit_head::Column::Chain]).await?;
    let head = audit_head::Entity::find_by_id(chain)
        .lock_exclusive()
        .one(&**write)
        .await?;
    head.ok_or_else(|| DbErr::RecordNotFound("end of an audit chain".to_owned()))
}
