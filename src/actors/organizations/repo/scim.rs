//! People and groups of identity providers.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect as _, QueryTrait as _, prelude::*};

use crate::{
    access::Role,
    actors::organizations::{ScimGroup, ScimUser},
    clock::from_ms,
    entities::{self, scim_group, scim_member, scim_user},
    ids::{OrganizationId, ScimGroupId, ScimUserId},
    scim::UserAttributes,
};

/// The users of an organization, oldest first.
pub(crate) async fn list_users(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
) -> Result<Vec<ScimUser>, DbErr> {
    let rows = scim_user::Entity::within(organization)
        .order_by_asc(scim_user::COLUMN.id)
        .all(db)
        .await?;
    Ok(rows.into_iter().filter_map(read_user).collect())
}

/// Whether a text can be an ID: a client may write anything for one.
fn is_id(text: &str) -> bool {
    text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// A user of this organization.
pub(crate) async fn find_user(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    id: &str,
) -> Result<Option<ScimUser>, DbErr> {
    if !is_id(id) {
        return Ok(None);
    }
    let row = scim_user::Entity::within(organization)
        .filter(scim_user::COLUMN.id.eq(id))
        .one(db)
        .await?;
    Ok(row.and_then(read_user))
}

pub(crate) async fn count_users(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
) -> Result<u64, DbErr> {
    scim_user::Entity::within(organization).count(db).await
}

pub(crate) async fn insert_user(db: &impl ConnectionTrait, user: &ScimUser) -> Result<(), DbErr> {
    entities::insert(
        db,
        scim_user::ActiveModel::from(user_row(user)?).reset_all(),
    )
    .await
}

pub(crate) async fn update_user(db: &impl ConnectionTrait, user: &ScimUser) -> Result<(), DbErr> {
    let row = scim_user::ActiveModel::from(user_row(user)?).reset_all();
    scim_user::Entity::update(row).exec(db).await.map(drop)
}

pub(crate) async fn delete_user(db: &impl ConnectionTrait, id: &ScimUserId) -> Result<bool, DbErr> {
    entities::delete::<scim_user::Entity>(db, id.as_str()).await
}

/// Forgets what all providers say about the account of an address.
pub(crate) async fn forget_account(db: &impl ConnectionTrait, email: &str) -> Result<(), DbErr> {
    scim_user::Entity::delete_many()
        .filter(scim_user::COLUMN.account.eq(email))
        .exec(db)
        .await
        .map(drop)
}

/// The groups of an organization with their members, oldest first.
pub(crate) async fn list_groups(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
) -> Result<Vec<ScimGroup>, DbErr> {
    let rows = scim_group::Entity::within(organization)
        .order_by_asc(scim_group::COLUMN.id)
        .all(db)
        .await?;
    let own = scim_group::Entity::within(organization)
        .select_only()
        .column(scim_group::Column::Id)
        .into_query();
    let members = scim_member::Entity::find()
        .filter(scim_member::Column::GroupId.in_subquery(own))
        .all(db)
        .await?;
    let mut by_group: BTreeMap<String, BTreeSet<ScimUserId>> = BTreeMap::new();
    for row in members {
        by_group
            .entry(row.group_id)
            .or_default()
            .insert(row.user_id.into());
    }
    let groups = rows.into_iter().map(|row| {
        let members = by_group.remove(&row.id).unwrap_or_default();
        read_group(row, members)
    });
    Ok(groups.collect())
}

/// A group of whichever organization, with its members.
pub(crate) async fn find_group(
    db: &impl ConnectionTrait,
    id: &str,
) -> Result<Option<ScimGroup>, DbErr> {
    if !is_id(id) {
        return Ok(None);
    }
    let Some(row) = entities::find::<scim_group::Entity>(db, id).await? else {
        return Ok(None);
    };
    let members = scim_member::Entity::find()
        .filter(scim_member::COLUMN.group_id.eq(row.id.as_str()))
        .all(db)
        .await?;
    let members = members.into_iter().map(|row| row.user_id.into()).collect();
    Ok(Some(read_group(row, members)))
}

pub(crate) async fn count_groups(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
) -> Result<u64, DbErr> {
    scim_group::Entity::within(organization).count(db).await
}

pub(crate) async fn insert_group(
    db: &impl ConnectionTrait,
    group: &ScimGroup,
) -> Result<(), DbErr> {
    entities::insert(
        db,
        scim_group::ActiveModel::from(group_row(group)).reset_all(),
    )
    .await
}

pub(crate) async fn update_group(
    db: &impl ConnectionTrait,
    group: &ScimGroup,
) -> Result<(), DbErr> {
    let row = scim_group::ActiveModel::from(group_row(group)).reset_all();
    scim_group::Entity::update(row).exec(db).await.map(drop)
}

pub(crate) async fn delete_group(
    db: &impl ConnectionTrait,
    id: &ScimGroupId,
) -> Result<bool, DbErr> {
    entities::delete::<scim_group::Entity>(db, id.as_str()).await
}

pub(crate) async fn add_member(
    db: &impl ConnectionTrait,
    group: &ScimGroupId,
    user: &ScimUserId,
) -> Result<(), DbErr> {
    let row = scim_member::ActiveModel {
        group_id: Set(group.to_string()),
        user_id: Set(user.to_string()),
    };
    entities::insert(db, row).await
}

pub(crate) async fn remove_member(
    db: &impl ConnectionTrait,
    group: &ScimGroupId,
    user: &ScimUserId,
) -> Result<(), DbErr> {
    scim_member::Entity::delete_by_id((group.to_string(), user.to_string()))
        .exec(db)
        .await
        .map(drop)
}

fn read_user(row: scim_user::Model) -> Option<ScimUser> {
    let attributes: UserAttributes = serde_json::from_str(&row.attributes).ok()?;
    let role = |text: Option<String>| text.as_deref().and_then(Role::parse);
    Some(ScimUser {
        id: row.id.into(),
        organization: row.organization_id.into(),
        account: row.account,
        attributes: UserAttributes {
            active: row.is_active,
            ..attributes
        },
        left_role: role(row.left_role),
        group_role: role(row.group_role),
        version: row.version,
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
    })
}

fn user_row(user: &ScimUser) -> Result<scim_user::Model, DbErr> {
    let role = |role: Option<Role>| role.map(|role| role.as_str().to_owned());
    let attributes = serde_json::to_string(&user.attributes);
    Ok(scim_user::Model {
        id: user.id.to_string(),
        organization_id: user.organization.to_string(),
        account: user.account.clone(),
        name_key: user.attributes.user_name.to_lowercase(),
        attributes: attributes.map_err(|error| DbErr::Json(error.to_string()))?,
        is_active: user.attributes.active,
        left_role: role(user.left_role),
        group_role: role(user.group_role),
        version: user.version,
        created_at: from_ms(user.created_ms),
        updated_at: from_ms(user.updated_ms),
    })
}

fn read_group(row: scim_group::Model, members: BTreeSet<ScimUserId>) -> ScimGroup {
    ScimGroup {
        id: row.id.into(),
        organization: row.organization_id.into(),
        name: row.name,
        external_id: row.external_id,
        role: row.role.as_deref().and_then(Role::parse),
        members,
        version: row.version,
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
    }
}

fn group_row(group: &ScimGroup) -> scim_group::Model {
    scim_group::Model {
        id: group.id.to_string(),
        organization_id: group.organization.to_string(),
        name: group.name.clone(),
        name_key: group.name.to_lowercase(),
        external_id: group.external_id.clone(),
        role: group.role.map(|role| role.as_str().to_owned()),
        version: group.version,
        created_at: from_ms(group.created_ms),
        updated_at: from_ms(group.updated_ms),
    }
}
