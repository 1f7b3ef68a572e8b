//! Organizations and their members.

use sea_orm::{ActiveValue::Set, prelude::*};

use crate::{
    access::{Role, authorize::Tenant},
    actors::organizations::Organization,
    entities::{membership, organization, user},
    ids::OrganizationKey,
};

/// Whether any organization was ever made.
pub(in crate::actors::organizations) async fn is_installed(
    db: &impl ConnectionTrait,
) -> Result<bool, DbErr> {
    Ok(organization::Entity::find().one(db).await?.is_some())
}

/// Stores an organization with its owner.
pub(in crate::actors::organizations) async fn found(
    db: &impl ConnectionTrait,
    organization: organization::Model,
    owner: user::Model,
) -> Result<(), DbErr> {
    let membership = membership::ActiveModel {
        organization_id: Set(organization.id.clone()),
        user_id: Set(owner.id.clone()),
        role: Set(Role::Owner.as_str().to_owned()),
        created_at: Set(organization.created_at),
    };
    let organization = organization::ActiveModel::from(organization).reset_all();
    organization::Entity::insert(organization)
        .exec_without_returning(db)
        .await?;
    super::people::insert(db, owner).await?;
    membership::Entity::insert(membership)
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Stores an organization and its owner anew, under their ids.
pub(in crate::actors::organizations) async fn found_again(
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
            created_ms: row.created_at.timestamp_millis(),
        }
    }
}
