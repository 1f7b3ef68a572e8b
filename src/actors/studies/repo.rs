//! The table of this domain, and what anyone may read of it.

use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect, prelude::*};

use super::{CreateStudy, Kind, Saved, Study, StudyError};
use crate::{
    actors::error::CommonError,
    clock::from_ms,
    entities::{self, study},
    ids::{StudyId, UserId, WebsiteId},
    store::StateDb,
};

/// Rows of a list.
const MAX_LISTED: u64 = 1_000;

/// The reader of studies.
#[derive(Debug, Clone)]
pub struct Studies {
    db: StateDb,
}

impl Studies {
    pub(super) const fn new(db: StateDb) -> Self {
        Self { db }
    }

    /// What a website has of a kind, newest first.
    ///
    /// # Errors
    /// Storage fails, or holds what cannot be read.
    pub async fn of(&self, website: &WebsiteId, kind: Kind) -> Result<Vec<Study>, StudyError> {
        let rows = study::Entity::within(website)
            .filter(study::COLUMN.kind.eq(kind.as_str()))
            .order_by_desc(study::COLUMN.created_at)
            .order_by_desc(study::COLUMN.id)
            .limit(MAX_LISTED)
            .all(self.db.reader())
            .await?;
        rows.into_iter().map(|row| from_row(kind, row)).collect()
    }

    /// The study of this kind with this id, whoever owns its website.
    ///
    /// # Errors
    /// Storage fails, or holds what cannot be read.
    pub async fn get(&self, kind: Kind, id: &str) -> Result<Option<Study>, StudyError> {
        find(self.db.reader(), kind, &StudyId::from(id)).await
    }
}

pub(super) async fn find(
    db: &impl ConnectionTrait,
    kind: Kind,
    id: &StudyId,
) -> Result<Option<Study>, StudyError> {
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
    message: CreateStudy,
    now_ms: i64,
) -> Result<Study, StudyError> {
    let study = Study {
        id: StudyId::new(),
        website: message.website,
        saved: message.saved,
        created_by: message.created_by,
        created_ms: now_ms,
        updated_ms: now_ms,
    };
    let row = study::ActiveModel {
        id: Set(study.id.to_string()),
        website_id: Set(study.website.to_string()),
        kind: Set(study.saved.kind().as_str().to_owned()),
        fields: Set(to_json(&study)?),
        created_by: Set(study.created_by.clone().map(String::from)),
        created_at: Set(from_ms(now_ms)),
        updated_at: Set(from_ms(now_ms)),
        deleted_at: Set(None),
    };
    entities::insert(db, row).await?;
    Ok(study)
}

pub(super) async fn change(db: &impl ConnectionTrait, study: &Study) -> Result<(), StudyError> {
    let fields = to_json(study)?;
    study::Entity::update_many()
        .col_expr(study::Column::Fields, Expr::value(fields))
        .col_expr(
            study::Column::UpdatedAt,
            Expr::value(from_ms(study.updated_ms)),
        )
        .filter(study::COLUMN.id.eq(study.id.as_str()))
        .exec(db)
        .await?;
    Ok(())
}

/// Whether there was one.
pub(super) async fn delete(
    db: &impl ConnectionTrait,
    kind: Kind,
    id: &StudyId,
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

fn to_json(study: &Study) -> Result<String, StudyError> {
    let fields = match &study.saved {
        Saved::Goal(fields) => serde_json::to_string(fields),
        Saved::Funnel(fields) => serde_json::to_string(fields),
        Saved::Annotation(fields) => serde_json::to_string(fields),
        Saved::Segment(fields) => serde_json::to_string(fields),
    };
    Ok(fields
        .map_err(|error| CommonError::damaged(study.saved.kind().as_str(), &study.id, error))?)
}

fn from_row(kind: Kind, row: study::Model) -> Result<Study, StudyError> {
    let text = &row.fields;
    let saved = match kind {
        Kind::Goal => serde_json::from_str(text).map(Saved::Goal),
        Kind::Funnel => serde_json::from_str(text).map(Saved::Funnel),
        Kind::Annotation => serde_json::from_str(text).map(Saved::Annotation),
        Kind::Segment => serde_json::from_str(text).map(Saved::Segment),
    };
    let saved = saved.map_err(|error| CommonError::damaged(kind.as_str(), &row.id, error))?;
    Ok(Study {
        id: row.id.into(),
        website: row.website_id.into(),
        saved,
        created_by: row.created_by.map(UserId::from),
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
    })
}
