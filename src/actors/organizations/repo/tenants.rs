//! Organizations and their members.

use sea_orm::{
    ActiveValue::{NotSet, Set},
    Condition,
    prelude::*,
};

use crate::{
    access::{Role, authorize::Tenant},
    actors::{
        error::write_error,
        organizations::{Notifications, Organization, OrganizationError},
    },
    clock::from_ms,
    entities::{self, membership, organization, user},
    ids::{OrganizationId, OrganizationKey},
};

/// Whether anything was installed: an organization, or a person whose organizations are all erased.
pub(crate) async fn is_installed(db: &impl ConnectionTrait) -> Result<bool, DbErr> {
    let organizations = organization::Entity::find().one(db).await?.is_some();
    Ok(organizations || user::Entity::find().one(db).await?.is_some())
}

pub(crate) async fn install(
    db: &impl ConnectionTrait,
    organization: organization::Model,
    owner: user::Model,
) -> Result<(), DbErr> {
    let membership = membership::ActiveModel {
        organization_id: Set(organization.id.clone()),
        user_id: Set(owner.id.clone()),
        role: Set(Role::Owner.as_str().to_owned()),
        provider: Set(None),
        created_at: Set(organization.created_at),
    };
    let organization = organization::ActiveModel::from(organization).reset_all();
    entities::insert(db, organization).await?;
    super::people::insert(db, owner).await?;
    entities::insert(db, membership).await
}

/// Stores an organization and its owner anew, under their ids.
pub(crate) async fn install_again(
    db: &impl ConnectionTrait,
    organization: organization::Model,
    owner: user::Model,
) -> Result<(), DbErr> {
    let organization = organization::ActiveModel::from(organization).reset_all();
    organization::Entity::update(organization).exec(db).await?;
    let owner = user::ActiveModel::from(owner).reset_all();
    user::Entity::update(owner).exec(db).await?;
    Ok(())
}

/// Whether an organization, a deleted one too, has this slug.
pub(crate) async fn is_slug_taken(db: &impl ConnectionTrait, slug: &str) -> Result<bool, DbErr> {
    let same = organization::Entity::find().filter(organization::COLUMN.slug.eq(slug));
    Ok(same.one(db).await?.is_some())
}

pub(crate) async fn insert(
    db: &impl ConnectionTrait,
    organization: &Organization,
) -> Result<(), OrganizationError> {
    let row = organization::ActiveModel::from(row(organization)).reset_all();
    entities::insert(db, row).await.map_err(slug_taken)
}

/// Stores an organization as it is now.
pub(crate) async fn update(
    db: &impl ConnectionTrait,
    organization: &Organization,
) -> Result<(), OrganizationError> {
    let mut row = organization::ActiveModel::from(row(organization)).reset_all();
    // The operator changes it, perhaps at this moment.
    row.plan = NotSet;
    let updated = organization::Entity::update(row).exec(db).await;
    updated.map(drop).map_err(slug_taken)
}

/// The slug is unique, among deleted organizations too.
fn slug_taken(error: DbErr) -> OrganizationError {
    write_error(error, OrganizationError::SlugTaken)
}

/// The live organization of an id or slug.
pub(crate) async fn find_live(
    db: &impl ConnectionTrait,
    named: &str,
) -> Result<Option<Organization>, DbErr> {
    let same = Condition::any()
        .add(organization::COLUMN.id.eq(named))
        .add(organization::COLUMN.slug.eq(named));
    let found = organization::Entity::find()
        .filter(same)
        .filter(organization::COLUMN.deleted_at.is_null())
        .one(db)
        .await?;
    Ok(found.map(Organization::from))
}

pub(crate) async fn set_plan(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    plan: &str,
) -> Result<(), DbErr> {
    let row = organization::ActiveModel {
        plan: Set(plan.to_owned()),
        ..Default::default()
    };
    entities::update(db, organization.as_str(), row)
        .await
        .map(drop)
}

pub(crate) async fn plans(
    db: &impl ConnectionTrait,
) -> Result<Vec<(OrganizationId, String)>, DbErr> {
    let rows = organization::Entity::find().all(db).await?;
    let plans = rows.into_iter().map(|row| (row.id.into(), row.plan));
    Ok(plans.collect())
}

/// Stores when an organization was deleted; `None` = it is not.
pub(crate) async fn set_deleted(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    at_ms: Option<i64>,
) -> Result<(), DbErr> {
    let row = organization::ActiveModel {
        deleted_at: Set(at_ms.map(from_ms)),
        ..Default::default()
    };
    entities::update(db, organization.as_str(), row)
        .await
        .map(drop)
}

/// A deleted organization, and when that was.
pub(crate) async fn find_deleted(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
) -> Result<Option<(Organization, i64)>, DbErr> {
    let found = organization::Entity::find_by_id(organization.as_str())
        .one(db)
        .await?;
    Ok(found.and_then(|row| {
        let at_ms = row.deleted_at?.timestamp_millis();
        Some((row.into(), at_ms))
    }))
}

pub(crate) async fn list_deleted_until(
    db: &impl ConnectionTrait,
    until_ms: i64,
) -> Result<Vec<Tenant>, DbErr> {
    let rows = organization::Entity::find()
        .filter(organization::COLUMN.deleted_at.lte(from_ms(until_ms)))
        .all(db)
        .await?;
    let tenants = rows.into_iter().map(|row| Organization::from(row).tenant);
    Ok(tenants.collect())
}

/// Removes an organization with its memberships, invitations and whatever else goes with it.
pub(crate) async fn erase(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
) -> Result<(), DbErr> {
    super::sessions::leave(db, organization, Condition::all()).await?;
    organization::Entity::delete_by_id(organization.as_str())
        .exec(db)
        .await?;
    Ok(())
}

fn row(organization: &Organization) -> organization::Model {
    let notifications = organization.notifications.as_ref();
    organization::Model {
        id: organization.tenant.id.to_string(),
        key: organization.tenant.key.0,
        name: organization.name.clone(),
        slug: organization.slug.clone(),
        plan: organization.plan.clone(),
        logo: organization.logo.clone(),
        avatar_seed: organization.avatar_seed.clone(),
        notifications: notifications.map(Notifications::stored),
        required_provider: organization.required_provider.clone(),
        created_at: from_ms(organization.created_ms),
        deleted_at: None,
    }
}

impl From<organization::Model> for Organization {
    fn from(row: organization::Model) -> Self {
        Self {
            tenant: Tenant {
                id: row.id.into(),
                key: OrganizationKey(row.key),
            },
            name: row.name,
            slug: row.slug,
            plan: row.plan,
            logo: row.logo,
            avatar_seed: row.avatar_seed,
            notifications: Notifications::read(row.notifications.as_deref()),
            required_provider: row.required_provider,
            created_ms: row.created_at.timestamp_millis(),
        }
    }
}
