//! The tables of flags and of their changes.

use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect, prelude::*};
use serde::{Deserialize, Serialize};

use super::{
    FlagError, FlagsView,
    dependencies::Siblings,
    fields::{FlagFields, Status},
    model::{Author, Change, ChangeKind, Flag, Scope},
};
use crate::{
    actors::error::write_error,
    clock::from_ms,
    entities::{self, flag, flag_change},
    ids::{FlagId, OrganizationId, UserId, WebsiteId},
};

const MAX_LISTED: u64 = 200;
const MAX_CHANGES: u64 = 200;

/// The column `details`.
#[derive(Serialize, Deserialize)]
struct Details {
    #[serde(flatten)]
    fields: FlagFields,
    #[serde(default)]
    held_back: bool,
}

impl FlagsView {
    /// The flag with this id, of any organization.
    pub async fn by_id(&self, id: &str) -> Result<Option<Flag>, FlagError> {
        find_by_id(self.db.reader(), id).await
    }

    /// The flag with this key, unless it was deleted.
    pub async fn by_key(&self, scope: &Scope, key: &str) -> Result<Option<Flag>, FlagError> {
        let found = find_by_key(self.db.reader(), scope, key).await?;
        Ok(found.filter(|flag| flag.deleted_ms.is_none()))
    }

    /// Every active flag, ordered by key.
    pub async fn definitions(&self, scope: &Scope) -> Result<Vec<Flag>, FlagError> {
        let siblings = load_siblings(self.db.reader(), scope).await?;
        let active = |flag: &Flag| flag.fields.status == Status::Active;
        Ok(siblings.into_values().filter(active).collect())
    }

    /// At most 200 flags, newest first.
    pub async fn list(
        &self,
        scope: &Scope,
        status: Option<Status>,
    ) -> Result<Vec<Flag>, FlagError> {
        let mut select = within(scope).filter(flag::COLUMN.deleted_at.is_null());
        if let Some(status) = status {
            select = select.filter(flag::COLUMN.status.eq(status.as_str()));
        }
        let rows = select
            .order_by_desc(flag::COLUMN.created_at)
            .order_by_desc(flag::COLUMN.id)
            .limit(MAX_LISTED)
            .all(self.db.reader())
            .await?;
        rows.into_iter().map(from_row).collect()
    }

    /// At most 200 changes, newest first.
    pub async fn changes(&self, flag: &Flag) -> Result<Vec<Change>, FlagError> {
        let rows = flag_change::Entity::within(&flag.scope.organization)
            .filter(flag_change::COLUMN.flag_id.eq(flag.id.as_str()))
            .order_by_desc(flag_change::COLUMN.at)
            .order_by_desc(flag_change::COLUMN.id)
            .limit(MAX_CHANGES)
            .all(self.db.reader())
            .await?;
        let wrong = |error: serde_json::Error| FlagError::damaged(&flag.id, &error);
        let read = |text: Option<String>| text.map(|text| serde_json::from_str(&text)).transpose();
        let change = |row: flag_change::Model| {
            Ok(Change {
                id: row.id,
                kind: serde_json::from_str(&row.kind).map_err(wrong)?,
                author: serde_json::from_str(&row.actor).map_err(wrong)?,
                before: read(row.before).map_err(wrong)?,
                after: read(row.after).map_err(wrong)?,
                at_ms: row.at.timestamp_millis(),
            })
        };
        rows.into_iter().map(change).collect()
    }
}

fn within(scope: &Scope) -> Select<flag::Entity> {
    flag::Entity::within(&scope.organization).filter(flag::COLUMN.scope_id.eq(scope.id()))
}

/// The flags of a website or organization by key, without deleted ones.
pub(super) async fn load_siblings(
    db: &impl ConnectionTrait,
    scope: &Scope,
) -> Result<Siblings, FlagError> {
    let rows = within(scope)
        .filter(flag::COLUMN.deleted_at.is_null())
        .all(db)
        .await?;
    rows.into_iter()
        .map(|row| Ok((row.key.clone(), from_row(row)?)))
        .collect()
}

/// Every active flag, for a booting domain. Flags that cannot be read are logged and left out.
pub(super) async fn active(db: &impl ConnectionTrait) -> Result<Vec<Flag>, FlagError> {
    let rows = flag::Entity::find()
        .filter(flag::COLUMN.deleted_at.is_null())
        .filter(flag::COLUMN.status.eq(Status::Active.as_str()))
        .all(db)
        .await?;
    let flags = rows.into_iter().map(from_row);
    let known = flags.filter_map(|flag| {
        flag.inspect_err(|error| tracing::error!(%error, "a flag is left out"))
            .ok()
    });
    Ok(known.collect())
}

