//! The table of subscribers.

use std::collections::BTreeSet;

use sea_orm::{ActiveValue::Set, QueryOrder, prelude::*};

use super::{
    Contact, Subscriber, SubscriberKind,
    vault::{SealedContact, Vault},
};
use crate::{
    actors::{
        delivery::forget_about,
        status_pages::{StatusPageError, StatusPagesEnv},
        subscription_links::GOOD_MS,
    },
    clock::from_ms,
    entities::{
        self,
        status_page_subscriber::{self as row, COLUMN, Entity},
    },
    ids::{StatusPageId, SubscriberId},
    locale::Language,
    store::state::Write,
};

/// What the keys of all deliveries to subscribers begin with.
pub(in super::super) const KEYS: &str = "page:";

/// The prefix of the keys of all deliveries of a page.
pub(in super::super) fn page_prefix(page: &StatusPageId) -> String {
    format!("{KEYS}{page}:")
}

/// The prefix of the keys of all deliveries to a subscriber.
pub(in super::super) fn subscriber_prefix(page: &StatusPageId, id: &SubscriberId) -> String {
    format!("{KEYS}{page}:{id}:")
}

fn parse_ids(text: Option<String>) -> Option<Vec<String>> {
    serde_json::from_str(&text?).ok()
}

fn to_json(list: Option<&Vec<String>>) -> Option<String> {
    list.map(|list| serde_json::json!(list).to_string())
}

/// `None` if the row cannot be read.
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
        language: Language::parse(&row.language).unwrap_or_default(),
        secret: sealed.secret,
        components: parse_ids(row.components),
        wanted: parse_ids(row.wanted),
        asked_ms: row.asked_at.timestamp_millis(),
        confirmed_ms: row.confirmed_at.map(|at| at.timestamp_millis()),
        created_ms: row.created_at.timestamp_millis(),
    })
}

/// The subscribers of a page, oldest first.
pub(in super::super) async fn list(
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

/// The number of confirmed subscribers.
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
    let row = entities::find::<Entity>(db, id.as_str()).await?;
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
        .filter(COLUMN.finding.eq(vault.contact_key(page, contact)))
        .one(db)
        .await?;
    Ok(row.and_then(|row| read(vault, row)))
}

/// Writes a subscriber, new or changed.
pub(in super::super) async fn put(
    vault: &Vault,
    db: &impl ConnectionTrait,
    one: &Subscriber,
) -> Result<(), StatusPageError> {
    let sealed = SealedContact {
        address: one.contact.address.clone(),
        secret: one.secret.clone(),
    };
    let row = row::ActiveModel {
        id: Set(one.id.to_string()),
        page_id: Set(one.page.to_string()),
        kind: Set(one.contact.kind.as_str().to_owned()),
        finding: Set(vault.contact_key(&one.page, &one.contact)),
        sealed: Set(vault.close(&one.id, &sealed)?),
        language: Set(one.language.code().to_owned()),
        components: Set(to_json(one.components.as_ref())),
        wanted: Set(to_json(one.wanted.as_ref())),
        asked_at: Set(from_ms(one.asked_ms)),
        confirmed_at: Set(one.confirmed_ms.map(from_ms)),
        created_at: Set(from_ms(one.created_ms)),
    };
    // Replaces a row of this address that cannot be read.
    Entity::delete_many()
        .filter(COLUMN.page_id.eq(one.page.as_str()))
        .filter(
            COLUMN
                .finding
                .eq(vault.contact_key(&one.page, &one.contact)),
        )
        .exec(db)
        .await?;
    Ok(entities::insert(db, row).await?)
}

/// Deletes a subscriber with its pending messages.
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
    forget_about(write, &subscriber_prefix(page, id)).await
}

/// Deletes subscribers that were not confirmed in time.
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

/// Deletes subscribers whose receivers answered 410, by the keys of deliveries.
pub(in super::super) async fn forget_gone(
    env: &StatusPagesEnv,
    keys: Vec<String>,
) -> Result<(), StatusPageError> {
    let id = |key: &String| Some(key.strip_prefix(KEYS)?.split(':').nth(1)?.to_owned());
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
