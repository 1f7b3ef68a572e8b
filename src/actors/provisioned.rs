//! What was made because a file declares it. It separates declared things from hand-made ones, and edits by hand from
//! edits of files.
//!
//! Owns the table `provisioned`. No actor: one task of the program reconciles, or the command that holds the data
//! directory. Rows hold prints (keyed hashes) of fields, never what the fields say: declarations hold secrets. The same
//! transaction writes the audit log.

use std::collections::BTreeMap;

use sea_orm::{IntoActiveModel as _, prelude::*};
use serde_json::json;

use crate::{
    actors::audit::{self, Action, Actor, Entry},
    clock::Clock,
    entities::{
        self,
        provisioned::{COLUMN, Column, Entity, Model},
    },
    ids::OrganizationId,
    store::{StateDb, StateError},
};

/// Prints of fields, by name.
pub type Prints = BTreeMap<String, String>;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    pub organization: OrganizationId,
    /// What kind of thing, as files call it.
    pub kind: String,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provisioned {
    pub name: Name,
    /// The id of what was made; `None` while it is being made.
    pub resource: Option<String>,
    pub declared: Prints,
    /// What it was like afterwards; `None` while it is being changed.
    pub applied: Option<Prints>,
}

/// Everything that was made because files declare it.
pub async fn load_all(db: &StateDb) -> Result<Vec<Provisioned>, StateError> {
    let rows = Entity::find().all(db.writer()).await?;
    Ok(rows.into_iter().map(read).collect())
}

fn read(row: Model) -> Provisioned {
    // What cannot be read is as good as unknown: it is put in order by the next run.
    let prints = |text: &str| serde_json::from_str(text).ok();
    Provisioned {
        name: Name {
            organization: row.organization_id.into(),
            kind: row.kind,
            name: row.name,
        },
        resource: row.resource_id,
        declared: prints(&row.declared).unwrap_or_default(),
        applied: row.applied.as_deref().and_then(prints),
    }
}

/// Notes what became of a declaration, and forgets the name that the same thing had before, in one transaction.
pub async fn note(
    db: &StateDb,
    clock: &Clock,
    row: &Provisioned,
    before: Option<&Name>,
) -> Result<(), StateError> {
    let text = |prints: &Prints| serde_json::to_string(prints).unwrap_or_default();
    let model = Model {
        organization_id: row.name.organization.to_string(),
        kind: row.name.kind.clone(),
        name: row.name.name.clone(),
        resource_id: row.resource.clone(),
        declared: text(&row.declared),
        applied: row.applied.as_ref().map(text),
        applied_at: clock.now(),
    };
    let write = db.begin().await?;
    if let Some(before) = before {
        delete(&*write, before).await?;
    }
    let unique = [Column::OrganizationId, Column::Kind, Column::Name];
    let columns = [
        Column::ResourceId,
        Column::Declared,
        Column::Applied,
        Column::AppliedAt,
    ];
    entities::upsert(&*write, model.into_active_model(), unique, columns).await?;
    // While it is being made or changed there is nothing to log yet.
    if row.applied.is_some() {
        let mut entry = audit_entry(&row.name, Action::ProvisionApply);
        entry.details = json!({ "id": row.resource });
        audit::record(&write, clock.now_ms(), entry).await?;
    }
    write.commit().await
}

/// Forgets a declaration; what was made stays as it is, and is hand-made from now on.
pub async fn forget(db: &StateDb, clock: &Clock, name: &Name) -> Result<(), StateError> {
    let write = db.begin().await?;
    delete(&*write, name).await?;
    let entry = audit_entry(name, Action::ProvisionForget);
    audit::record(&write, clock.now_ms(), entry).await?;
    write.commit().await
}

fn audit_entry(name: &Name, action: Action) -> Entry {
    let target = format!("{}.{}", name.kind, name.name);
    Entry::within(&name.organization, Actor::System, action, target)
}

async fn delete(db: &impl ConnectionTrait, name: &Name) -> Result<(), StateError> {
    Entity::delete_many()
        .filter(COLUMN.organization_id.eq(name.organization.as_str()))
        .filter(COLUMN.kind.eq(&name.kind))
        .filter(COLUMN.name.eq(&name.name))
        .exec(db)
        .await?;
    Ok(())
}