/// The flag with this key, which may be deleted.
pub(super) async fn find_by_key(
    db: &impl ConnectionTrait,
    scope: &Scope,
    key: &str,
) -> Result<Option<Flag>, FlagError> {
    let row = within(scope)
        .filter(flag::COLUMN.key.eq(key))
        .one(db)
        .await?;
    row.map(from_row).transpose()
}

/// The flag with this id, of any organization, unless it was deleted.
async fn find_by_id(db: &impl ConnectionTrait, id: &str) -> Result<Option<Flag>, FlagError> {
    let row = entities::find::<flag::Entity>(db, id).await?;
    let row = row.filter(|row| row.deleted_at.is_none());
    row.map(from_row).transpose()
}

/// The organization's flag with this id.
pub(super) async fn find(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    id: &FlagId,
) -> Result<Flag, FlagError> {
    let found = find_by_id(db, id.as_str()).await?;
    found
        .filter(|flag| flag.scope.organization == *organization)
        .ok_or_else(|| FlagError::NotFound(id.clone()))
}

pub(super) async fn insert(db: &impl ConnectionTrait, flag: &Flag) -> Result<(), FlagError> {
    let inserted = entities::insert(db, to_row(flag)?).await;
    let taken = || FlagError::KeyTaken(flag.fields.key.clone());
    inserted.map_err(|error| write_error(error, taken()))
}

pub(super) async fn update(db: &impl ConnectionTrait, flag: &Flag) -> Result<(), FlagError> {
    entities::update(db, flag.id.as_str(), to_row(flag)?).await?;
    Ok(())
}

fn to_row(flag: &Flag) -> Result<flag::ActiveModel, FlagError> {
    let details = Details {
        fields: flag.fields.clone(),
        held_back: flag.held_back,
    };
    let details =
        serde_json::to_string(&details).map_err(|error| FlagError::damaged(&flag.id, &error))?;
    let website = flag.scope.website.as_ref();
    Ok(flag::ActiveModel {
        id: Set(flag.id.to_string()),
        organization_id: Set(flag.scope.organization.to_string()),
        website_id: Set(website.map(ToString::to_string)),
        scope_id: Set(flag.scope.id().to_owned()),
        key: Set(flag.fields.key.clone()),
        status: Set(flag.fields.status.as_str().to_owned()),
        created_by: Set(flag.created_by.as_ref().map(ToString::to_string)),
        details: Set(details),
        created_at: Set(from_ms(flag.created_ms)),
        updated_at: Set(from_ms(flag.updated_ms)),
        deleted_at: Set(flag.deleted_ms.map(from_ms)),
    })
}

fn from_row(row: flag::Model) -> Result<Flag, FlagError> {
    let id = FlagId::from(row.id);
    let details: Details =
        serde_json::from_str(&row.details).map_err(|error| FlagError::damaged(&id, &error))?;
    Ok(Flag {
        id,
        scope: Scope {
            organization: row.organization_id.into(),
            website: row.website_id.map(WebsiteId::from),
        },
        created_by: row.created_by.map(UserId::from),
        fields: details.fields,
        held_back: details.held_back,
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
        deleted_ms: row.deleted_at.map(|at| at.timestamp_millis()),
    })
}

/// Adds an entry to the change log.
pub(super) async fn insert_change(
    db: &impl ConnectionTrait,
    kind: ChangeKind,
    author: &Author,
    (before, after): (Option<&Flag>, &Flag),
) -> Result<(), FlagError> {
    let wrong = |error: serde_json::Error| FlagError::damaged(&after.id, &error);
    let to_json = |flag: &Flag| serde_json::to_string(&flag.fields);
    let before = before.map(to_json).transpose().map_err(wrong)?;
    let row = flag_change::ActiveModel {
        id: Set(uuid::Uuid::now_v7().to_string()),
        organization_id: Set(after.scope.organization.to_string()),
        flag_id: Set(after.id.to_string()),
        kind: Set(serde_json::to_string(&kind).map_err(wrong)?),
        actor: Set(serde_json::to_string(author).map_err(wrong)?),
        before: Set(before),
        after: Set(Some(to_json(after).map_err(wrong)?)),
        at: Set(from_ms(after.updated_ms)),
    };
    Ok(entities::insert(db, row).await?)
}
