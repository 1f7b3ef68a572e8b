//! Invitations.

use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect, prelude::*};

use crate::{
    access::Role,
    actors::{
        digest::Digest,
        organizations::{Invitation, invitation::Status},
    },
    clock::from_ms,
    entities::{self, invitation},
    ids::{InvitationId, OrganizationId, UserId},
};

/// Invitations of an organization that a list shows at most.
const MAX: u64 = 1000;

pub(crate) async fn insert(
    db: &impl ConnectionTrait,
    invitation: &Invitation,
    token: Digest,
) -> Result<(), DbErr> {
    let row = invitation.row(token.to_hex());
    entities::insert(db, invitation::ActiveModel::from(row).reset_all()).await
}

pub(crate) async fn by_token(
    db: &impl ConnectionTrait,
    token: &str,
) -> Result<Option<Invitation>, DbErr> {
    let row = invitation::Entity::find()
        .filter(
            invitation::COLUMN
                .token_hash
                .eq(Digest::from_secret(token).to_hex()),
        )
        .one(db)
        .await?;
    Ok(row.and_then(Invitation::read))
}

pub(crate) async fn by_id(
    db: &impl ConnectionTrait,
    id: &str,
) -> Result<Option<Invitation>, DbErr> {
    let row = invitation::Entity::find_by_id(id).one(db).await?;
    Ok(row.and_then(Invitation::read))
}

/// The invitations of an organization, newest first.
pub(crate) async fn list(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
) -> Result<Vec<Invitation>, DbErr> {
    let rows = invitation::Entity::within(organization)
        .order_by_desc(invitation::COLUMN.created_at)
        .order_by_desc(invitation::COLUMN.id)
        .limit(MAX)
        .all(db)
        .await?;
    Ok(rows.into_iter().filter_map(Invitation::read).collect())
}

/// The invitations of an address that may be accepted now, newest first.
pub(crate) async fn open_for(
    db: &impl ConnectionTrait,
    email: &str,
    now_ms: i64,
) -> Result<Vec<Invitation>, DbErr> {
    let rows = invitation::Entity::find()
        .filter(invitation::COLUMN.email.eq(email))
        .filter(invitation::COLUMN.status.eq(Status::Pending.as_str()))
        .filter(invitation::COLUMN.expires_at.gt(from_ms(now_ms)))
        .order_by_desc(invitation::COLUMN.created_at)
        .limit(MAX)
        .all(db)
        .await?;
    Ok(rows.into_iter().filter_map(Invitation::read).collect())
}

/// The pending invitations of an organization that a person made.
pub(crate) async fn pending_by(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    inviter: &UserId,
) -> Result<Vec<Invitation>, DbErr> {
    let rows = invitation::Entity::within(organization)
        .filter(invitation::COLUMN.inviter_id.eq(inviter.as_str()))
        .filter(invitation::COLUMN.status.eq(Status::Pending.as_str()))
        .order_by_asc(invitation::COLUMN.id)
        .all(db)
        .await?;
    Ok(rows.into_iter().filter_map(Invitation::read).collect())
}

/// Closes an invitation that is open. Whether it was: of many at once, one succeeds.
pub(crate) async fn close(
    db: &impl ConnectionTrait,
    id: &InvitationId,
    status: Status,
    now_ms: i64,
) -> Result<bool, DbErr> {
    let closed = invitation::Entity::update_many()
        .col_expr(invitation::Column::Status, Expr::value(status.as_str()))
        .col_expr(invitation::Column::DecidedAt, Expr::value(from_ms(now_ms)))
        .filter(invitation::COLUMN.id.eq(id.as_str()))
        .filter(invitation::COLUMN.status.eq(Status::Pending.as_str()))
        .exec(db)
        .await?;
    Ok(closed.rows_affected == 1)
}

pub(crate) async fn set_role(
    db: &impl ConnectionTrait,
    id: &InvitationId,
    role: Role,
) -> Result<(), DbErr> {
    let row = invitation::ActiveModel {
        role: Set(role.as_str().to_owned()),
        ..Default::default()
    };
    entities::update(db, id.as_str(), row).await.map(drop)
}

/// Deletes what was open and is too old; how many.
pub(crate) async fn clear_expired(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    now_ms: i64,
) -> Result<u64, DbErr> {
    let cleared = invitation::Entity::delete_many()
        .filter(invitation::COLUMN.organization_id.eq(organization.as_str()))
        .filter(invitation::COLUMN.status.eq(Status::Pending.as_str()))
        .filter(invitation::COLUMN.expires_at.lte(from_ms(now_ms)))
        .exec(db)
        .await?;
    Ok(cleared.rows_affected)
}
