//! Accounts.

use sea_orm::{ActiveValue::Set, prelude::*};

use super::{identities, passkeys};
use crate::{
    access::Member,
    actors::organizations::{Person, SecondFactors},
    clock::from_ms,
    entities::{self, invitation, user},
    ids::UserId,
    locale::Language,
};

#[derive(Debug)]
pub(crate) struct Credentials {
    pub(crate) user: UserId,
    /// Argon2id in PHC form; empty = there is no password.
    pub(crate) hash: String,
    /// Whether it counts everywhere.
    pub(crate) break_glass: bool,
    pub(crate) set_ms: i64,
}

impl From<user::Model> for Credentials {
    fn from(row: user::Model) -> Self {
        Self {
            set_ms: password_set_ms(&row),
            user: row.id.into(),
            hash: row.password_hash,
            break_glass: row.break_glass,
        }
    }
}

fn password_set_ms(row: &user::Model) -> i64 {
    let at = row.password_changed_at.unwrap_or(row.created_at);
    at.timestamp_millis()
}

pub(crate) async fn by_email(
    db: &impl ConnectionTrait,
    account: &str,
) -> Result<Option<Credentials>, DbErr> {
    let row = user::Entity::find()
        .filter(user::COLUMN.email.eq(account))
        .one(db)
        .await?;
    Ok(row.map(Credentials::from))
}

pub(crate) async fn by_id(
    db: &impl ConnectionTrait,
    user: &UserId,
) -> Result<Option<Credentials>, DbErr> {
    let row = user::Entity::find_by_id(user.as_str()).one(db).await?;
    Ok(row.map(Credentials::from))
}

/// Whether a person can sign in: with a password, at a provider or with a passkey.
pub(crate) async fn has_way_in(db: &impl ConnectionTrait, user: &UserId) -> Result<bool, DbErr> {
    let known = by_id(db, user).await?;
    Ok(known.is_some_and(|known| !known.hash.is_empty())
        || !identities::list(db, user).await?.is_empty()
        || passkeys::count(db, user).await? > 0)
}

pub(crate) async fn insert(db: &impl ConnectionTrait, user: user::Model) -> Result<(), DbErr> {
    entities::insert(db, user::ActiveModel::from(user).reset_all()).await
}

pub(crate) async fn set_password(
    db: &impl ConnectionTrait,
    user: &UserId,
    hash: &str,
    now_ms: i64,
) -> Result<(), DbErr> {
    let row = user::ActiveModel {
        password_hash: Set(hash.to_owned()),
        password_changed_at: Set(Some(from_ms(now_ms))),
        updated_at: Set(from_ms(now_ms)),
        ..Default::default()
    };
    entities::update(db, user.as_str(), row).await.map(drop)
}

/// Stores the same password under another cost, unless it was changed meanwhile.
pub(crate) async fn rehash(
    db: &impl ConnectionTrait,
    old: &Credentials,
    hash: &str,
) -> Result<(), DbErr> {
    user::Entity::update_many()
        .col_expr(user::Column::PasswordHash, Expr::value(hash))
        .filter(user::COLUMN.id.eq(old.user.as_str()))
        .filter(user::COLUMN.password_hash.eq(old.hash.as_str()))
        .exec(db)
        .await?;
    Ok(())
}

pub(crate) async fn rename(
    db: &impl ConnectionTrait,
    user: &UserId,
    name: &str,
    now_ms: i64,
) -> Result<(), DbErr> {
    let row = user::ActiveModel {
        name: Set(name.to_owned()),
        updated_at: Set(from_ms(now_ms)),
        ..Default::default()
    };
    entities::update(db, user.as_str(), row).await.map(drop)
}

pub(crate) async fn set_language(
    db: &impl ConnectionTrait,
    user: &UserId,
    language: Option<Language>,
    now_ms: i64,
) -> Result<(), DbErr> {
    let row = user::ActiveModel {
        language: Set(language.map(|language| language.code().to_owned())),
        updated_at: Set(from_ms(now_ms)),
        ..Default::default()
    };
    entities::update(db, user.as_str(), row).await.map(drop)
}

pub(crate) async fn set_break_glass(
    db: &impl ConnectionTrait,
    user: &UserId,
    break_glass: bool,
) -> Result<(), DbErr> {
    let row = user::ActiveModel {
        break_glass: Set(break_glass),
        ..Default::default()
    };
    entities::update(db, user.as_str(), row).await.map(drop)
}

/// The people whose password counts everywhere.
pub(crate) async fn list_break_glass(db: &impl ConnectionTrait) -> Result<Vec<UserId>, DbErr> {
    let rows = user::Entity::find().filter(user::COLUMN.break_glass.eq(true));
    let ids = rows.all(db).await?.into_iter().map(|row| row.id.into());
    Ok(ids.collect())
}

/// Stores that an address is known to be the person's.
pub(crate) async fn set_verified(db: &impl ConnectionTrait, user: &UserId) -> Result<(), DbErr> {
    let row = user::ActiveModel {
        email_verified: Set(true),
        ..Default::default()
    };
    entities::update(db, user.as_str(), row).await.map(drop)
}

/// Removes an account with its memberships, sessions, second factors and everything else that is only the person's: invitations to
/// the address and what identity providers say of it too. Those that the person has sent stay, without their name.
pub(crate) async fn delete(db: &impl ConnectionTrait, user: &UserId) -> Result<(), DbErr> {
    if let Some(row) = user::Entity::find_by_id(user.as_str()).one(db).await? {
        invitation::Entity::delete_many()
            .filter(invitation::COLUMN.email.eq(row.email.as_str()))
            .exec(db)
            .await?;
        super::scim::forget_account(db, &row.email).await?;
    }
    invitation::Entity::update_many()
        .col_expr(
            invitation::Column::InviterId,
            Expr::value(Option::<String>::None),
        )
        .filter(invitation::COLUMN.inviter_id.eq(user.as_str()))
        .exec(db)
        .await?;
    user::Entity::delete_by_id(user.as_str()).exec(db).await?;
    Ok(())
}

/// When each password was last changed after `since_ms`, by another process too.
pub(crate) async fn changed_passwords(
    db: &impl ConnectionTrait,
    since_ms: i64,
) -> Result<Vec<(UserId, i64)>, DbErr> {
    let rows = user::Entity::find()
        .filter(user::COLUMN.password_changed_at.gt(from_ms(since_ms)))
        .all(db)
        .await?;
    let changed = rows.into_iter().map(Credentials::from);
    Ok(changed.map(|row| (row.user, row.set_ms)).collect())
}

pub(crate) fn person(
    row: user::Model,
    memberships: Vec<Member>,
    second_factors: SecondFactors,
) -> Person {
    Person {
        password_set_ms: password_set_ms(&row),
        id: row.id.into(),
        email: row.email,
        email_verified: row.email_verified,
        name: row.name,
        language: row.language.as_deref().and_then(Language::parse),
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
        second_factors,
        break_glass: row.break_glass,
        memberships,
    }
}
