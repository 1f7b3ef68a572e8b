//! Changes of flags and of their dependents, in one transaction.

use std::sync::Arc;

use sea_orm::ConnectionTrait;
use serde_json::{Map, Value};

use super::{
    CreateFlag, DeleteFlag, FlagError, FlagsEnv, FlagsView, UpdateFlag,
    compiled::{FlagChanges, compile_changes, compile_flag},
    dependencies::{self, Siblings},
    engine::Compiled,
    fields::{FlagFields, Status},
    groups,
    model::{Author, ChangeKind, Flag},
    repo,
};
use crate::{actors::patch::patched, ids::FlagId};

pub(super) async fn create(
    env: FlagsEnv,
    message: CreateFlag,
) -> Result<(FlagChanges, Flag), FlagError> {
    let CreateFlag {
        scope,
        author,
        created_by,
        fields,
    } = message;
    let write = env.db.begin().await?;
    let earlier = repo::find_by_key(&*write, &scope, &fields.key).await?;
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
    let mut siblings = repo::load_siblings(&*write, &flag.scope).await?;
    let wanted = flag.fields.status;
    admit(&mut siblings, &mut flag, wanted)?;
    let kind = if earlier.is_some() {
        repo::update(&*write, &flag).await?;
        ChangeKind::Restored
    } else {
        repo::insert(&*write, &flag).await?;
        ChangeKind::Created
    };
    repo::insert_change(&*write, kind, &author, (earlier.as_ref(), &flag)).await?;
    let changes = cascade(&*write, siblings, &flag).await?;
    write.commit().await?;
    Ok((changes, flag))
}

pub(super) async fn update(
    env: FlagsEnv,
    message: UpdateFlag,
) -> Result<(FlagChanges, Flag), FlagError> {
    let write = env.db.begin().await?;
    let before = repo::find(&*write, &message.organization, &message.id).await?;
    let (changes, flag) = change(&*write, env.clock.now_ms(), before, &message).await?;
    write.commit().await?;
    Ok((changes, flag))
}

pub(super) async fn change(
    db: &impl ConnectionTrait,
    now_ms: i64,
    before: Flag,
    message: &UpdateFlag,
) -> Result<(FlagChanges, Flag), FlagError> {
    let fields: FlagFields = patched(("flag", &before.fields), &message.patch, "")?;
    if fields.key != before.fields.key {
        let why = "the key of a flag can't be changed. Create another flag instead";
        return Err(FlagError::invalid("key", why));
    }
    let wanted = if before.held_back && !message.patch.contains_key("status") {
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
    let mut siblings = repo::load_siblings(db, &flag.scope).await?;
    admit(&mut siblings, &mut flag, wanted)?;
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
    repo::insert_change(db, kind, &message.author, (Some(&before), &flag)).await?;
    Ok((cascade(db, siblings, &flag).await?, flag))
}

impl FlagsView {
    /// The compiled flag after a change, which is not written; `None` if it would not be active. Refuses what
    /// [`UpdateFlag`] would refuse, except for dependencies.
    pub async fn preview_change(
        &self,
        before: &Flag,
        patch: &Map<String, Value>,
    ) -> Result<Option<Arc<Compiled>>, FlagError> {
        let db = self.db.reader();
        let fields: FlagFields = patched(("flag", &before.fields), patch, "")?;
        let flag = Flag {
            fields,
            ..before.clone()
        };
        check(db, &flag).await?;
        let groups = groups::load_compiled(db, &flag.scope).await?;
        let is_active = flag.fields.status == Status::Active;
        is_active.then(|| compile_flag(&flag, &groups)).transpose()
    }
}

pub(super) async fn delete(
    env: FlagsEnv,
    message: DeleteFlag,
) -> Result<(FlagChanges, ()), FlagError> {
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
    repo::insert_change(&*write, ChangeKind::Archived, &message.author, change).await?;
    let mut siblings = repo::load_siblings(&*write, &flag.scope).await?;
    siblings.remove(&flag.fields.key);
    let changes = cascade(&*write, siblings, &flag).await?;
    write.commit().await?;
    Ok((changes, ()))
}

/// Checks a flag with its target groups.
async fn check(db: &impl ConnectionTrait, flag: &Flag) -> Result<(), FlagError> {
    let issues = flag.fields.check();
    if !issues.is_empty() {
        return Err(issues.into());
    }
    let ids = &flag.fields.target_group_ids;
    let groups = groups::load_compiled(db, &flag.scope).await?;
    if let Some(at) = ids.iter().position(|id| !groups.contains_key(id)) {
        let message = "No target group of this website has this id";
        let field = format!("targetGroupIds.{at}");
        return Err(FlagError::unknown(field, message));
    }
    compile_flag(flag, &groups).map(drop)
}

/// Adds a flag to its siblings. Its dependencies must exist without a cycle, and it is active only if all of them are.
fn admit(siblings: &mut Siblings, flag: &mut Flag, wanted: Status) -> Result<(), FlagError> {
    let key = flag.fields.key.clone();
    for (at, needed) in flag.fields.dependencies.iter().enumerate() {
        let other = siblings.get(needed);
        let there = *needed == key
            || other.is_some_and(|other| other.fields.environment == flag.fields.environment);
        if !there {
            let field = format!("dependencies.{at}");
            let message = match other {
                Some(_) => format!("The flag `{needed}` has another environment"),
                None => format!("No flag `{needed}` exists here"),
            };
            return Err(FlagError::unknown(field, message));
        }
    }
    flag.fields.status = wanted;
    flag.held_back = false;
    siblings.insert(key.clone(), flag.clone());
    if let Some(path) = dependencies::find_cycle(siblings, &key) {
        let path = path.join("` needs `");
        let message = format!("Flags can't depend on each other: `{path}` needs `{key}`");
        return Err(FlagError::invalid("dependencies", message));
    }
    if wanted == Status::Active && !dependencies::is_satisfied(siblings, flag) {
        flag.fields.status = Status::Inactive;
        flag.held_back = true;
        siblings.insert(key, flag.clone());
    }
    Ok(())
}

/// Updates the dependents of a changed flag.
async fn cascade(
    db: &impl ConnectionTrait,
    mut siblings: Siblings,
    flag: &Flag,
) -> Result<FlagChanges, FlagError> {
    let mut flags = vec![flag.clone()];
    let before = siblings.clone();
    let author = Author::Dependency(flag.fields.key.clone());
    for key in dependencies::update_dependents(&mut siblings, &flag.fields.key) {
        let Some(mut changed) = siblings.remove(&key) else {
            continue;
        };
        changed.updated_ms = flag.updated_ms;
        repo::update(db, &changed).await?;
        let change = (before.get(&key), &changed);
        repo::insert_change(db, ChangeKind::StatusChanged, &author, change).await?;
        flags.push(changed);
    }
    let groups = groups::load_compiled(db, &flag.scope).await?;
    compile_changes(&flag.scope, &flags, &groups)
}
