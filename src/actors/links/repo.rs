//! The table of links.

use std::{collections::HashMap, fmt::Display};

use sea_orm::{
    ActiveValue::Set,
    Condition, Order, QueryOrder, QuerySelect,
    prelude::*,
    sea_query::{ExprTrait, Func, LikeExpr, SimpleExpr},
};

use super::{
    DeepLinkApp, LinkError, LinkFields, LinksView, Record,
    model::{Link, path_of},
    record,
    shards::PackedRecord,
};
use crate::{
    access::plans::Allowance,
    actors::{
        error::{CommonError, write_error},
        organizations::OrganizationsView,
    },
    clock::{from_ms, iso_ms},
    entities::{self, link, organization},
    ids::{FolderId, HostId, LinkId, OrganizationId, OrganizationKey, UserId, WebsiteKey},
    store::StateDb,
};

/// Rows that a booting domain reads at once.
const BATCH: u64 = 20_000;
/// Numbers that one statement names.
const CHUNK: usize = 500;

#[derive(Debug, Clone, Default)]
pub struct LinkFilter {
    pub external_id: Option<String>,
    pub folder: Folders,
    pub source_type: Option<String>,
    pub source_id: Option<String>,
    pub source_owner_id: Option<String>,
    pub target_domain: Option<String>,
    /// Case does not matter.
    pub tag: Option<String>,
    /// Part of the name, slug, target, ids, host or tags. Case does not matter.
    pub search: Option<String>,
    pub kind: Kind,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Folders {
    #[default]
    All,
    None,
    One(FolderId),
}

/// Which kinds of links are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    All,
    /// Links that open no app.
    Short,
    /// Links that open an app.
    Deep,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    #[default]
    Newest,
    Oldest,
    NameUp,
    NameDown,
}

#[derive(Debug, Clone, Copy)]
pub struct Page {
    pub offset: u64,
    pub limit: u64,
    pub sort: Sort,
}

impl LinksView {
    /// The link with this id, of any organization.
    pub async fn by_id(&self, id: &str) -> Result<Option<Link>, LinkError> {
        let row = entities::find::<link::Entity>(self.db.reader(), id).await?;
        row.map(from_row).transpose()
    }

    /// The numbers of an organization's links in event rows, by id. Unknown ids are left out.
    pub async fn keys(
        &self,
        organization: &OrganizationId,
        ids: &[&str],
    ) -> Result<Vec<(LinkId, WebsiteKey)>, LinkError> {
        let rows: Vec<(String, i64)> = link::Entity::within(organization)
            .filter(link::COLUMN.id.is_in(ids.iter().copied()))
            .select_only()
            .columns([link::Column::Id, link::Column::Key])
            .into_tuple()
            .all(self.db.reader())
            .await?;
        let read = |(id, key): (String, i64)| (id.into(), WebsiteKey(key));
        Ok(rows.into_iter().map(read).collect())
    }

    /// The ids of an organization's links by their numbers in event rows. Unknown numbers are left out.
    pub async fn ids(
        &self,
        organization: &OrganizationId,
        keys: impl IntoIterator<Item = WebsiteKey>,
    ) -> Result<HashMap<WebsiteKey, LinkId>, LinkError> {
        let keys: Vec<i64> = keys.into_iter().map(|key| key.0).collect();
        let mut found = HashMap::new();
        for keys in keys.chunks(CHUNK) {
            let rows: Vec<(i64, String)> = link::Entity::within(organization)
                .filter(link::COLUMN.key.is_in(keys.iter().copied()))
                .select_only()
                .columns([link::Column::Key, link::Column::Id])
                .into_tuple()
                .all(self.db.reader())
                .await?;
            found.extend(
                rows.into_iter()
                    .map(|(key, id)| (WebsiteKey(key), id.into())),
            );
        }
        Ok(found)
    }

    pub async fn list(
        &self,
        organization: &OrganizationId,
        filter: &LinkFilter,
        page: Page,
    ) -> Result<Vec<Link>, LinkError> {
        let created_at = || Expr::col(link::Column::CreatedAt);
        let (key, order) = match page.sort {
            Sort::Newest => (created_at(), Order::Desc),
            Sort::Oldest => (created_at(), Order::Asc),
            Sort::NameUp => (lower(link::Column::Name), Order::Asc),
            Sort::NameDown => (lower(link::Column::Name), Order::Desc),
        };
        let rows = link::Entity::within(organization)
            .filter(condition(filter))
            .order_by(key, order.clone())
            .order_by(link::COLUMN.id, order)
            .offset(page.offset)
            .limit(page.limit)
            .all(self.db.reader())
            .await?;
        rows.into_iter().map(from_row).collect()
    }
}

