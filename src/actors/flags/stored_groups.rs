//! Target groups as they are stored.

use std::sync::Arc;

use sea_orm::prelude::*;

use crate::{
    actors::flags::{
        FlagError,
        engine::Group,
        model::{Scope, TargetGroup},
        written::Groups,
    },
    entities::target_group,
    ids::{OrganizationId, TargetGroupId, UserId, WebsiteId},
};

pub(super) fn within(scope: &Scope) -> Select<target_group::Entity> {
    // Groups are of websites.
    let website = scope.website.as_ref().map_or("", WebsiteId::as_str);
    target_group::Entity::within(&scope.organization)
        .filter(target_group::COLUMN.website_id.eq(website))
}

/// The groups of a website, ready to be asked.
pub(super) async fn of(db: &impl ConnectionTrait, scope: &Scope) -> Result<Groups, FlagError> {
    compiled(within(scope).all(db).await?)
}

/// Every group, ready to be asked.
pub(super) async fn all(db: &impl ConnectionTrait) -> Result<Groups, FlagError> {
    compiled(target_group::Entity::find().all(db).await?)
}

fn compiled(rows: Vec<target_group::Model>) -> Result<Groups, FlagError> {
    let mut groups = Groups::new();
    for row in rows {
        let group = from_row(row)?;
        match Group::new(group.id.as_str(), &group.name, &group.rules) {
            Ok(ready) => drop(groups.insert(group.id.to_string(), Arc::new(ready))),
            Err(issues) => {
                tracing::error!(group = %group.id, ?issues, "a target group is left out");
            }
        }
    }
    Ok(groups)
}

pub(super) fn from_row(row: target_group::Model) -> Result<TargetGroup, FlagError> {
    let id = TargetGroupId::from(row.id);
    Ok(TargetGroup {
        rules: serde_json::from_str(&row.rules).map_err(|error| damaged(&id, &error))?,
        id,
        organization: row.organization_id.into(),
        website: row.website_id.into(),
        created_by: row.created_by.map(UserId::from),
        name: row.name,
        description: row.description,
        color: row.color,
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
    })
}

pub(super) fn damaged(id: &TargetGroupId, error: &serde_json::Error) -> FlagError {
    FlagError::Damaged(id.to_string(), error.to_string())
}

pub(super) async fn find(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    id: &TargetGroupId,
) -> Result<TargetGroup, FlagError> {
    let found = by_id(db, id.as_str()).await?;
    found
        .filter(|group| group.organization == *organization)
        .ok_or_else(|| FlagError::NoGroup(id.clone()))
}

pub(super) async fn by_id(
    db: &impl ConnectionTrait,
    id: &str,
) -> Result<Option<TargetGroup>, FlagError> {
    let row = target_group::Entity::find_by_id(id.to_owned())
        .one(db)
        .await?;
    row.map(from_row).transpose()
}
