//! Second factors and backup codes.

use std::collections::HashSet;

use sea_orm::{ActiveValue::Set, prelude::*};

use super::passkeys;
use crate::{
    actors::organizations::SecondFactors,
    clock::from_ms,
    entities::{
        self, backup_code,
        second_factor::{self, COLUMN, Entity},
    },
    ids::UserId,
    store::state::Write,
};

/// A person's factor, confirmed or not.
pub(crate) async fn find(
    db: &impl ConnectionTrait,
    user: &UserId,
) -> Result<Option<second_factor::Model>, DbErr> {
    Entity::find_by_id(user.as_str()).one(db).await
}

/// A person's app, confirmed or not, and what they are asked for.
pub(crate) async fn read(
    db: &impl ConnectionTrait,
    user: &UserId,
) -> Result<(Option<second_factor::Model>, SecondFactors), DbErr> {
    let app = find(db, user).await?;
    let asked = SecondFactors {
        app: app.as_ref().is_some_and(|app| app.confirmed_at.is_some()),
        passkey: passkeys::count(db, user).await? > 0,
    };
    Ok((app, asked))
}

/// What a person is asked for.
pub(crate) async fn of_person(
    db: &impl ConnectionTrait,
    user: &UserId,
) -> Result<SecondFactors, DbErr> {
    Ok(read(db, user).await?.1)
}

/// Everybody who is asked for the code of an app.
pub(super) async fn all(db: &impl ConnectionTrait) -> Result<HashSet<String>, DbErr> {
    let rows = Entity::find()
        .filter(COLUMN.confirmed_at.is_not_null())
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|row| row.user_id).collect())
}

/// Stores a factor that does not count yet.
pub(crate) async fn insert(
    db: &impl ConnectionTrait,
    user: &UserId,
    sealed_secret: Vec<u8>,
    now_ms: i64,
) -> Result<(), DbErr> {
    let row = second_factor::ActiveModel {
        user_id: Set(user.to_string()),
        sealed_secret: Set(sealed_secret),
        last_step: Set(0),
        created_at: Set(from_ms(now_ms)),
        confirmed_at: Set(None),
    };
    entities::insert(db, row).await
}

/// Removes a person's app.
pub(crate) async fn delete_app(db: &impl ConnectionTrait, user: &UserId) -> Result<(), DbErr> {
    Entity::delete_by_id(user.as_str()).exec(db).await.map(drop)
}

/// Removes everything that a person is asked for after the password.
pub(crate) async fn delete_all(write: &Write, user: &UserId) -> Result<(), DbErr> {
    delete_app(&**write, user).await?;
    passkeys::delete_all(&**write, user).await?;
    settle(&**write, user).await.map(drop)
}

/// What a person is asked for after something was removed. Backup codes go with the last factor.
pub(crate) async fn settle(
    db: &impl ConnectionTrait,
    user: &UserId,
) -> Result<SecondFactors, DbErr> {
    let left = of_person(db, user).await?;
    if !left.any() {
        set_codes(db, user, Vec::new()).await?;
    }
    Ok(left)
}

/// Takes a time step, which makes the factor count. Whether it was later than all before it: of many at once, one succeeds.
pub(crate) async fn take_step(
    db: &impl ConnectionTrait,
    user: &UserId,
    step: i64,
    now_ms: i64,
) -> Result<bool, DbErr> {
    let taken = Entity::update_many()
        .col_expr(second_factor::Column::LastStep, Expr::value(step))
        .filter(COLUMN.user_id.eq(user.as_str()))
        .filter(COLUMN.last_step.lt(step))
        .exec(db)
        .await?;
    Entity::update_many()
        .col_expr(
            second_factor::Column::ConfirmedAt,
            Expr::value(from_ms(now_ms)),
        )
        .filter(COLUMN.user_id.eq(user.as_str()))
        .filter(COLUMN.confirmed_at.is_null())
        .exec(db)
        .await?;
    Ok(taken.rows_affected == 1)
}

/// Stores these backup codes in place of all that there are.
pub(crate) async fn set_codes(
    db: &impl ConnectionTrait,
    user: &UserId,
    hashes: Vec<String>,
) -> Result<(), DbErr> {
    backup_code::Entity::delete_many()
        .filter(backup_code::COLUMN.user_id.eq(user.as_str()))
        .exec(db)
        .await?;
    if hashes.is_empty() {
        return Ok(());
    }
    let row = |code_hash| backup_code::ActiveModel {
        code_hash: Set(code_hash),
        user_id: Set(user.to_string()),
    };
    backup_code::Entity::insert_many(hashes.into_iter().map(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Uses a backup code up. Whether it was there: of many at once, one succeeds.
pub(crate) async fn take_code(
    db: &impl ConnectionTrait,
    user: &UserId,
    hash: &str,
) -> Result<bool, DbErr> {
    let taken = backup_code::Entity::delete_many()
        .filter(backup_code::COLUMN.code_hash.eq(hash))
        .filter(backup_code::COLUMN.user_id.eq(user.as_str()))
        .exec(db)
        .await?;
    Ok(taken.rows_affected == 1)
}
