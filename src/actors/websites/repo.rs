//! The table of this domain.

use std::{collections::HashMap, sync::Arc};

use sea_orm::{ActiveValue::Set, QueryOrder, prelude::*};

use super::{
    Compatibility, DueWebsite, IngestRules, Website, WebsiteError, WebsiteStatus, WebsitesEnv,
    WebsitesView, claims,
};
use crate::{
    access::plans::Allowance,
    actors::{error::write_error, organizations::OrganizationsView},
    clock::from_ms,
    entities::{self, moved_website, organization, website},
    ids::{OrganizationId, OrganizationKey, WebsiteId, WebsiteKey},
    store::StateError,
};

/// Every live website of a live organization; of those whose organization is gone, the client ids.
pub(super) async fn load(
    db: &impl ConnectionTrait,
    organizations: &OrganizationsView,
) -> Result<WebsitesView, DbErr> {
    let rows = website::Entity::find()
        .filter(website::COLUMN.deleted_at.is_null())
        .order_by_asc(website::COLUMN.created_at)
        .order_by_asc(website::COLUMN.id)
        .all(db)
        .await?;
    let mut protocols: HashMap<WebsiteId, Vec<Compatibility>> = HashMap::new();
    for (website, one) in claims::load(db).await? {
        protocols.entry(website).or_default().push(one);
    }
    for own in protocols.values_mut() {
        own.sort_by(|a, b| (a.protocol, &a.id).cmp(&(b.protocol, &b.id)));
    }
    let mut view = WebsitesView::default();
    for row in rows {
        match organizations.tenant(&row.organization_id) {
            Some(owner) => {
                let mut website = from_row(row, owner.key)?.with_compiled_rules();
                website.compatibility = protocols.remove(&website.id).unwrap_or_default();
                view.insert(Arc::new(website));
            }
            None => view.insert_orphan(row.client_id.into()),
        }
    }
    Ok(view)
}

/// Everything anew, behind a write that happened.
pub(super) async fn reload(env: &WebsitesEnv) -> Result<WebsitesView, WebsiteError> {
    let view = load(env.db.writer(), &env.organizations.view()).await;
    Ok(view.map_err(StateError::Unknown)?)
}

pub(super) fn find_in(view: &WebsitesView, id: &WebsiteId) -> Result<Arc<Website>, WebsiteError> {
    let website = view.by_id(id.as_str()).cloned();
    website.ok_or_else(|| WebsiteError::NotFound(id.clone()))
}

/// Whether the owner's plan allows a further website. The owner's row is locked until the transaction ends: two
/// processes cannot both take the last place.
pub(super) async fn check_allowance(
    db: &impl ConnectionTrait,
    owner: &OrganizationId,
    allowance: Allowance,
) -> Result<(), WebsiteError> {
    organization::Entity::lock(db, owner).await?;
    let current = website::Entity::within(owner).count(db).await?;
    Ok(allowance.admit(current, 1)?)
}

pub(super) async fn insert(
    db: &impl ConnectionTrait,
    website: &Website,
) -> Result<(), WebsiteError> {
    let inserted = entities::insert(db, to_row(website)?).await;
    inserted.map_err(|error| domain_taken(error, website))?;
    if !website.compatibility.is_empty() {
        claims::replace(db, website).await?;
    }
    Ok(())
}

/// Marks a website as deleted; whether there was one.
pub(super) async fn delete(
    db: &impl ConnectionTrait,
    id: &WebsiteId,
    now_ms: i64,
) -> Result<bool, DbErr> {
    let deleted = website::Entity::update_many()
        .col_expr(
            website::Column::DeletedAt,
            Expr::value(Some(from_ms(now_ms))),
        )
        .filter(website::COLUMN.id.eq(id.as_str()))
        .filter(website::COLUMN.deleted_at.is_null())
        .exec(db)
        .await?;
    Ok(deleted.rows_affected > 0)
}

/// For how long a deleted website can be brought back.
const GRACE_MS: i64 = 7 * 86_400_000;

/// The owner of a deleted website that can be brought back.
pub(super) async fn owner_of_deleted(
    db: &impl ConnectionTrait,
    id: &WebsiteId,
    now_ms: i64,
) -> Result<Option<OrganizationId>, DbErr> {
    let row = website::Entity::find_by_id(id.to_string())
        .filter(website::COLUMN.deleted_at.gt(from_ms(now_ms - GRACE_MS)))
        .one(db)
        .await?;
    Ok(row.map(|row| row.organization_id.into()))
}

