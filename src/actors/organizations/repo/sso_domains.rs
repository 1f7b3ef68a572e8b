//! Domains of organizations.

use sea_orm::{ActiveValue::Set, Condition, QueryOrder, prelude::*};

use crate::{
    actors::organizations::SsoDomain,
    clock::from_ms,
    entities::{self, sso_domain},
    ids::{OrganizationId, SsoDomainId},
};

fn read(row: sso_domain::Model) -> SsoDomain {
    let ms = |at: DateTimeUtc| at.timestamp_millis();
    let outcome = row.outcome.as_deref();
    SsoDomain {
        id: row.id.into(),
        organization: row.organization_id.into(),
        name: row.name,
        token: row.token,
        is_verified: row.verified_name.is_some(),
        outcome: outcome.and_then(|text| serde_json::from_str(text).ok()),
        checked_ms: row.checked_at.map(ms),
        missing_since_ms: row.missing_since.map(ms),
        created_ms: ms(row.created_at),
    }
}

fn row(domain: &SsoDomain) -> sso_domain::ActiveModel {
    let outcome = domain.outcome.as_ref();
    sso_domain::ActiveModel {
        id: Set(domain.id.to_string()),
        organization_id: Set(domain.organization.to_string()),
        name: Set(domain.name.clone()),
        token: Set(domain.token.clone()),
        verified_name: Set(domain.is_verified.then(|| domain.name.clone())),
        outcome: Set(outcome.and_then(|outcome| serde_json::to_string(outcome).ok())),
        checked_at: Set(domain.checked_ms.map(from_ms)),
        missing_since: Set(domain.missing_since_ms.map(from_ms)),
        created_at: Set(from_ms(domain.created_ms)),
    }
}

/// The domains of an organization, oldest first.
pub(crate) async fn list(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
) -> Result<Vec<SsoDomain>, DbErr> {
    let rows = sso_domain::Entity::within(organization).order_by_asc(sso_domain::COLUMN.id);
    Ok(rows.all(db).await?.into_iter().map(read).collect())
}

pub(crate) async fn find(db: &impl ConnectionTrait, id: &str) -> Result<Option<SsoDomain>, DbErr> {
    let row = sso_domain::Entity::find_by_id(id).one(db).await?;
    Ok(row.map(read))
}

/// The domain of this name that is verified, and whose.
pub(crate) async fn find_verified(
    db: &impl ConnectionTrait,
    name: &str,
) -> Result<Option<SsoDomain>, DbErr> {
    let row = sso_domain::Entity::find().filter(sso_domain::COLUMN.verified_name.eq(name));
    Ok(row.one(db).await?.map(read))
}

/// The domains that are verified, or were until their record was missing, and that were last checked before this time.
pub(crate) async fn list_due(
    db: &impl ConnectionTrait,
    before_ms: i64,
) -> Result<Vec<SsoDomain>, DbErr> {
    let was_verified = Condition::any()
        .add(sso_domain::COLUMN.verified_name.is_not_null())
        .add(sso_domain::COLUMN.missing_since.is_not_null());
    let rows = sso_domain::Entity::find()
        .filter(was_verified)
        .filter(sso_domain::COLUMN.checked_at.lte(from_ms(before_ms)))
        .order_by_asc(sso_domain::COLUMN.checked_at);
    Ok(rows.all(db).await?.into_iter().map(read).collect())
}

pub(crate) async fn insert(db: &impl ConnectionTrait, domain: &SsoDomain) -> Result<(), DbErr> {
    entities::insert(db, row(domain)).await
}

pub(crate) async fn update(db: &impl ConnectionTrait, domain: &SsoDomain) -> Result<(), DbErr> {
    let row = row(domain);
    sso_domain::Entity::update(row).exec(db).await.map(drop)
}

pub(crate) async fn delete(db: &impl ConnectionTrait, id: &SsoDomainId) -> Result<bool, DbErr> {
    entities::delete::<sso_domain::Entity>(db, id.as_str()).await
}
