//! Erasure of the clicks of deleted links, after their days of grace.
//!
//! The link's row goes at once, which frees its slug. A row in `deleted_links` keeps the owner of the clicks, and goes together
//! with the receipt in the audit log.

use sea_orm::{ActiveValue::Set, prelude::*};

use super::{DueForErasure, ErasedLink, Link, LinkError, Links, LinksEnv, ReceiptForLinks};
use crate::{
    actors::{
        audit::{self, Action, Actor, Entry},
        kit::handlers,
    },
    clock::from_ms,
    entities::{self, deleted_link},
    ids::{LinkId, WebsiteKey},
};

/// How long the clicks of a deleted link stay.
const GRACE_MS: i64 = 7 * 86_400_000;

handlers! { Links:
    commit DueForErasure => find_due;
    commit ReceiptForLinks => write_receipts;
}

async fn find_due(env: LinksEnv, _: DueForErasure) -> Result<Vec<ErasedLink>, LinkError> {
    let until = from_ms(env.clock.now_ms() - GRACE_MS);
    let rows = deleted_link::Entity::find()
        .filter(deleted_link::COLUMN.deleted_at.lte(until))
        .all(env.db.reader())
        .await?;
    let due = rows.into_iter().map(|row| ErasedLink {
        id: LinkId::from(row.id),
        key: WebsiteKey(row.key),
        organization: row.organization_id.into(),
    });
    Ok(due.collect())
}

async fn write_receipts(env: LinksEnv, message: ReceiptForLinks) -> Result<(), LinkError> {
    let write = env.db.begin().await?;
    for link in message.links {
        if entities::delete::<deleted_link::Entity>(&*write, link.id.as_str()).await? {
            let (owner, id) = (Some(link.organization), link.id.to_string());
            let receipt = Entry::new(owner, Actor::System, Action::LinkErase, id);
            audit::record(&write, env.clock.now_ms(), receipt).await?;
        }
    }
    Ok(write.commit().await?)
}

/// Notes that the clicks of a link have to be erased.
pub(super) async fn insert_deleted(
    db: &impl ConnectionTrait,
    link: &Link,
    now_ms: i64,
) -> Result<(), LinkError> {
    let row = deleted_link::ActiveModel {
        id: Set(link.id.to_string()),
        key: Set(link.key.0),
        organization_id: Set(link.organization.to_string()),
        deleted_at: Set(from_ms(now_ms)),
    };
    Ok(entities::insert(db, row).await?)
}
