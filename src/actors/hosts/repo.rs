//! The tables of hosts.

use sea_orm::{ActiveValue::Set, QueryOrder, prelude::*};

use super::{CustomHost, HostError};
use crate::{
    actors::error::CommonError,
    clock::from_ms,
    entities::{self, former_host, host, link},
    ids::{HostId, OrganizationId},
};

fn read(row: host::Model) -> Result<CustomHost, HostError> {
    let ms = |at: DateTimeUtc| at.timestamp_millis();
    let damaged = |what: &str| CommonError::damaged("domain", &row.id, what);
    let serves = row.serves.parse().map_err(|_| damaged("unknown use"))?;
    let proof = row.proof.as_deref().map(str::parse).transpose();
    let proof = proof.map_err(|_| damaged("unknown proof"))?;
    let fields = serde_json::from_str(&row.fields).map_err(|error| damaged(&error.to_string()))?;
    let findings = row.findings.as_deref();
    Ok(CustomHost {
        findings: findings.and_then(|text| serde_json::from_str(text).ok()),
        id: row.id.into(),
        organization: row.organization_id.into(),
        name: row.name,
        serves,
        subject: row.subject,
        fields,
        token: row.token,
        proof,
        checked_ms: row.checked_at.map(ms),
        missing_since_ms: row.missing_since.map(ms),
        created_ms: ms(row.created_at),
    })
}

fn row(host: &CustomHost) -> host::ActiveModel {
    let findings = host.findings.as_ref();
    host::ActiveModel {
        id: Set(host.id.to_string()),
        organization_id: Set(host.organization.to_string()),
        name: Set(host.name.clone()),
        verified_name: Set(host.is_verified().then(|| host.name.clone())),
        serves: Set(host.serves.as_str().to_owned()),
        subject: Set(host.subject.clone()),
        fields: Set(serde_json::to_string(&host.fields).unwrap_or_default()),
        token: Set(host.token.clone()),
        proof: Set(host.proof.map(|proof| proof.as_str().to_owned())),
        findings: Set(findings.and_then(|findings| serde_json::to_string(findings).ok())),
        checked_at: Set(host.checked_ms.map(from_ms)),
        missing_since: Set(host.missing_since_ms.map(from_ms)),
        created_at: Set(from_ms(host.created_ms)),
    }
}

/// Every host, oldest first.
pub(super) async fn all(db: &impl ConnectionTrait) -> Result<Vec<CustomHost>, HostError> {
    let rows = host::Entity::find()
        .order_by_asc(host::COLUMN.id)
        .all(db)
        .await?;
    rows.into_iter().map(read).collect()
}

/// The hosts of an organization.
pub(super) async fn owned_by(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
) -> Result<Vec<CustomHost>, HostError> {
    let rows = host::Entity::within(organization).all(db).await?;
    rows.into_iter().map(read).collect()
}

pub(super) async fn find(db: &impl ConnectionTrait, id: &HostId) -> Result<CustomHost, HostError> {
    let row = entities::find::<host::Entity>(db, id.as_str()).await?;
    read(row.ok_or_else(|| HostError::NotFound(id.clone()))?)
}

/// How many hosts an organization has, and how many of them are not verified.
pub(super) async fn count(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
) -> Result<(u64, u64), DbErr> {
    let all = host::Entity::within(organization);
    let unverified = all.clone().filter(host::COLUMN.verified_name.is_null());
    Ok((all.count(db).await?, unverified.count(db).await?))
}

/// The host of this name that is verified, of any owner.
pub(super) async fn find_verified(
    db: &impl ConnectionTrait,
    name: &str,
) -> Result<Option<CustomHost>, HostError> {
    let row = host::Entity::find().filter(host::COLUMN.verified_name.eq(name));
    row.one(db).await?.map(read).transpose()
}

/// Whether another organization than this one's claims the name, or was the last to have it.
pub(super) async fn is_claimed(
    db: &impl ConnectionTrait,
    host: &CustomHost,
) -> Result<bool, DbErr> {
    let others = host::Entity::find()
        .filter(host::COLUMN.name.eq(&host.name))
        .filter(host::COLUMN.organization_id.ne(host.organization.as_str()));
    if others.count(db).await? > 0 {
        return Ok(true);
    }
    let former = entities::find::<former_host::Entity>(db, &host.name).await?;
    Ok(former.is_some_and(|former| former.organization_id != host.organization.as_str()))
}

pub(super) async fn insert(db: &impl ConnectionTrait, host: &CustomHost) -> Result<(), DbErr> {
    entities::insert(db, row(host)).await
}

pub(super) async fn update(db: &impl ConnectionTrait, host: &CustomHost) -> Result<(), DbErr> {
    host::Entity::update(row(host)).exec(db).await.map(drop)
}

/// Removes a host. Who has had it is remembered: its DNS may lead here for long.
pub(super) async fn remove(
    db: &impl ConnectionTrait,
    host: &CustomHost,
    now_ms: i64,
) -> Result<(), DbErr> {
    entities::delete::<host::Entity>(db, host.id.as_str()).await?;
    if host.is_verified() || host.missing_since_ms.is_some() {
        let row = former_host::ActiveModel {
            name: Set(host.name.clone()),
            organization_id: Set(host.organization.to_string()),
            removed_at: Set(from_ms(now_ms)),
        };
        let columns = [
            former_host::Column::OrganizationId,
            former_host::Column::RemovedAt,
        ];
        entities::upsert(db, row, [former_host::Column::Name], columns).await?;
    }
    Ok(())
}

/// How many short links are on a host.
pub(super) async fn count_links(db: &impl ConnectionTrait, id: &HostId) -> Result<u64, DbErr> {
    let links = link::Entity::find().filter(link::COLUMN.host_id.eq(id.as_str()));
    links.count(db).await
}
