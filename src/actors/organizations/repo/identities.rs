//! Accounts of people at providers.

use sea_orm::{ActiveValue::Set, QueryOrder, prelude::*};

use crate::{
    actors::organizations::{LinkedIdentity, ProvenIdentity},
    clock::from_ms,
    entities::{self, identity},
    ids::UserId,
};

impl From<identity::Model> for LinkedIdentity {
    fn from(row: identity::Model) -> Self {
        Self {
            id: row.id,
            provider: row.provider,
            created_ms: row.created_at.timestamp_millis(),
            last_used_ms: row.last_used_at.timestamp_millis(),
        }
    }
}

/// Whose account it is at the provider, with the ID of the link.
pub(crate) async fn find(
    db: &impl ConnectionTrait,
    proven: &ProvenIdentity,
) -> Result<Option<(String, UserId)>, DbErr> {
    let (issuer, subject) = (&proven.issuer, &proven.identity.subject);
    let row = by_subject(&proven.provider, issuer, subject)
        .one(db)
        .await?;
    Ok(row.map(|row| (row.id, row.user_id.into())))
}

fn by_subject(provider: &str, issuer: &str, subject: &str) -> Select<identity::Entity> {
    identity::Entity::find()
        .filter(identity::COLUMN.provider.eq(provider))
        .filter(identity::COLUMN.issuer.eq(issuer))
        .filter(identity::COLUMN.subject.eq(subject))
}

/// Whose account a subject of a provider is.
pub(crate) async fn find_user(
    db: &impl ConnectionTrait,
    (provider, issuer, subject): (&str, &str, &str),
) -> Result<Option<UserId>, DbErr> {
    let row = by_subject(provider, issuer, subject).one(db).await?;
    Ok(row.map(|row| row.user_id.into()))
}

/// A person's links, oldest first.
pub(crate) async fn list(
    db: &impl ConnectionTrait,
    user: &UserId,
) -> Result<Vec<LinkedIdentity>, DbErr> {
    let rows = identity::Entity::find()
        .filter(identity::COLUMN.user_id.eq(user.as_str()))
        .order_by_asc(identity::COLUMN.created_at)
        .order_by_asc(identity::COLUMN.id);
    let rows = rows.all(db).await?;
    Ok(rows.into_iter().map(LinkedIdentity::from).collect())
}

pub(crate) async fn insert(
    db: &impl ConnectionTrait,
    user: &UserId,
    proven: &ProvenIdentity,
    now_ms: i64,
) -> Result<(), DbErr> {
    let row = identity::ActiveModel {
        id: Set(uuid::Uuid::now_v7().to_string()),
        provider: Set(proven.provider.clone()),
        issuer: Set(proven.issuer.clone()),
        subject: Set(proven.identity.subject.clone()),
        user_id: Set(user.to_string()),
        created_at: Set(from_ms(now_ms)),
        last_used_at: Set(from_ms(now_ms)),
    };
    entities::insert(db, row).await
}

pub(crate) async fn mark_used(
    db: &impl ConnectionTrait,
    id: &str,
    now_ms: i64,
) -> Result<(), DbErr> {
    let row = identity::ActiveModel {
        last_used_at: Set(from_ms(now_ms)),
        ..Default::default()
    };
    entities::update(db, id, row).await.map(drop)
}

pub(crate) async fn delete(db: &impl ConnectionTrait, id: &str) -> Result<(), DbErr> {
    identity::Entity::delete_by_id(id).exec(db).await.map(drop)
}

/// Removes all links to a provider.
pub(crate) async fn delete_by_provider(
    db: &impl ConnectionTrait,
    provider: &str,
) -> Result<(), DbErr> {
    identity::Entity::delete_many()
        .filter(identity::COLUMN.provider.eq(provider))
        .exec(db)
        .await
        .map(drop)
}