/// Whether the owner's plan allows so many further links. Holds the owner's row until the transaction ends, so two counts cannot
/// overlap.
pub(super) async fn check_allowance(
    db: &impl ConnectionTrait,
    owner: &OrganizationId,
    allowance: Allowance,
    more: usize,
) -> Result<(), LinkError> {
    organization::Entity::lock(db, owner).await?;
    let current = link::Entity::within(owner).count(db).await?;
    Ok(allowance.admit(current, more as u64)?)
}

fn condition(filter: &LinkFilter) -> Condition {
    let same =
        |column: link::Column, value: &Option<String>| value.clone().map(|value| column.eq(value));
    let folder = match &filter.folder {
        Folders::All => None,
        Folders::None => Some(link::Column::FolderId.is_null()),
        Folders::One(id) => Some(link::Column::FolderId.eq(id.as_str())),
    };
    let kind = match filter.kind {
        Kind::All => None,
        Kind::Short => Some(link::Column::DeepLinkApp.is_null()),
        Kind::Deep => Some(link::Column::DeepLinkApp.is_not_null()),
    };
    let conditions = [
        same(link::Column::ExternalId, &filter.external_id),
        same(link::Column::SourceType, &filter.source_type),
        same(link::Column::SourceId, &filter.source_id),
        same(link::Column::SourceOwnerId, &filter.source_owner_id),
        same(link::Column::TargetDomain, &filter.target_domain),
        folder,
        kind,
        filter.tag.as_deref().map(tagged),
    ];
    let mut all = Condition::all();
    for condition in conditions.into_iter().flatten() {
        all = all.add(condition);
    }
    if let Some(piece) = filter.search.as_deref().filter(|piece| !piece.is_empty()) {
        all = all.add(containing(piece));
    }
    all
}

/// Tags as stored: with a line break before and after each one, which no tag contains.
fn stored_tags(tags: &[String]) -> String {
    let mut stored = String::from("\n");
    for tag in tags {
        stored.push_str(&tag.to_lowercase());
        stored.push('\n');
    }
    stored
}

fn tagged(tag: &str) -> SimpleExpr {
    let whole = stored_tags(&[tag.to_owned()]);
    let pattern = LikeExpr::new(pattern(&whole)).escape('\\');
    Expr::col(link::Column::Tags).like(pattern)
}

