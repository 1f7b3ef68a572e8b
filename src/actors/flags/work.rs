//! What a change of a flag does to it and to those that need it, in one transaction.

use std::sync::Arc;

use sea_orm::ConnectionTrait;
use serde_json::{Map, Value};

use super::{
    CreateFlag, DeleteFlag, FlagError, FlagsEnv, UpdateFlag,
    dependencies::{self, Beside},
    engine::Compiled,
    fields::{FlagFields, Status},
    groups,
    model::{Author, ChangeKind, Flag},
    repo,
    written::{Written, compiled, written},
};
use crate::{actors::patch::patched, ids::FlagId};

pub(super) async fn create(
    env: FlagsEnv,
    message: CreateFlag,
) -> Result<(Written, Flag), FlagError> {
    let CreateFlag {
        scope,
        author,
        created_by,
        fields,
    } = message;
    let write = env.db.begin().await?;
    let earlier = repo::by_key(&*write, &scope, &fields.key).await?;
    if earlier
        .as_ref()
        .is_some_and(|flag| flag.deleted_ms.is_none())
    {
        return Err(FlagError::KeyTaken(fields.key));
    }
    let now_ms = env.clock.now_ms();
    let mut flag = Flag {
        id: earlier
            .as_ref()
            .map_or_else(FlagId::new, |flag| flag.id.clone()),
        created_by,
        created_ms: now_ms,
        updated_ms: now_ms,
        deleted_ms: None,
        held_back: false,
        scope,
        fields,
    };
    check(&*write, &flag).await?;
    let mut beside = repo::beside(&*write, &flag.scope).await?;
    let asked = flag.fields.status;
    admit(&mut beside, &mut flag, asked)?;
    let kind = if earlier.is_some() {
        repo::update(&*write, &flag).await?;
        ChangeKind::Restored
    } else {
        repo::insert(&*write, &flag).await?;
        ChangeKind::Created
    };
    repo::note(&*write, kind, &author, (earlier.as_ref(), &flag)).await?;
    let flags = cascade(&*write, beside, &flag).await?;
    let groups = groups::of(&*write, &flag.scope).await?;
    let written = written(&flag.scope, &flags, &groups)?;
    write.commit().await?;
    Ok((written, flag))
}

pub(super) async fn update(
    env: FlagsEnv,
    message: UpdateFlag,
) -> Result<(Written, Flag), FlagError> {
    let write = env.db.begin().await?;
    let before = repo::find(&*write, &message.organization, &message.id).await?;
    let (written, flag) = change(&*write, env.clock.now_ms(), before, &message).await?;
    write.commit().await?;
    Ok((written, flag))
}

/// Changes a flag that is there.
pub(super) async fn change(
    db: &impl ConnectionTrait,
    now_ms: i64,
    before: Flag,
    message: &UpdateFlag,
) -> Result<(Written, Flag), FlagError> {
    let fields: FlagFields = patched(("flag", &before.fields), &message.patch, "")?;
    if fields.key != before.fields.key {
        let why = "the key of a flag stays what it is: make another flag";
        return Err(FlagError::invalid("key", why));
    }
    let asked = if before.held_back && !message.patch.contains_key("status") {
        Status::Active
    } else {
        fields.status
    };
    let mut flag = Flag {
        fields,
        updated_ms: now_ms,
        ..before.clone()
    };
    check(db, &flag).await?;
    let mut beside = repo::beside(db, &flag.scope).await?;
    admit(&mut beside, &mut flag, asked)?;
    repo::update(db, &flag).await?;
    let alike = FlagFields {
        status: flag.fields.status,
        ..before.fields.clone()
    };
    let kind = if alike == flag.fields && before.fields.status != flag.fields.status {
        ChangeKind::StatusChanged
    } else {
        ChangeKind::Updated
    };
    repo::note(db, kind, &message.author, (Some(&before), &flag)).await?;
    let flags = cascade(db, beside, &flag).await?;
    let groups = groups::of(db, &flag.scope).await?;
    Ok((written(&flag.scope, &flags, &groups)?, flag))
}

