//! The table of status pages.

use std::sync::Arc;

use sea_orm::{ActiveValue::Set, prelude::*};
use serde::{Deserialize, Serialize};

use super::{Incident, Logo, PageFields, PageMonitor, StatusPage, StatusPageError};
use crate::{
    actors::error::{CommonError, write_error},
    clock::from_ms,
    entities::{self, status_page},
};

/// The column `page`.
#[derive(Serialize, Deserialize)]
struct Stored {
    fields: PageFields,
    monitors: Vec<PageMonitor>,
    incidents: Vec<Incident>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    logo: Option<Logo>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    password_hash: Option<String>,
}

/// Every page, for a booting domain. Pages that cannot be read are logged and left out.
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
            logo: stored.logo.map(Arc::new),
            password_hash: stored.password_hash,
            created_ms: row.created_at.timestamp_millis(),
            updated_ms: row.updated_at.timestamp_millis(),
        })
    });
    Ok(pages.collect())
}

/// Writes a page, new or changed.
pub(super) async fn put(
    db: &impl ConnectionTrait,
    page: &StatusPage,
) -> Result<(), StatusPageError> {
    let stored = Stored {
        fields: page.fields.clone(),
        monitors: page.monitors.clone(),
        incidents: page.incidents.clone(),
        logo: page.logo.as_deref().cloned(),
        password_hash: page.password_hash.clone(),
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
    let changed = [
        status_page::Column::OrganizationId,
        status_page::Column::Slug,
        status_page::Column::Page,
        status_page::Column::UpdatedAt,
    ];
    let written = entities::upsert(db, row, [status_page::Column::Id], changed).await;
    let taken = || StatusPageError::SlugTaken(page.fields.slug.clone());
    written.map_err(|error| write_error(error, taken()))
}
