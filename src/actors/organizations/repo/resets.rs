//! Permissions to set a new password.

use sea_orm::{Condition, prelude::*};

use crate::{
    actors::digest::Digest,
    clock::from_ms,
    entities::{
        self,
        password_reset::{self, COLUMN, Entity},
    },
    ids::UserId,
};

/// Stores a permission with the times from and until which it is valid.
pub(crate) async fn insert(
    db: &impl ConnectionTrait,
    user: &UserId,
    token: Digest,
    (from, until): (i64, i64),
) -> Result<(), DbErr> {
    let row = password_reset::Model {
        token_hash: token.to_hex(),
        user_id: user.to_string(),
        created_at: from_ms(from),
        expires_at: from_ms(until),
    };
    entities::insert(db, password_reset::ActiveModel::from(row).reset_all()).await
}

pub(crate) async fn count(db: &impl ConnectionTrait, user: &UserId) -> Result<u64, DbErr> {
    Entity::find()
        .filter(COLUMN.user_id.eq(user.as_str()))
        .count(db)
        .await
}

/// Whose password a token may set at this time.
pub(crate) async fn find_user(
    db: &impl ConnectionTrait,
    token: Digest,
    now_ms: i64,
) -> Result<Option<UserId>, DbErr> {
    let row = Entity::find()
        .filter(is_valid(token, now_ms))
        .one(db)
        .await?;
    Ok(row.map(|row| row.user_id.into()))
}

/// Uses a token up. Whether it was valid: of many at once, one succeeds.
pub(crate) async fn take(
    db: &impl ConnectionTrait,
    token: Digest,
    now_ms: i64,
) -> Result<bool, DbErr> {
    let taken = Entity::delete_many()
        .filter(is_valid(token, now_ms))
        .exec(db);
    Ok(taken.await?.rows_affected == 1)
}

/// Takes back all of a person's.
pub(crate) async fn forget(db: &impl ConnectionTrait, user: &UserId) -> Result<(), DbErr> {
    Entity::delete_many()
        .filter(COLUMN.user_id.eq(user.as_str()))
        .exec(db)
        .await?;
    Ok(())
}

/// Deletes what is not valid any more.
pub(crate) async fn forget_expired(db: &impl ConnectionTrait, now_ms: i64) -> Result<(), DbErr> {
    Entity::delete_many()
        .filter(COLUMN.expires_at.lte(from_ms(now_ms)))
        .exec(db)
        .await?;
    Ok(())
}

fn is_valid(token: Digest, now_ms: i64) -> Condition {
    Condition::all()
        .add(COLUMN.token_hash.eq(token.to_hex()))
        .add(COLUMN.expires_at.gt(from_ms(now_ms)))
}
