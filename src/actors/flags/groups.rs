//! Target groups: what is stored of them, and what changes them.

use std::sync::Arc;

use sea_orm::{ActiveValue::Set, QueryOrder, prelude::*};

use super::{
    CreateGroup, DeleteGroup, FlagError, FlagsEnv, GroupFields, UpdateGroup,
    engine::Group,
    model::{ChangeKind, Flag, Scope, TargetGroup},
    repo,
    written::{Groups, Written, written},
};
use crate::{
    actors::issues::Issues,
    clock::from_ms,
    entities::target_group,
    ids::{OrganizationId, TargetGroupId, UserId, WebsiteId},
};

const MAX_NAME: usize = 100;
const MAX_DESCRIPTION: usize = 500;
const MAX_RULES: usize = 100;

pub(super) async fn list(
    db: &impl ConnectionTrait,
    scope: &Scope,
) -> Result<Vec<TargetGroup>, FlagError> {
    let rows = within(scope)
        .order_by_asc(target_group::COLUMN.name)
        .order_by_asc(target_group::COLUMN.id)
        .all(db)
        .await?;
    rows.into_iter().map(from_row).collect()
}

fn within(scope: &Scope) -> Select<target_group::Entity> {
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

fn from_row(row: target_group::Model) -> Result<TargetGroup, FlagError> {
    let id = TargetGroupId::from(row.id);
    Ok(TargetGroup {
        rules: serde_json::from_str(&row.rules).map_err(|error| FlagError::damaged(&id, &error))?,
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

async fn find(
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

pub(super) async fn create(env: FlagsEnv, message: CreateGroup) -> Result<TargetGroup, FlagError> {
    let now_ms = env.clock.now_ms();
    let group = TargetGroup {
        id: TargetGroupId::new(),
        organization: message.organization,
        website: message.website,
        created_by: message.created_by,
        name: String::new(),
        description: None,
        color: String::new(),
        rules: Vec::new(),
        created_ms: now_ms,
        updated_ms: now_ms,
    };
    let group = with(group, message.fields)?;
    let write = env.db.begin().await?;
    target_group::Entity::insert(to_row(&group)?)
        .exec_without_returning(&*write)
        .await?;
    write.commit().await?;
    Ok(group)
}

pub(super) async fn update(
    env: FlagsEnv,
    message: UpdateGroup,
) -> Result<(Written, TargetGroup), FlagError> {
    let write = env.db.begin().await?;
    let before = find(&*write, &message.organization, &message.id).await?;
    let mut group = with(before, message.fields)?;
    group.updated_ms = env.clock.now_ms();
    target_group::Entity::update_many()
        .set(to_row(&group)?)
        .filter(target_group::COLUMN.id.eq(group.id.as_str()))
        .exec(&*write)
        .await?;
    let (scope, flags) = targeting(&*write, &group).await?;
    let written = written(&scope, &flags, &of(&*write, &scope).await?)?;
    write.commit().await?;
    Ok((written, group))
}

pub(super) async fn delete(
    env: FlagsEnv,
    message: DeleteGroup,
) -> Result<(Written, ()), FlagError> {
    let write = env.db.begin().await?;
    let group = find(&*write, &message.organization, &message.id).await?;
    let (scope, mut flags) = targeting(&*write, &group).await?;
    for flag in &mut flags {
        let before = flag.clone();
        let ids = &mut flag.fields.target_group_ids;
        ids.retain(|id| id != group.id.as_str());
        flag.updated_ms = env.clock.now_ms();
        repo::update(&*write, flag).await?;
        let change = (Some(&before), &*flag);
        repo::note(&*write, ChangeKind::Updated, &message.author, change).await?;
    }
    target_group::Entity::delete_by_id(group.id.as_str().to_owned())
        .exec(&*write)
        .await?;
    let written = written(&scope, &flags, &of(&*write, &scope).await?)?;
    write.commit().await?;
    Ok((written, ()))
}

/// The flags that target a group.
async fn targeting(
    db: &impl ConnectionTrait,
    group: &TargetGroup,
) -> Result<(Scope, Vec<Flag>), FlagError> {
    let scope = Scope {
        organization: group.organization.clone(),
        website: Some(group.website.clone()),
    };
    let flags = repo::beside(db, &scope).await?.into_values();
    let targets = |flag: &Flag| {
        let mut ids = flag.fields.target_group_ids.iter();
        ids.any(|id| id == group.id.as_str())
    };
    Ok((scope, flags.filter(targets).collect()))
}

/// The group with these fields, if they are in order.
fn with(mut group: TargetGroup, fields: GroupFields) -> Result<TargetGroup, FlagError> {
    if let Some(name) = fields.name {
        name.trim().clone_into(&mut group.name);
    }
    group.description = fields.description.unwrap_or(group.description);
    group.color = fields.color.unwrap_or(group.color);
    group.rules = fields.rules.unwrap_or(group.rules);
    let mut issues = Issues::default();
    let fits = |text: &str, most| text.chars().count() <= most && !text.contains('\0');
    let holds = !group.name.is_empty() && fits(&group.name, MAX_NAME);
    issues.require(holds, "invalid", "name", "has 1 to 100 characters");
    let description = group.description.as_deref().unwrap_or_default();
    let holds = fits(description, MAX_DESCRIPTION);
    issues.require(
        holds,
        "invalid",
        "description",
        "has at most 500 characters",
    );
    let digits = group.color.strip_prefix('#').unwrap_or_default();
    let holds = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let message = "expected a colour such as #3B82F6";
    issues.require(holds, "invalid", "color", message);
    issues.require(
        group.rules.len() <= MAX_RULES,
        "invalid",
        "rules",
        "at most 100",
    );
    if let Err(wrong) = Group::new("", "", &group.rules) {
        issues.extend(wrong);
    }
    Ok(issues.finish(group)?)
}

fn to_row(group: &TargetGroup) -> Result<target_group::ActiveModel, FlagError> {
    let rules = serde_json::to_string(&group.rules);
    let rules = rules.map_err(|error| FlagError::damaged(&group.id, &error))?;
    Ok(target_group::ActiveModel {
        id: Set(group.id.to_string()),
        organization_id: Set(group.organization.to_string()),
        website_id: Set(group.website.to_string()),
        created_by: Set(group.created_by.as_ref().map(ToString::to_string)),
        name: Set(group.name.clone()),
        description: Set(group.description.clone()),
        color: Set(group.color.clone()),
        rules: Set(rules),
        created_at: Set(from_ms(group.created_ms)),
        updated_at: Set(from_ms(group.updated_ms)),
    })
}
