//! The table of subscribers.

use std::collections::BTreeSet;

use sea_orm::{ActiveValue::Set, QueryOrder, prelude::*};

use super::{
    Contact, Subscriber, SubscriberKind,
    vault::{GOOD_MS, Sealed, Vault},
};
use crate::{
    actors::{
        delivery::forget_about,
        status_pages::{StatusPageError, StatusPagesEnv},
    },
    clock::from_ms,
    entities::status_page_subscriber::{self as row, COLUMN, Entity},
    ids::{StatusPageId, SubscriberId},
    store::state::Write,
};

/// How the keys of everything begin that a page tells.
pub(in super::super) fn prefix(page: &StatusPageId) -> String {
    format!("page:{page}:")
}

/// How the keys of everything begin that a page tells one subscriber.
pub(in super::super) fn prefix_of(page: &StatusPageId, id: &SubscriberId) -> String {
    format!("page:{page}:{id}:")
}

fn list(text: Option<String>) -> Option<Vec<String>> {
    serde_json::from_str(&text?).ok()
}

fn text(list: Option<&Vec<String>>) -> Option<String> {
    list.map(|list| serde_json::json!(list).to_string())
}

/// A subscriber as stored; nothing when it cannot be read.
fn read(vault: &Vault, row: row::Model) -> Option<Subscriber> {
    let Some(sealed) = vault.open(&row.id, &row.sealed) else {
        tracing::error!(
            subscriber.id = row.id,
            "a subscriber is left out: it was sealed with another `instance.key`, or is damaged"
        );
        return None;
    };
    let kind = match row.kind.as_str() {
        "webhook" => SubscriberKind::Webhook,
        _ => SubscriberKind::Email,
    };
    Some(Subscriber {
        id: row.id.into(),
        page: row.page_id.into(),
        contact: Contact {
            kind,
            address: sealed.address,
        },
        secret: sealed.secret,
        components: list(row.components),
        wanted: list(row.wanted),
        asked_ms: row.asked_at.timestamp_millis(),
        confirmed_ms: row.confirmed_at.map(|at| at.timestamp_millis()),
        created_ms: row.created_at.timestamp_millis(),
    })
}

/// The subscribers of a page, those that were asked for first in front.
pub(in super::super) async fn of(
    vault: &Vault,
    db: &impl ConnectionTrait,
    page: &StatusPageId,
    only_confirmed: bool,
) -> Result<Vec<Subscriber>, DbErr> {
    let mut found = Entity::find().filter(COLUMN.page_id.eq(page.as_str()));
    if only_confirmed {
        found = found.filter(COLUMN.confirmed_at.is_not_null());
    }
    let rows = found.order_by_asc(COLUMN.id).all(db).await?;
    Ok(rows
        .into_iter()
        .filter_map(|row| read(vault, row))
        .collect())
}

/// How many subscribers of a page are told.
pub(in super::super) async fn count(
    db: &impl ConnectionTrait,
    page: &StatusPageId,
) -> Result<u64, DbErr> {
    let confirmed = Entity::find()
        .filter(COLUMN.page_id.eq(page.as_str()))
        .filter(COLUMN.confirmed_at.is_not_null());
    confirmed.count(db).await
}

pub(in super::super) async fn by_id(
    vault: &Vault,
    db: &impl ConnectionTrait,
    id: &SubscriberId,
) -> Result<Option<Subscriber>, DbErr> {
    let row = Entity::find_by_id(id.as_str().to_owned()).one(db).await?;
    Ok(row.and_then(|row| read(vault, row)))
}

pub(in super::super) async fn by_contact(
    vault: &Vault,
    db: &impl ConnectionTrait,
    page: &StatusPageId,
    contact: &Contact,
) -> Result<Option<Subscriber>, DbErr> {
    let row = Entity::find()
        .filter(COLUMN.page_id.eq(page.as_str()))
        .filter(COLUMN.finding.eq(vault.finding(page, contact)))
        .one(db)
        .await?;
    Ok(row.and_then(|row| read(vault, row)))
}

/// Writes a subscriber as it is from now on, whatever was there before.
pub(in super::super) async fn put(
    vault: &Vault,
    db: &impl ConnectionTrait,
    one: &Subscriber,
) -> Result<(), StatusPageError> {
    let sealed = Sealed {
        address: one.contact.address.clone(),
        secret: one.secret.clone(),
    };
    let row = row::ActiveModel {
        id: Set(one.id.to_string()),
        page_id: Set(one.page.to_string()),
        kind: Set(one.contact.kind.as_str().to_owned()),
        finding: Set(vault.finding(&one.page, &one.contact)),
        sealed: Set(vault.close(&one.id, &sealed)?),
        components: Set(text(one.components.as_ref())),
        wanted: Set(text(one.wanted.as_ref())),
        asked_at: Set(from_ms(one.asked_ms)),
        confirmed_at: Set(one.confirmed_ms.map(from_ms)),
        created_at: Set(from_ms(one.created_ms)),
    };
    // A row of this address that cannot be read any more makes room.
    Entity::delete_many()
        .filter(COLUMN.page_id.eq(one.page.as_str()))
        .filter(COLUMN.finding.eq(vault.finding(&one.page, &one.contact)))
        .exec(db)
        .await?;
    Entity::insert(row).exec_without_returning(db).await?;
    Ok(())
}

/// Deletes a subscriber with all that it has not been told yet.
pub(in super::super) async fn delete(
    write: &Write,
    page: &StatusPageId,
    id: &SubscriberId,
) -> Result<(), DbErr> {
    Entity::delete_many()
        .filter(COLUMN.id.eq(id.as_str()))
        .filter(COLUMN.page_id.eq(page.as_str()))
        .exec(&**write)
        .await?;
    forget_about(write, &prefix_of(page, id)).await
}

/// Deletes those that nobody confirmed in time.
pub(in super::super) async fn forget_stale(
    db: &impl ConnectionTrait,
    now_ms: i64,
) -> Result<(), DbErr> {
    Entity::delete_many()
        .filter(COLUMN.confirmed_at.is_null())
        .filter(COLUMN.asked_at.lt(from_ms(now_ms - GOOD_MS)))
        .exec(db)
        .await?;
    Ok(())
}

/// Deletes those whose receivers want nothing any more, by the keys of what they were sent.
pub(in super::super) async fn forget_gone(
    env: &StatusPagesEnv,
    keys: Vec<String>,
) -> Result<(), StatusPageError> {
    let id = |key: &String| Some(key.strip_prefix("page:")?.split(':').nth(1)?.to_owned());
    let named: BTreeSet<String> = keys.iter().filter_map(id).collect();
    if named.is_empty() {
        return Ok(());
    }
    let known = Entity::find().filter(COLUMN.id.is_in(named));
    let known = known.all(env.db.reader()).await?;
    if known.is_empty() {
        return Ok(());
    }
    let write = env.db.begin().await?;
    for row in known {
        tracing::warn!(
            subscriber.id = row.id,
            "a receiver wants no more messages of a status page"
        );
        Entity::delete_by_id(row.id).exec(&*write).await?;
    }
    write.commit().await?;
    Ok(())
}
