//! The table of links.

use sea_orm::{
    ActiveValue::Set,
    Condition, QueryOrder, QuerySelect,
    prelude::*,
    sea_query::{ExprTrait, Func, LikeExpr, SimpleExpr},
};

use super::{
    DeepLinkApp, LinkError, LinkFields, LinksView, Record, model::Link, record, shards::Packed,
};
use crate::{
    access::plans::Allowance,
    actors::{error::CommonError, organizations::OrganizationsView},
    clock::{from_ms, iso_ms},
    entities::{self, link, organization},
    ids::{FolderId, LinkId, OrganizationId, OrganizationKey, UserId, WebsiteKey},
    store::{StateDb, StateError},
};

/// Rows that a booting domain reads at a time.
const STRIDE: u64 = 20_000;

/// Which links are listed.
#[derive(Debug, Clone, Default)]
pub struct LinkFilter {
    /// Carries this id.
    pub external_id: Option<String>,
    pub folder: Folders,
    /// Made for this kind of thing.
    pub source_type: Option<String>,
    /// Made for this thing.
    pub source_id: Option<String>,
    /// Made for things of this owner.
    pub source_owner_id: Option<String>,
    /// Leads to this host.
    pub target_domain: Option<String>,
    /// Has this tag, in any case.
    pub tag: Option<String>,
    /// Has this in its name, slug, target, ids, host or tags, in any case.
    pub search: Option<String>,
    /// Whether it opens an app.
    pub kind: Kind,
}

/// Which folders' links are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Folders {
    #[default]
    All,
    /// Those in no folder.
    None,
    /// Those in one.
    One(FolderId),
}

/// Which kinds of links are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    All,
    /// Those that open no app.
    Short,
    /// Those that open an app.
    Deep,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
    NameUp,
    /// By name, backwards.
    NameDown,
}

/// A part of a list.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// Rows to skip.
    pub offset: u64,
    /// Rows to give.
    pub limit: u64,
    /// Their order.
    pub sort: Sort,
}

impl LinksView {
    /// The link with this id, whoever owns it.
    pub async fn by_id(&self, id: &str) -> Result<Option<Link>, LinkError> {
        let row = link::Entity::find_by_id(id.to_owned())
            .one(self.db.reader())
            .await?;
        row.map(from_row).transpose()
    }

    /// The numbers that an organization's links of these ids have in event rows; what is not there is left out.
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

    /// Links of an organization.
    pub async fn list(
        &self,
        organization: &OrganizationId,
        filter: &LinkFilter,
        page: Page,
    ) -> Result<Vec<Link>, LinkError> {
        let mut select = link::Entity::within(organization).filter(condition(filter));
        select = match page.sort {
            Sort::Newest => select
                .order_by_desc(link::COLUMN.created_at)
                .order_by_desc(link::COLUMN.id),
            Sort::Oldest => select
                .order_by_asc(link::COLUMN.created_at)
                .order_by_asc(link::COLUMN.id),
            Sort::NameUp => select
                .order_by_asc(lower(link::Column::Name))
                .order_by_asc(link::COLUMN.id),
            Sort::NameDown => select
                .order_by_desc(lower(link::Column::Name))
                .order_by_desc(link::COLUMN.id),
        };
        let rows = select
            .offset(page.offset)
            .limit(page.limit)
            .all(self.db.reader())
            .await?;
        rows.into_iter().map(from_row).collect()
    }
}

/// Whether the owner's plan allows so many further links. Counts alone until the transaction ends.
pub(super) async fn room(
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

/// Tags as they are stored: a line break before and behind each, which none has inside.
fn stored_tags(tags: &[String]) -> String {
    let mut stored = String::from("\n");
    for tag in tags {
        stored.push_str(&tag.to_lowercase());
        stored.push('\n');
    }
    stored
}

/// Links that have a tag.
fn tagged(tag: &str) -> SimpleExpr {
    let whole = stored_tags(&[tag.to_owned()]);
    let pattern = LikeExpr::new(pattern(&whole)).escape('\\');
    Expr::col(link::Column::Tags).like(pattern)
}

/// What matches texts in small letters that have this in them.
fn pattern(piece: &str) -> String {
    let mut pattern = String::from("%");
    for letter in piece.to_lowercase().chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

/// Links that have a piece of text somewhere.
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
) -> anyhow::Result<Vec<Packed>> {
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
            .limit(STRIDE)
            .into_tuple()
            .all(db)
            .await?;
        let Some((last, ..)) = rows.last() else {
            return Ok(records);
        };
        after.clone_from(last);
        for (id, organization, packed) in rows {
            let Some(tenant) = organizations.tenant(&organization) else {
                continue;
            };
            if Record::unpack(&packed).is_some() {
                records.push(packed.into());
            } else {
                records.push(repack(db, &id, tenant.key).await?);
            }
        }
    }
}

