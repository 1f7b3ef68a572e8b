//! Passkeys, and the challenges that were answered.

use std::collections::HashSet;

use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect as _, prelude::*};

use crate::{
    actors::{
        digest::Digest,
        organizations::{Challenge, Passkey},
    },
    clock::from_ms,
    entities::{
        self,
        passkey::{self, COLUMN, Entity},
        spent_challenge,
    },
    ids::UserId,
    passkeys::PasskeyUse,
};

impl From<passkey::Model> for Passkey {
    fn from(row: passkey::Model) -> Self {
        Self {
            id: row.id,
            user: row.user_id.into(),
            name: row.name,
            credential_id: row.credential_id,
            credential: row.credential,
            counter: row.counter as u32,
            can_be_synced: row.can_be_synced,
            is_backed_up: row.is_backed_up,
            created_ms: row.created_at.timestamp_millis(),
            last_used_ms: row.last_used_at.map(|at| at.timestamp_millis()),
        }
    }
}

fn of_person(user: &UserId) -> Select<Entity> {
    Entity::find().filter(COLUMN.user_id.eq(user.as_str()))
}

/// A person's passkeys, oldest first.
pub(crate) async fn list(db: &impl ConnectionTrait, user: &UserId) -> Result<Vec<Passkey>, DbErr> {
    let rows = of_person(user)
        .order_by_asc(COLUMN.created_at)
        .order_by_asc(COLUMN.id);
    let rows = rows.all(db).await?;
    Ok(rows.into_iter().map(Passkey::from).collect())
}

pub(crate) async fn count(db: &impl ConnectionTrait, user: &UserId) -> Result<u64, DbErr> {
    of_person(user).count(db).await
}

/// Everybody who has one.
pub(super) async fn owners(db: &impl ConnectionTrait) -> Result<HashSet<String>, DbErr> {
    let owners = Entity::find()
        .select_only()
        .column(passkey::Column::UserId)
        .distinct();
    let owners: Vec<String> = owners.into_tuple().all(db).await?;
    Ok(owners.into_iter().collect())
}

/// A person's passkey with this ID.
pub(crate) async fn find(
    db: &impl ConnectionTrait,
    user: &UserId,
    id: &str,
) -> Result<Option<Passkey>, DbErr> {
    let row = of_person(user).filter(COLUMN.id.eq(id)).one(db).await?;
    Ok(row.map(Passkey::from))
}

/// The passkey whose authenticator calls it this.
pub(crate) async fn by_credential(
    db: &impl ConnectionTrait,
    credential_id: &str,
) -> Result<Option<Passkey>, DbErr> {
    let row = Entity::find()
        .filter(COLUMN.credential_id.eq(credential_id))
        .one(db)
        .await?;
    Ok(row.map(Passkey::from))
}

pub(crate) async fn insert(db: &impl ConnectionTrait, passkey: &Passkey) -> Result<(), DbErr> {
    let row = passkey::ActiveModel {
        id: Set(passkey.id.clone()),
        user_id: Set(passkey.user.to_string()),
        credential_id: Set(passkey.credential_id.clone()),
        name: Set(passkey.name.clone()),
        credential: Set(passkey.credential.clone()),
        counter: Set(passkey.counter.into()),
        can_be_synced: Set(passkey.can_be_synced),
        is_backed_up: Set(passkey.is_backed_up),
        created_at: Set(from_ms(passkey.created_ms)),
        last_used_at: Set(None),
    };
    entities::insert(db, row).await
}

pub(crate) async fn rename(db: &impl ConnectionTrait, id: &str, name: &str) -> Result<(), DbErr> {
    let row = passkey::ActiveModel {
        name: Set(name.to_owned()),
        ..Default::default()
    };
    entities::update(db, id, row).await.map(drop)
}

/// Notes a use, unless the authenticator counts no further than before. Whether it was noted: of two uses at once with one count,
/// one is.
pub(crate) async fn mark_used(
    db: &impl ConnectionTrait,
    id: &str,
    used: PasskeyUse,
    now_ms: i64,
) -> Result<bool, DbErr> {
    let counter = i64::from(used.counter);
    let row = passkey::ActiveModel {
        counter: Set(counter),
        is_backed_up: Set(used.is_backed_up),
        last_used_at: Set(Some(from_ms(now_ms))),
        ..Default::default()
    };
    let goes_on = match counter {
        0 => COLUMN.counter.eq(0_i64),
        counter => COLUMN.counter.lt(counter),
    };
    let marked = Entity::update_many()
        .set(row)
        .filter(COLUMN.id.eq(id))
        .filter(goes_on)
        .exec(db)
        .await?;
    Ok(marked.rows_affected == 1)
}

pub(crate) async fn delete(db: &impl ConnectionTrait, id: &str) -> Result<(), DbErr> {
    Entity::delete_by_id(id).exec(db).await.map(drop)
}

pub(crate) async fn delete_all(db: &impl ConnectionTrait, user: &UserId) -> Result<(), DbErr> {
    Entity::delete_many()
        .filter(COLUMN.user_id.eq(user.as_str()))
        .exec(db)
        .await
        .map(drop)
}

/// Uses a challenge up, and forgets those that are over. Whether it was there: of many at once, one succeeds.
pub(crate) async fn spend(
    db: &impl ConnectionTrait,
    challenge: &Challenge,
    now_ms: i64,
) -> Result<bool, DbErr> {
    if now_ms >= challenge.until_ms {
        return Ok(false);
    }
    spent_challenge::Entity::delete_many()
        .filter(spent_challenge::COLUMN.expires_at.lte(from_ms(now_ms)))
        .exec(db)
        .await?;
    let row = spent_challenge::ActiveModel {
        digest: Set(Digest::from_secret(&challenge.text).to_hex()),
        expires_at: Set(from_ms(challenge.until_ms)),
    };
    entities::insert_if_absent(db, row, [spent_challenge::Column::Digest]).await
}
