//! The table of this domain.

use std::sync::{Arc, atomic::AtomicI64};

use sea_orm::{ActiveValue::Set, ExprTrait as _, prelude::*};

use super::{KeyKind, KeyQuota, KeysView, LiveKey, live_key::Usage, rights, secret};
use crate::{
    access::{KeyGrant, Scope},
    actors::{
        audit::{self, Action},
        digest::Digest,
    },
    clock::from_ms,
    entities::{self, api_key},
    ids::KeyId,
};

/// Every key, revoked ones included.
pub(super) async fn load(db: &impl ConnectionTrait) -> Result<KeysView, DbErr> {
    let mut view = KeysView::default();
    for row in api_key::Entity::find().all(db).await? {
        view.insert(Arc::new(from_row(row)?));
    }
    view.ever = view.ever || audit::was_done(db, Action::KeyCreate).await?;
    Ok(view)
}

pub(super) async fn by_id(db: &impl ConnectionTrait, id: &KeyId) -> Result<Option<LiveKey>, DbErr> {
    let row = api_key::Entity::find_by_id(id.as_str()).one(db).await?;
    row.map(from_row).transpose()
}

pub(super) async fn insert(db: &impl ConnectionTrait, key: &LiveKey) -> Result<(), DbErr> {
    entities::insert(db, to_row(key)?).await
}

pub(super) async fn update(db: &impl ConnectionTrait, key: &LiveKey) -> Result<(), DbErr> {
    let row = to_row(key)?;
    entities::update(db, key.id().as_str(), row).await.map(drop)
}

pub(super) async fn delete(db: &impl ConnectionTrait, id: &KeyId) -> Result<(), DbErr> {
    api_key::Entity::delete_by_id(id.as_str()).exec(db).await?;
    Ok(())
}

pub(super) async fn mark_used(
    db: &impl ConnectionTrait,
    id: &KeyId,
    at_ms: i64,
) -> Result<(), DbErr> {
    api_key::Entity::update_many()
        .col_expr(api_key::Column::LastUsedAt, Expr::value(from_ms(at_ms)))
        .filter(api_key::COLUMN.id.eq(id.as_str()))
        // Another process may have seen a later use.
        .filter(
            api_key::COLUMN
                .last_used_at
                .is_null()
                .or(api_key::COLUMN.last_used_at.lt(from_ms(at_ms))),
        )
        .exec(db)
        .await?;
    Ok(())
}

/// A key as it is stored; an error when it is damaged.
pub(super) fn from_row(row: api_key::Model) -> Result<LiveKey, DbErr> {
    let id = row.id;
    let damaged = |why: String| DbErr::Custom(format!("API key `{id}` is damaged: {why}"));
    let json = |error: serde_json::Error| damaged(error.to_string());
    let scopes: Vec<Scope> = serde_json::from_str(&row.scopes).map_err(json)?;
    let resources = row
        .resources
        .as_deref()
        .map(serde_json::from_str)
        .transpose();
    let resources = resources.map_err(json)?;
    let (global, websites) = rights::rights(&scopes, resources.as_ref());
    let kind = KeyKind::parse(&row.kind);
    let digest = Digest::from_hex(&row.secret_hash);
    let used_ms = row.last_used_at.map_or(0, |at| at.timestamp_millis());
    Ok(LiveKey {
        kind: kind.ok_or_else(|| damaged(format!("unknown kind `{}`", row.kind)))?,
        digest: digest.ok_or_else(|| damaged("no hash of a secret".to_owned()))?,
        tags: serde_json::from_str(&row.tags).map_err(json)?,
        grant: Arc::new(KeyGrant {
            id: id.into(),
            organization: row.organization_id.map(Into::into),
            global,
            websites,
            person: None,
        }),
        name: row.name,
        description: row.description,
        created_by: row.created_by.map(Into::into),
        scopes,
        resources,
        start: row.start,
        rate_limit: KeyQuota {
            enabled: row.rate_limit_enabled,
            max: row.rate_limit_max.unsigned_abs(),
            window_seconds: row.rate_limit_window.unsigned_abs(),
        },
        enabled: row.enabled,
        expires_ms: row.expires_at.map(|at| at.timestamp_millis()),
        revoked_ms: row.revoked_at.map(|at| at.timestamp_millis()),
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
        usage: Arc::new(Usage {
            last_ms: AtomicI64::new(used_ms),
        }),
    })
}

/// Everything but the time of the last use, which [`mark_used`] alone writes.
fn to_row(key: &LiveKey) -> Result<api_key::ActiveModel, DbErr> {
    let json = |error: serde_json::Error| DbErr::Custom(format!("API key: {error}"));
    let resources = key
        .resources
        .as_ref()
        .map(serde_json::to_string)
        .transpose();
    Ok(api_key::ActiveModel {
        id: Set(key.id().to_string()),
        organization_id: Set(key.organization().map(ToString::to_string)),
        created_by: Set(key.created_by.as_ref().map(ToString::to_string)),
        name: Set(key.name.clone()),
        description: Set(key.description.clone()),
        secret_hash: Set(key.digest.to_hex()),
        prefix: Set(secret::PREFIX.to_owned()),
        start: Set(key.start.clone()),
        kind: Set(key.kind.as_str().to_owned()),
        scopes: Set(serde_json::to_string(&key.scopes).map_err(json)?),
        resources: Set(resources.map_err(json)?),
        tags: Set(serde_json::to_string(&key.tags).map_err(json)?),
        rate_limit_enabled: Set(key.rate_limit.enabled),
        rate_limit_max: Set(key.rate_limit.max as i32),
        rate_limit_window: Set(key.rate_limit.window_seconds as i32),
        enabled: Set(key.enabled),
        expires_at: Set(key.expires_ms.map(from_ms)),
        revoked_at: Set(key.revoked_ms.map(from_ms)),
        last_used_at: sea_orm::ActiveValue::NotSet,
        created_at: Set(from_ms(key.created_ms)),
        updated_at: Set(from_ms(key.updated_ms)),
    })
}
