//! The table of this domain, and what anyone may read of it.

use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect, prelude::*};

use super::{CreateDefinition, DefinitionError, Kind, Saved, SavedDefinition};
use crate::{
    actors::error::CommonError,
    clock::from_ms,
    entities::{self, study},
    ids::{DefinitionId, UserId, WebsiteId},
    store::StateDb,
};

const MAX_LISTED: u64 = 1_000;

#[derive(Debug, Clone)]
pub struct DefinitionsView {
    db: StateDb,
}

impl DefinitionsView {
    pub(super) const fn new(db: StateDb) -> Self {
        Self { db }
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

    /// The definition of this kind with this id, whoever owns its website.
    pub async fn get(
        &self,
        kind: Kind,
        id: &str,
    ) -> Result<Option<SavedDefinition>, DefinitionError> {
        find(self.db.reader(), kind, &DefinitionId::from(id)).await
    }
}

pub(super) async fn find(
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

pub(super) async fn count(
    db: &impl ConnectionTrait,
    website: &WebsiteId,
    kind: Kind,
) -> Result<u64, DbErr> {
    study::Entity::within(website)
        .filter(study::COLUMN.kind.eq(kind.as_str()))
        .count(db)
        .await
}

pub(super) async fn insert(
    db: &impl ConnectionTrait,
    message: CreateDefinition,
    now_ms: i64,
) -> Result<SavedDefinition, DefinitionError> {
    let definition = SavedDefinition {
        id: DefinitionId::new(),
        website: message.website,
        saved: message.saved,
        created_by: message.created_by,
        created_ms: now_ms,
        updated_ms: now_ms,
    };
    let row = study::ActiveModel {
        id: Set(definition.id.to_string()),
        website_id: Set(definition.website.to_string()),
        kind: Set(definition.saved.kind().as_str().to_owned()),
        fields: Set(to_json(&definition)?),
        created_by: Set(definition.created_by.clone().map(String::from)),
        created_at: Set(from_ms(now_ms)),
        updated_at: Set(from_ms(now_ms)),
        deleted_at: Set(None),
    };
    entities::insert(db, row).await?;
    Ok(definition)
}

pub(super) async fn change(
    db: &impl ConnectionTrait,
    definition: &SavedDefinition,
) -> Result<(), DefinitionError> {
    let fields = to_json(definition)?;
    study::Entity::update_many()
        .col_expr(study::Column::Fields, Expr::value(fields))
        .col_expr(
            study::Column::UpdatedAt,
            Expr::value(from_ms(definition.updated_ms)),
        )
        .filter(study::COLUMN.id.eq(definition.id.as_str()))
        .exec(db)
        .await?;
    Ok(())
}

/// Whether there was one.
pub(super) async fn delete(
    db: &impl ConnectionTrait,
    kind: Kind,
    id: &DefinitionId,
    now_ms: i64,
) -> Result<bool, DbErr> {
    let gone = study::Entity::update_many()
        .col_expr(study::Column::DeletedAt, Expr::value(Some(from_ms(now_ms))))
        .filter(study::COLUMN.id.eq(id.as_str()))
        .filter(study::COLUMN.kind.eq(kind.as_str()))
        .filter(study::COLUMN.deleted_at.is_null())
        .exec(db)
        .await?;
    Ok(gone.rows_affected > 0)
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
