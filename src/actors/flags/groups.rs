//! Target groups: their table and their changes.

use std::sync::Arc;

use sea_orm::{ActiveValue::Set, QueryOrder, prelude::*};

use super::{
    CreateGroup, DeleteGroup, FlagError, FlagsEnv, FlagsView, GroupFields, UpdateGroup,
    compiled::{FlagChanges, Groups, compile_changes},
    engine::Group,
    model::{ChangeKind, Flag, Scope, TargetGroup},
    repo,
};
use crate::{
    actors::issues::Issues,
    clock::from_ms,
    entities::{self, target_group},
    ids::{OrganizationId, TargetGroupId, UserId, WebsiteId},
};

const MAX_NAME: usize = 100;
const MAX_DESCRIPTION: usize = 500;
const MAX_RULES: usize = 100;

impl FlagsView {
    /// The target group with this id, of any organization.
    pub async fn group(&self, id: &str) -> Result<Option<TargetGroup>, FlagError> {
        find_by_id(self.db.reader(), id).await
    }

    /// The compiled target groups of a flag.
    pub async fn compiled_groups(&self, flag: &Flag) -> Result<Vec<Arc<Group>>, FlagError> {
        let mut groups = load_compiled(self.db.reader(), &flag.scope).await?;
        let ids = flag.fields.target_group_ids.iter();
        Ok(ids.filter_map(|id| groups.remove(id)).collect())
    }

    /// The target groups of a website by name.
    pub async fn groups(&self, scope: &Scope) -> Result<Vec<TargetGroup>, FlagError> {
        let rows = within(scope)
            .order_by_asc(target_group::COLUMN.name)
            .order_by_asc(target_group::COLUMN.id)
            .all(self.db.reader())
            .await?;
        rows.into_iter().map(from_row).collect()
    }
}

fn within(scope: &Scope) -> Select<target_group::Entity> {
    // Every group belongs to a website.
    let website = scope.website.as_ref().map_or("", WebsiteId::as_str);
    target_group::Entity::within(&scope.organization)
        .filter(target_group::COLUMN.website_id.eq(website))
}

/// The compiled groups of a website.
pub(super) async fn load_compiled(
    db: &impl ConnectionTrait,
    scope: &Scope,
) -> Result<Groups, FlagError> {
    compile_groups(within(scope).all(db).await?)
}

pub(super) async fn load_all_compiled(db: &impl ConnectionTrait) -> Result<Groups, FlagError> {
    compile_groups(target_group::Entity::find().all(db).await?)
}

fn compile_groups(rows: Vec<target_group::Model>) -> Result<Groups, FlagError> {
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
    let found = find_by_id(db, id.as_str()).await?;
    found
        .filter(|group| group.organization == *organization)
        .ok_or_else(|| FlagError::NoGroup(id.clone()))
}

async fn find_by_id(db: &impl ConnectionTrait, id: &str) -> Result<Option<TargetGroup>, FlagError> {
    let row = entities::find::<target_group::Entity>(db, id).await?;
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
    let group = apply_fields(group, message.fields)?;
    let write = env.db.begin().await?;
    entities::insert(&*write, to_row(&group)?).await?;
    write.commit().await?;
    Ok(group)
}

pub(super) async fn update(
    env: FlagsEnv,
    message: UpdateGroup,
) -> Result<(FlagChanges, TargetGroup), FlagError> {
    let write = env.db.begin().await?;
    let before = find(&*write, &message.organization, &message.id).await?;
    let mut group = apply_fields(before, message.fields)?;
    group.updated_ms = env.clock.now_ms();
    entities::update(&*write, group.id.as_str(), to_row(&group)?).await?;
    let (scope, flags) = load_targeting(&*write, &group).await?;
    let written = compile_changes(&scope, &flags, &load_compiled(&*write, &scope).await?)?;
    write.commit().await?;
    Ok((written, group))
}

pub(super) async fn delete(
    env: FlagsEnv,
    message: DeleteGroup,
) -> Result<(FlagChanges, ()), FlagError> {
    let write = env.db.begin().await?;
    let group = find(&*write, &message.organization, &message.id).await?;
    let (scope, mut flags) = load_targeting(&*write, &group).await?;
    for flag in &mut flags {
        let before = flag.clone();
        let ids = &mut flag.fields.target_group_ids;
        ids.retain(|id| id != group.id.as_str());
        flag.updated_ms = env.clock.now_ms();
        repo::update(&*write, flag).await?;
        let change = (Some(&before), &*flag);
        repo::insert_change(&*write, ChangeKind::Updated, &message.author, change).await?;
    }
    entities::delete::<target_group::Entity>(&*write, group.id.as_str()).await?;
    let written = compile_changes(&scope, &flags, &load_compiled(&*write, &scope).await?)?;
    write.commit().await?;
    Ok((written, ()))
}

async fn load_targeting(
    db: &impl ConnectionTrait,
    group: &TargetGroup,
) -> Result<(Scope, Vec<Flag>), FlagError> {
    let scope = Scope {
        organization: group.organization.clone(),
        website: Some(group.website.clone()),
    };
    let flags = repo::load_siblings(db, &scope).await?.into_values();
    let targets = |flag: &Flag| {
        let mut ids = flag.fields.target_group_ids.iter();
        ids.any(|id| id == group.id.as_str())
    };
    Ok((scope, flags.filter(targets).collect()))
}

/// Applies fields to a group and checks it.
fn apply_fields(mut group: TargetGroup, fields: GroupFields) -> Result<TargetGroup, FlagError> {
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
    let message = "expected a color such as #3B82F6";
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