/// A record of another form than today's is made anew of its row.
async fn repack(
    db: &impl ConnectionTrait,
    id: &str,
    organization: OrganizationKey,
) -> anyhow::Result<Packed> {
    let row = link::Entity::find_by_id(id.to_owned()).one(db).await?;
    let row = row.ok_or_else(|| anyhow::anyhow!("link `{id}` is gone"))?;
    Ok(record_of(row, organization)?)
}

/// The record of a row as it has to be today.
pub(super) fn record_of(
    row: link::Model,
    organization: OrganizationKey,
) -> Result<Packed, LinkError> {
    let link = from_row(row)?;
    Ok(packed(&link, organization)?.into())
}

pub(super) async fn insert(
    db: &impl ConnectionTrait,
    link: &Link,
    organization: OrganizationKey,
) -> Result<Packed, LinkError> {
    let (row, record) = to_row(link, organization)?;
    let inserted = entities::insert(db, row).await;
    taken(inserted, &link.slug)?;
    Ok(record)
}

pub(super) async fn update(
    db: &impl ConnectionTrait,
    link: &Link,
    organization: OrganizationKey,
) -> Result<Packed, LinkError> {
    let (row, record) = to_row(link, organization)?;
    let updated = link::Entity::update_many()
        .set(row)
        .filter(link::COLUMN.id.eq(link.id.as_str()))
        .exec(db)
        .await;
    taken(updated, &link.slug)?;
    Ok(record)
}

/// A link of the organization, with its record as it is now.
pub(super) async fn find(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    id: &LinkId,
) -> Result<(Link, Packed), LinkError> {
    let row = link::Entity::within(organization)
        .filter(link::COLUMN.id.eq(id.as_str()))
        .one(db)
        .await?;
    let row = row.ok_or_else(|| LinkError::NotFound(id.clone()))?;
    let record = Packed::from(row.record.as_slice());
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

pub(super) async fn delete(db: &impl ConnectionTrait, id: &LinkId) -> Result<(), LinkError> {
    link::Entity::delete_by_id(id.as_str().to_owned())
        .exec(db)
        .await?;
    Ok(())
}

fn taken<T>(outcome: Result<T, DbErr>, slug: &str) -> Result<(), LinkError> {
    let Err(error) = outcome else {
        return Ok(());
    };
    let error = StateError::from(error);
    Err(if error.is_taken() {
        LinkError::SlugTaken(slug.to_owned())
    } else {
        error.into()
    })
}

fn packed(link: &Link, organization: OrganizationKey) -> Result<Vec<u8>, LinkError> {
    record::pack(link, organization).ok_or_else(|| damaged(&link.id, "it cannot be packed"))
}

fn to_row(
    link: &Link,
    organization: OrganizationKey,
) -> Result<(link::ActiveModel, Packed), LinkError> {
    let fields = &link.fields;
    let record = packed(link, organization)?;
    let details =
        serde_json::to_string(fields).map_err(|error| damaged(&link.id, &error.to_string()))?;
    let expires = fields.expires_at.as_deref();
    let expires = expires.and_then(|text| chrono::DateTime::parse_from_rfc3339(text).ok());
    let row = link::ActiveModel {
        id: Set(link.id.to_string()),
        key: Set(link.key.0),
        organization_id: Set(link.organization.to_string()),
        created_by: Set(link.created_by.as_ref().map(ToString::to_string)),
        folder_id: Set(fields.folder_id.clone()),
        slug: Set(link.slug.clone()),
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
    let fields: LinkFields = serde_json::from_str(&row.details)
        .map_err(|error| damaged(&LinkId::from(row.id.clone()), &error.to_string()))?;
    Ok(Link {
        id: row.id.into(),
        key: WebsiteKey(row.key),
        organization: row.organization_id.into(),
        created_by: row.created_by.map(UserId::from),
        slug: row.slug,
        password_hash: row.password_hash,
        fields: LinkFields {
            // A deleted folder takes itself away.
            folder_id: row.folder_id,
            expires_at: row
                .expires_at
                .map(|moment| iso_ms(moment.timestamp_millis())),
            deep_link_app: row
                .deep_link_app
                .and_then(|app| serde_json::from_value::<DeepLinkApp>(app.into()).ok()),
            ..fields
        },
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
    })
}

fn damaged(id: &LinkId, why: &str) -> LinkError {
    CommonError::damaged("link", id, why).into()
}
