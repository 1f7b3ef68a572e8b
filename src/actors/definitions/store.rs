//! The table of this domain.

use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect, prelude::*};
use serde_json::{Map, Value};

use super::{DefinitionError, Kind, NewDefinition, Saved, SavedDefinition, rules};
use crate::{
    actors::error::CommonError,
    clock::{Clock, from_ms},
    entities::{self, study},
    ids::{DefinitionId, UserId, WebsiteId},
    store::StateDb,
};

const MAX_LISTED: u64 = 1_000;

/// All saved definitions; cheap to clone.
#[derive(Debug, Clone)]
pub struct DefinitionsStore {
    db: StateDb,
    clock: Clock,
}

impl DefinitionsStore {
    pub fn new(db: &StateDb, clock: Clock) -> Self {
        Self {
            db: db.for_domain("studies"),
            clock,
        }
    }

    /// What a website has of a kind, newest first.
    pub async fn list(
        &self,
        website: &WebsiteId,
        kind: Kind,
    ) -> Result<Vec<SavedDefinition>, DefinitionError> {
        let rows = study::Entity::within(website)
            .filter(study::COLUMN.kind.eq(kind.as_str()))
            .order_by_desc(study::COLUMN.created_at)
            .order_by_desc(study::COLUMN.id)
            .limit(MAX_LISTED)
            .all(self.db.reader())
            .await?;
        rows.into_iter().map(|row| from_row(kind, row)).collect()
    }

    /// The definition of this kind with this id, of any owner.
    pub async fn get(
        &self,
        kind: Kind,
        id: &str,
    ) -> Result<Option<SavedDefinition>, DefinitionError> {
        find(self.db.reader(), kind, &DefinitionId::from(id)).await
    }

    /// Saves something new.
    pub async fn create(&self, new: NewDefinition) -> Result<SavedDefinition, DefinitionError> {
        let (saved, now_ms) = (rules::checked(new.saved)?, self.clock.now_ms());
        let kind = saved.kind();
        let definition = SavedDefinition {
            id: DefinitionId::new(),
            website: new.website,
            saved,
            created_by: new.created_by,
            created_ms: now_ms,
            updated_ms: now_ms,
        };
        let row = study::ActiveModel {
            id: Set(definition.id.to_string()),
            website_id: Set(definition.website.to_string()),
            kind: Set(kind.as_str().to_owned()),
            fields: Set(to_json(&definition)?),
            created_by: Set(definition.created_by.clone().map(String::from)),
            created_at: Set(from_ms(now_ms)),
            updated_at: Set(from_ms(now_ms)),
            deleted_at: Set(None),
        };
        let write = self.db.begin().await?;
        let known = study::Entity::within(&definition.website)
            .filter(study::COLUMN.kind.eq(kind.as_str()))
            .count(&*write)
            .await?;
        if known >= rules::MAX {
            return Err(DefinitionError::TooMany {
                kind,
                most: rules::MAX,
            });
        }
        entities::insert(&*write, row).await?;
        write.commit().await?;
        Ok(definition)
    }

    /// Changes the fields that the patch names.
    pub async fn update(
        &self,
        kind: Kind,
        id: &DefinitionId,
        patch: &Map<String, Value>,
    ) -> Result<SavedDefinition, DefinitionError> {
        let write = self.db.begin().await?;
        let before = find(&*write, kind, id).await?;
        let before = before.ok_or_else(|| DefinitionError::NotFound(kind, id.clone()))?;
        let after = SavedDefinition {
            saved: rules::patched(&before.saved, patch)?,
            updated_ms: self.clock.now_ms(),
            ..before
        };
        let row = study::ActiveModel {
            fields: Set(to_json(&after)?),
            updated_at: Set(from_ms(after.updated_ms)),
            ..Default::default()
        };
        entities::update(&*write, id.as_str(), row).await?;
        write.commit().await?;
        Ok(after)
    }

    pub async fn delete(&self, kind: Kind, id: &DefinitionId) -> Result<(), DefinitionError> {
        let row = study::ActiveModel {
            deleted_at: Set(Some(from_ms(self.clock.now_ms()))),
            ..Default::default()
        };
        let write = self.db.begin().await?;
        let deleted = study::Entity::update_many()
            .set(row)
            .filter(study::COLUMN.id.eq(id.as_str()))
            .filter(study::COLUMN.kind.eq(kind.as_str()))
            .filter(study::COLUMN.deleted_at.is_null())
            .exec(&*write)
            .await?;
        if deleted.rows_affected == 0 {
            return Err(DefinitionError::NotFound(kind, id.clone()));
        }
        Ok(write.commit().await?)
    }
}

async fn find(
    db: &impl ConnectionTrait,
    kind: Kind,
    id: &DefinitionId,
) -> Result<Option<SavedDefinition>, DefinitionError> {
    let row = study::Entity::find_by_id(id.to_string())
        .filter(study::COLUMN.kind.eq(kind.as_str()))
        .filter(study::COLUMN.deleted_at.is_null())
        .one(db)
        .await?;
    row.map(|row| from_row(kind, row)).transpose()
}

fn to_json(definition: &SavedDefinition) -> Result<String, DefinitionError> {
    Ok(serde_json::to_string(&definition.saved).map_err(|error| {
        CommonError::damaged(definition.saved.kind().as_str(), &definition.id, error)
    })?)
}

fn from_row(kind: Kind, row: study::Model) -> Result<SavedDefinition, DefinitionError> {
    let text = &row.fields;
    let saved = match kind {
        Kind::Goal => serde_json::from_str(text).map(Saved::Goal),
        Kind::Funnel => serde_json::from_str(text).map(Saved::Funnel),
        Kind::Annotation => serde_json::from_str(text).map(Saved::Annotation),
        Kind::Segment => serde_json::from_str(text).map(Saved::Segment),
    };
    let saved = saved.map_err(|error| CommonError::damaged(kind.as_str(), &row.id, error))?;
    Ok(SavedDefinition {
        id: row.id.into(),
        website: row.website_id.into(),
        saved,
        created_by: row.created_by.map(UserId::from),
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
    })
}