/// Takes back that a website was deleted, if its domain is free; whether there was one.
pub(super) async fn restore(
    db: &impl ConnectionTrait,
    id: &WebsiteId,
    now_ms: i64,
) -> Result<bool, WebsiteError> {
    let row = website::Entity::find_by_id(id.to_string())
        .filter(website::COLUMN.deleted_at.gt(from_ms(now_ms - GRACE_MS)))
        .one(db)
        .await?;
    let Some(row) = row else { return Ok(false) };
    let holders = website::Entity::within(&OrganizationId::from(row.organization_id))
        .filter(website::COLUMN.domain.eq(&row.domain))
        .count(db)
        .await?;
    if holders > 0 {
        return Err(WebsiteError::DomainTaken(row.domain));
    }
    let restored = website::ActiveModel {
        deleted_at: Set(None),
        updated_at: Set(from_ms(now_ms)),
        ..Default::default()
    };
    Ok(entities::update(db, id.as_str(), restored).await? > 0)
}

/// The deleted websites that cannot be brought back any more.
pub(super) async fn due(db: &impl ConnectionTrait, now_ms: i64) -> Result<Vec<DueWebsite>, DbErr> {
    let rows = website::Entity::find()
        .filter(website::COLUMN.deleted_at.lte(from_ms(now_ms - GRACE_MS)))
        .all(db)
        .await?;
    let due = rows.into_iter().map(|row| DueWebsite {
        id: row.id.into(),
        key: WebsiteKey(row.key),
        organization: row.organization_id.into(),
    });
    Ok(due.collect())
}

/// Removes a deleted website, with the people that it has named and where it was before; whether it was there.
pub(super) async fn erase_one(
    db: &impl ConnectionTrait,
    website: &DueWebsite,
) -> Result<bool, DbErr> {
    moved_website::Entity::delete_many()
        .filter(moved_website::COLUMN.website.eq(website.key.0))
        .exec(db)
        .await?;
    let erased = website::Entity::delete_many()
        .filter(website::COLUMN.id.eq(website.id.as_str()))
        .filter(website::COLUMN.deleted_at.is_not_null())
        .exec(db)
        .await?;
    Ok(erased.rows_affected > 0)
}

/// Stores a changed website. A taken domain is an outcome of its own.
pub(super) async fn update(
    db: &impl ConnectionTrait,
    website: &Website,
) -> Result<(), WebsiteError> {
    let updated = entities::update(db, website.id.as_str(), to_row(website)?).await;
    updated
        .map(drop)
        .map_err(|error| domain_taken(error, website))
}

/// Removes the websites of an organization, deleted ones too, with the people that they have named; how many.
pub(super) async fn erase(db: &impl ConnectionTrait, owner: &OrganizationId) -> Result<u64, DbErr> {
    let erased = website::Entity::delete_many()
        .filter(website::COLUMN.organization_id.eq(owner.as_str()))
        .exec(db)
        .await?;
    Ok(erased.rows_affected)
}

fn domain_taken(error: DbErr, website: &Website) -> WebsiteError {
    write_error(error, WebsiteError::DomainTaken(website.domain.clone()))
}

fn from_row(row: website::Model, organization_key: OrganizationKey) -> Result<Website, DbErr> {
    let status = WebsiteStatus::parse(&row.status)
        .ok_or_else(|| damaged(&row.id, &format!("unknown status `{}`", row.status)))?;
    let settings = serde_json::from_str(&row.settings)
        .map_err(|error| damaged(&row.id, &format!("settings: {error}")))?;
    Ok(Website {
        id: row.id.into(),
        client_id: row.client_id.into(),
        key: WebsiteKey(row.key),
        organization: row.organization_id.into(),
        organization_key,
        name: row.name,
        domain: row.domain,
        status,
        is_public: row.is_public,
        settings,
        compatibility: Vec::new(),
        ingest_rules: IngestRules::default(),
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
    })
}

fn to_row(website: &Website) -> Result<website::ActiveModel, DbErr> {
    let settings = serde_json::to_string(&website.settings)
        .map_err(|error| damaged(website.id.as_str(), &error.to_string()))?;
    Ok(website::ActiveModel {
        id: Set(website.id.to_string()),
        key: Set(website.key.0),
        client_id: Set(website.client_id.to_string()),
        organization_id: Set(website.organization.to_string()),
        name: Set(website.name.clone()),
        domain: Set(website.domain.clone()),
        status: Set(website.status.as_str().to_owned()),
        is_public: Set(website.is_public),
        settings: Set(settings),
        created_at: Set(from_ms(website.created_ms)),
        updated_at: Set(from_ms(website.updated_ms)),
        deleted_at: Set(None),
    })
}

fn damaged(id: &str, why: &str) -> DbErr {
    DbErr::Custom(format!("website `{id}` is damaged: {why}"))
}