/// A `LIKE` pattern for lower-case texts that contain this.
fn pattern(piece: &str) -> String {
    let mut pattern = String::from("%");
    for c in piece.to_lowercase().chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

fn containing(piece: &str) -> Condition {
    let pattern = pattern(piece);
    let columns = [
        link::Column::Name,
        link::Column::Slug,
        link::Column::TargetUrl,
        link::Column::ExternalId,
        link::Column::SourceType,
        link::Column::SourceId,
        link::Column::SourceOwnerId,
        link::Column::TargetDomain,
        link::Column::Tags,
    ];
    let like = |column| {
        let pattern = LikeExpr::new(pattern.clone()).escape('\\');
        Expr::expr(lower(column)).like(pattern)
    };
    columns
        .into_iter()
        .fold(Condition::any(), |any, column| any.add(like(column)))
}

fn lower(column: link::Column) -> SimpleExpr {
    Func::lower(Expr::col(column)).into()
}

/// The records of every link of a live organization.
pub(super) async fn records(
    db: &impl ConnectionTrait,
    organizations: &OrganizationsView,
) -> anyhow::Result<Vec<PackedRecord>> {
    let mut records = Vec::new();
    let mut after = String::new();
    loop {
        let rows: Vec<(String, String, Vec<u8>)> = link::Entity::find()
            .select_only()
            .columns([
                link::Column::Id,
                link::Column::OrganizationId,
                link::Column::Record,
            ])
            .filter(link::COLUMN.id.gt(after.as_str()))
            .order_by_asc(link::COLUMN.id)
            .limit(BATCH)
            .into_tuple()
            .all(db)
            .await?;
        let Some((last, ..)) = rows.last() else {
            return Ok(records);
        };
        after.clone_from(last);
        let mut outdated = Vec::new();
        for (id, organization, packed) in rows {
            if organizations.tenant(&organization).is_none() {
                continue;
            }
            if Record::unpack(&packed).is_some() {
                records.push(packed.into());
            } else {
                outdated.push(id);
            }
        }
        records.extend(repack(db, organizations, &outdated).await?);
    }
}

/// Packs the rows of records whose format is outdated.
async fn repack(
    db: &impl ConnectionTrait,
    organizations: &OrganizationsView,
    ids: &[String],
) -> anyhow::Result<Vec<PackedRecord>> {
    let mut records = Vec::with_capacity(ids.len());
    for some in ids.chunks(CHUNK) {
        let rows = link::Entity::find().filter(link::COLUMN.id.is_in(some));
        for row in rows.all(db).await? {
            if let Some(tenant) = organizations.tenant(&row.organization_id) {
                records.push(pack_row(row, tenant.key)?);
            }
        }
    }
    Ok(records)
}

pub(super) fn pack_row(
    row: link::Model,
    organization: OrganizationKey,
) -> Result<PackedRecord, LinkError> {
    let link = from_row(row)?;
    Ok(packed(&link, organization)?.into())
}

pub(super) async fn insert(
    db: &impl ConnectionTrait,
    link: &Link,
    organization: OrganizationKey,
) -> Result<PackedRecord, LinkError> {
    let (row, record) = to_row(link, organization)?;
    entities::insert(db, row)
        .await
        .map_err(|error| slug_error(error, link))?;
    Ok(record)
}

pub(super) async fn update(
    db: &impl ConnectionTrait,
    link: &Link,
    organization: OrganizationKey,
) -> Result<PackedRecord, LinkError> {
    let (row, record) = to_row(link, organization)?;
    entities::update(db, link.id.as_str(), row)
        .await
        .map_err(|error| slug_error(error, link))?;
    Ok(record)
}

/// A link of the organization, with its present record.
pub(super) async fn find(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    id: &LinkId,
) -> Result<(Link, PackedRecord), LinkError> {
    let row = link::Entity::within(organization)
        .filter(link::COLUMN.id.eq(id.as_str()))
        .one(db)
        .await?;
    let row = row.ok_or_else(|| LinkError::NotFound(id.clone()))?;
    let record = PackedRecord::from(row.record.as_slice());
    Ok((from_row(row)?, record))
}

/// The password of a link, in PHC form.
pub(super) async fn password_hash(db: &StateDb, id: &LinkId) -> Result<Option<String>, LinkError> {
    let hash: Option<Option<String>> = link::Entity::find_by_id(id.as_str().to_owned())
        .select_only()
        .column(link::Column::PasswordHash)
        .into_tuple()
        .one(db.reader())
        .await?;
    Ok(hash.flatten())
}

fn slug_error(error: DbErr, link: &Link) -> LinkError {
    write_error(error, LinkError::SlugTaken(link.slug.clone()))
}

fn packed(link: &Link, organization: OrganizationKey) -> Result<Vec<u8>, LinkError> {
    record::pack(link, organization).ok_or_else(|| damaged(&link.id, "it cannot be packed"))
}

fn to_row(
    link: &Link,
    organization: OrganizationKey,
) -> Result<(link::ActiveModel, PackedRecord), LinkError> {
    let fields = &link.fields;
    let record = packed(link, organization)?;
    let details = serde_json::to_string(fields).map_err(|error| damaged(&link.id, error))?;
    let expires = fields.expires_at.as_deref();
    let expires = expires.and_then(|text| chrono::DateTime::parse_from_rfc3339(text).ok());
    let row = link::ActiveModel {
        id: Set(link.id.to_string()),
        key: Set(link.key.0),
        organization_id: Set(link.organization.to_string()),
        created_by: Set(link.created_by.as_ref().map(ToString::to_string)),
        folder_id: Set(fields.folder_id.clone()),
        host_id: Set(link.host.as_ref().map(ToString::to_string)),
        slug: Set(link.key_text()),
        name: Set(fields.name.clone().unwrap_or_default()),
        target_url: Set(fields.target_url.clone().unwrap_or_default()),
        target_domain: Set(fields.target_domain.clone()),
        source_type: Set(fields.source_type.clone()),
        source_id: Set(fields.source_id.clone()),
        source_owner_id: Set(fields.source_owner_id.clone()),
        external_id: Set(fields.external_id.clone()),
        deep_link_app: Set(fields.deep_link_app.map(|app| app.as_str().to_owned())),
        watches_target: Set(fields.watch_target == Some(true)),
        expires_at: Set(expires.map(|moment| from_ms(moment.timestamp_millis()))),
        details: Set(details),
        tags: Set(fields.tags.as_deref().map(stored_tags)),
        password_hash: Set(link.password_hash.clone()),
        record: Set(record.clone()),
        created_at: Set(from_ms(link.created_ms)),
        updated_at: Set(from_ms(link.updated_ms)),
    };
    Ok((row, record.into()))
}

fn from_row(row: link::Model) -> Result<Link, LinkError> {
    let fields: LinkFields =
        serde_json::from_str(&row.details).map_err(|error| damaged(&row.id, error))?;
    Ok(Link {
        id: row.id.into(),
        key: WebsiteKey(row.key),
        organization: row.organization_id.into(),
        created_by: row.created_by.map(UserId::from),
        host: row.host_id.map(HostId::from),
        slug: path_of(&row.slug).to_owned(),
        password_hash: row.password_hash,
        fields: LinkFields {
            // Deleting a folder clears the column.
            folder_id: row.folder_id,
            expires_at: row
                .expires_at
                .map(|moment| iso_ms(moment.timestamp_millis())),
            deep_link_app: row.deep_link_app.and_then(|app| DeepLinkApp::parse(&app)),
            ..fields
        },
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
    })
}

fn damaged(id: impl Display, why: impl Display) -> LinkError {
    CommonError::damaged("link", id, why).into()
}
