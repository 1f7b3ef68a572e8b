//! Memberships.

use sea_orm::{ActiveValue::Set, Condition, QueryOrder, prelude::*};

use crate::{
    access::Role,
    clock::from_ms,
    entities::{self, membership, organization, session},
    ids::{OrganizationId, UserId},
};

/// A member of an organization, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    pub user: UserId,
    pub role: Role,
    pub since_ms: i64,
}

pub(crate) async fn list(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
) -> Result<Vec<Membership>, DbErr> {
    let rows = membership::Entity::within(organization)
        .order_by_asc(membership::COLUMN.created_at)
        .order_by_asc(membership::COLUMN.user_id)
        .all(db)
        .await?;
    let read = |row: membership::Model| {
        Some(Membership {
            user: row.user_id.into(),
            role: Role::parse(&row.role)?,
            since_ms: row.created_at.timestamp_millis(),
        })
    };
    Ok(rows.into_iter().filter_map(read).collect())
}

/// The organizations that a person is a member of, deleted ones that may come back included.
pub(crate) async fn list_of_person(
    db: &impl ConnectionTrait,
    user: &UserId,
) -> Result<Vec<(OrganizationId, String)>, DbErr> {
    let rows = membership::Entity::find()
        .filter(membership::COLUMN.user_id.eq(user.as_str()))
        .order_by_asc(membership::COLUMN.organization_id)
        .all(db)
        .await?;
    let pair = |row: membership::Model| (row.organization_id.into(), row.role);
    Ok(rows.into_iter().map(pair).collect())
}

/// How many members an organization has. Counts alone until the transaction ends.
pub(crate) async fn count_alone(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
) -> Result<u64, DbErr> {
    organization::Entity::lock(db, organization).await?;
    membership::Entity::within(organization).count(db).await
}

pub(crate) async fn insert(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    user: &UserId,
    role: Role,
    now_ms: i64,
) -> Result<(), DbErr> {
    let row = membership::ActiveModel {
        organization_id: Set(organization.to_string()),
        user_id: Set(user.to_string()),
        role: Set(role.as_str().to_owned()),
        provider: Set(None),
        created_at: Set(from_ms(now_ms)),
    };
    entities::insert(db, row).await
}

pub(crate) async fn set_role(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    user: &UserId,
    role: Role,
) -> Result<(), DbErr> {
    membership::Entity::update_many()
        .col_expr(membership::Column::Role, Expr::value(role.as_str()))
        .filter(member_filter(organization, user))
        .exec(db)
        .await?;
    Ok(())
}

/// The provider whose groups gave a membership; `None` = a person did.
pub(crate) async fn find_provider(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    user: &UserId,
) -> Result<Option<String>, DbErr> {
    let member = membership::Entity::find().filter(member_filter(organization, user));
    Ok(member.one(db).await?.and_then(|row| row.provider))
}

pub(crate) async fn set_provider(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    user: &UserId,
    provider: &str,
) -> Result<(), DbErr> {
    membership::Entity::update_many()
        .col_expr(membership::Column::Provider, Expr::value(provider))
        .filter(member_filter(organization, user))
        .exec(db)
        .await?;
    Ok(())
}

/// Removes a member; none of their sessions works there any more.
pub(crate) async fn delete(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    user: &UserId,
) -> Result<(), DbErr> {
    membership::Entity::delete_many()
        .filter(member_filter(organization, user))
        .exec(db)
        .await?;
    let own = session::COLUMN.user_id.eq(user.as_str());
    super::sessions::leave(db, organization, own).await
}

fn member_filter(organization: &OrganizationId, user: &UserId) -> Condition {
    Condition::all()
        .add(membership::COLUMN.organization_id.eq(organization.as_str()))
        .add(membership::COLUMN.user_id.eq(user.as_str()))
}