/// A flag as a change would make it, ready to be asked; `None` when it would not be active. Nothing is written.
pub(super) async fn as_changed(
    db: &impl ConnectionTrait,
    before: &Flag,
    patch: &Map<String, Value>,
) -> Result<Option<Arc<Compiled>>, FlagError> {
    let fields: FlagFields = patched(("flag", &before.fields), patch, "")?;
    let flag = Flag {
        fields,
        ..before.clone()
    };
    check(db, &flag).await?;
    let groups = groups::of(db, &flag.scope).await?;
    let is_active = flag.fields.status == Status::Active;
    is_active.then(|| compiled(&flag, &groups)).transpose()
}

pub(super) async fn delete(env: FlagsEnv, message: DeleteFlag) -> Result<(Written, ()), FlagError> {
    let write = env.db.begin().await?;
    let before = repo::find(&*write, &message.organization, &message.id).await?;
    let now_ms = env.clock.now_ms();
    let mut flag = Flag {
        updated_ms: now_ms,
        deleted_ms: Some(now_ms),
        held_back: false,
        ..before.clone()
    };
    flag.fields.status = Status::Archived;
    repo::update(&*write, &flag).await?;
    let change = (Some(&before), &flag);
    repo::note(&*write, ChangeKind::Archived, &message.author, change).await?;
    let mut beside = repo::beside(&*write, &flag.scope).await?;
    beside.remove(&flag.fields.key);
    let flags = cascade(&*write, beside, &flag).await?;
    let groups = groups::of(&*write, &flag.scope).await?;
    let written = written(&flag.scope, &flags, &groups)?;
    write.commit().await?;
    Ok((written, ()))
}

/// What of a flag is in order by itself and with the groups that it targets.
async fn check(db: &impl ConnectionTrait, flag: &Flag) -> Result<(), FlagError> {
    let issues = flag.fields.check();
    if !issues.is_empty() {
        return Err(issues.into());
    }
    let ids = &flag.fields.target_group_ids;
    let groups = groups::of(db, &flag.scope).await?;
    if let Some(at) = ids.iter().position(|id| !groups.contains_key(id)) {
        let message = "No target group of this website has this id";
        let field = format!("targetGroupIds.{at}");
        return Err(FlagError::unknown(field, message));
    }
    compiled(flag, &groups).map(drop)
}

/// Puts a flag beside the others: what it needs is there, in no circle, and it is active only if all of it is.
fn admit(beside: &mut Beside, flag: &mut Flag, asked: Status) -> Result<(), FlagError> {
    let key = flag.fields.key.clone();
    for (at, needed) in flag.fields.dependencies.iter().enumerate() {
        let other = beside.get(needed);
        let there = *needed == key
            || other.is_some_and(|other| other.fields.environment == flag.fields.environment);
        if !there {
            let field = format!("dependencies.{at}");
            let message = match other {
                Some(_) => format!("The flag `{needed}` counts in another environment"),
                None => format!("There is no flag `{needed}` here"),
            };
            return Err(FlagError::unknown(field, message));
        }
    }
    flag.fields.status = asked;
    flag.held_back = false;
    beside.insert(key.clone(), flag.clone());
    if let Some(way) = dependencies::circle(beside, &key) {
        let way = way.join("` needs `");
        let message = format!("Flags would need each other: `{way}` needs `{key}`");
        return Err(FlagError::invalid("dependencies", message));
    }
    if asked == Status::Active && !dependencies::is_satisfied(beside, flag) {
        flag.fields.status = Status::Inactive;
        flag.held_back = true;
        beside.insert(key, flag.clone());
    }
    Ok(())
}

/// Changes those that need a flag as it has changed; returns all of them.
async fn cascade(
    db: &impl ConnectionTrait,
    mut beside: Beside,
    flag: &Flag,
) -> Result<Vec<Flag>, FlagError> {
    let mut flags = vec![flag.clone()];
    let before = beside.clone();
    let author = Author::Dependency(flag.fields.key.clone());
    for key in dependencies::settle(&mut beside, &flag.fields.key) {
        let Some(mut changed) = beside.remove(&key) else {
            continue;
        };
        changed.updated_ms = flag.updated_ms;
        repo::update(db, &changed).await?;
        let change = (before.get(&key), &changed);
        repo::note(db, ChangeKind::StatusChanged, &author, change).await?;
        flags.push(changed);
    }
    Ok(flags)
}
