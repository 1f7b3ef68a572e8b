//! What is left of a deleted link: its clicks, until its days of grace are over.
//!
//! The link's row goes at once, so that its slug is free. A row in `deleted_links` remembers whose clicks have to be erased, and
//! goes together with the receipt in the audit log.

use actix::{Context, Handler};
use sea_orm::{ActiveValue::Set, prelude::*};

use super::{DueForErasure, ErasedLink, Link, LinkError, Links, ReceiptForLinks};
use crate::{
    actors::{
        audit::{self, Action, Actor, Entry},
        kit::{Live, Reply, commit},
    },
    clock::from_ms,
    entities::deleted_link,
    ids::{LinkId, WebsiteKey},
};

/// For how long the clicks of a deleted link stay.
const GRACE_MS: i64 = 7 * 86_400_000;

impl Handler<DueForErasure> for Live<Links> {
    type Result = Reply<Links, Vec<ErasedLink>, LinkError>;

    fn handle(&mut self, _: DueForErasure, _: &mut Context<Self>) -> Self::Result {
        let env = self.env().clone();
        let due = async move {
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
        };
        commit(due, |_: &mut Links, due| due)
    }
}

impl Handler<ReceiptForLinks> for Live<Links> {
    type Result = Reply<Links, (), LinkError>;

    fn handle(&mut self, message: ReceiptForLinks, _: &mut Context<Self>) -> Self::Result {
        let env = self.env().clone();
        let io = async move {
            let write = env.db.begin().await?;
            for link in message.links {
                let gone = deleted_link::Entity::delete_by_id(link.id.to_string())
                    .exec(&*write)
                    .await?;
                if gone.rows_affected > 0 {
                    let (owner, id) = (Some(link.organization), link.id.to_string());
                    let receipt = Entry::new(owner, Actor::System, Action::LinkErase, id);
                    audit::record(&write, env.clock.now_ms(), receipt).await?;
                }
            }
            Ok(write.commit().await?)
        };
        commit(io, |_: &mut Links, ()| ())
    }
}

/// Remembers that the clicks of a link have to go.
pub(super) async fn remember(
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
    deleted_link::Entity::insert(row)
        .exec_without_returning(db)
        .await?;
    Ok(())
}
