//! The table of status pages.

use sea_orm::{ActiveValue::Set, prelude::*, sea_query::OnConflict};
use serde::{Deserialize, Serialize};

use super::{Incident, Listed, PageFields, StatusPage, StatusPageError};
use crate::{
    actors::error::CommonError, clock::from_ms, entities::status_page, ids::StatusPageId,
    store::StateError,
};

/// The column `page`.
#[derive(Serialize, Deserialize)]
struct Stored {
    fields: PageFields,
    monitors: Vec<Listed>,
    incidents: Vec<Incident>,
}

/// Every page, for a booting domain; those that cannot be read are left out, loudly.
pub(super) async fn load_all(db: &impl ConnectionTrait) -> Result<Vec<StatusPage>, DbErr> {
    let rows = status_page::Entity::find().all(db).await?;
    let pages = rows.into_iter().filter_map(|row| {
        let stored: Stored = serde_json::from_str(&row.page)
            .inspect_err(|error| {
                tracing::error!(%error, page.id = row.id, "a status page is left out");
            })
            .ok()?;
        Some(StatusPage {
            id: row.id.into(),
            organization: row.organization_id.into(),
            fields: stored.fields,
            monitors: stored.monitors,
            incidents: stored.incidents,
            created_ms: row.created_at.timestamp_millis(),
            updated_ms: row.updated_at.timestamp_millis(),
        })
    });
    Ok(pages.collect())
}

/// Writes a page as it is from now on.
pub(super) async fn put(
    db: &impl ConnectionTrait,
    page: &StatusPage,
) -> Result<(), StatusPageError> {
    let stored = Stored {
        fields: page.fields.clone(),
        monitors: page.monitors.clone(),
        incidents: page.incidents.clone(),
    };
    let stored = serde_json::to_string(&stored)
        .map_err(|error| CommonError::damaged("status page", &page.id, error))?;
    let row = status_page::ActiveModel {
        id: Set(page.id.to_string()),
        organization_id: Set(page.organization.to_string()),
        slug: Set(page.fields.slug.clone()),
        page: Set(stored),
        created_at: Set(from_ms(page.created_ms)),
        updated_at: Set(from_ms(page.updated_ms)),
    };
    let known = OnConflict::column(status_page::Column::Id)
        .update_columns([
            status_page::Column::OrganizationId,
            status_page::Column::Slug,
            status_page::Column::Page,
            status_page::Column::UpdatedAt,
        ])
        .to_owned();
    let written = status_page::Entity::insert(row)
        .on_conflict(known)
        .exec_without_returning(db)
        .await;
    let Err(error) = written else {
        return Ok(());
    };
    let error = StateError::from(error);
    Err(if error.is_taken() {
        StatusPageError::SlugTaken(page.fields.slug.clone())
    } else {
        error.into()
    })
}

pub(super) async fn delete(db: &impl ConnectionTrait, id: &StatusPageId) -> Result<(), DbErr> {
    status_page::Entity::delete_by_id(id.as_str().to_owned())
        .exec(db)
        .await?;
    Ok(())
}
