//! The table of this domain.

use sea_orm::{ActiveValue::Set, QueryOrder, prelude::*};

use super::ScimToken;
use crate::{
    actors::digest::Digest,
    clock::from_ms,
    entities::{self, scim_token},
    ids::{OrganizationId, ScimTokenId},
};

pub(super) async fn insert(
    db: &impl ConnectionTrait,
    token: &ScimToken,
    digest: Digest,
) -> Result<(), DbErr> {
    let row = scim_token::ActiveModel {
        id: Set(token.id.to_string()),
        organization_id: Set(token.organization.to_string()),
        created_by: Set(token.maker.to_string()),
        name: Set(token.name.clone()),
        digest: Set(digest.to_hex()),
        created_at: Set(from_ms(token.created_ms)),
        last_used_at: Set(None),
    };
    entities::insert(db, row).await
}

/// The tokens of an organization, newest first.
pub(super) async fn list(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
) -> Result<Vec<ScimToken>, DbErr> {
    let rows = scim_token::Entity::within(organization)
        .order_by_desc(scim_token::COLUMN.id)
        .all(db)
        .await?;
    Ok(rows.into_iter().map(read).collect())
}

pub(super) async fn find(
    db: &impl ConnectionTrait,
    digest: &Digest,
) -> Result<Option<ScimToken>, DbErr> {
    let row = scim_token::Entity::find()
        .filter(scim_token::COLUMN.digest.eq(digest.to_hex()))
        .one(db)
        .await?;
    Ok(row.map(read))
}

pub(super) async fn find_by_id(
    db: &impl ConnectionTrait,
    id: &str,
) -> Result<Option<ScimToken>, DbErr> {
    // A caller may write anything for an ID.
    if !id.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(None);
    }
    let row = entities::find::<scim_token::Entity>(db, id).await?;
    Ok(row.map(read))
}

pub(super) async fn delete(db: &impl ConnectionTrait, id: &ScimTokenId) -> Result<bool, DbErr> {
    entities::delete::<scim_token::Entity>(db, id.as_str()).await
}

pub(super) async fn mark_used(
    db: &impl ConnectionTrait,
    id: &ScimTokenId,
    now_ms: i64,
) -> Result<(), DbErr> {
    let row = scim_token::ActiveModel {
        last_used_at: Set(Some(from_ms(now_ms))),
        ..Default::default()
    };
    entities::update(db, id.as_str(), row).await.map(drop)
}

fn read(row: scim_token::Model) -> ScimToken {
    ScimToken {
        id: row.id.into(),
        organization: row.organization_id.into(),
        maker: row.created_by.into(),
        name: row.name,
        created_ms: row.created_at.timestamp_millis(),
        last_used_ms: row.last_used_at.map(|at| at.timestamp_millis()),
    }
}
