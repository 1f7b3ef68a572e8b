//! Folders of links.

use std::collections::HashMap;

use sea_orm::{ActiveValue::Set, QueryOrder, QuerySelect, prelude::*};

use super::{LinkError, LinksView};
use crate::{
    actors::{error::write_error, random},
    clock::from_ms,
    entities::{self, link, link_folder},
    fault::Issue,
    ids::{FolderId, OrganizationId, UserId},
};

const MAX_NAME: usize = 80;
const MAX_SLUG: usize = 64;
/// Random characters that are added to a slug that is taken.
const SUFFIX: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    pub id: FolderId,
    pub organization: OrganizationId,
    pub created_by: Option<UserId>,
    pub name: String,
    /// The name in URLs, unique within the organization.
    pub slug: String,
    /// Unix milliseconds, as `updated_ms`.
    pub created_ms: i64,
    pub updated_ms: i64,
}

impl LinksView {
    /// The folders of an organization by name, each with its number of links.
    pub async fn folders(
        &self,
        organization: &OrganizationId,
    ) -> Result<Vec<(Folder, u64)>, LinkError> {
        let rows = link_folder::Entity::within(organization)
            .order_by_asc(link_folder::COLUMN.name)
            .order_by_asc(link_folder::COLUMN.id)
            .all(self.db.reader())
            .await?;
        let counts: Vec<(Option<String>, i64)> = link::Entity::within(organization)
            .select_only()
            .column(link::Column::FolderId)
            .column_as(link::Column::Id.count(), "links")
            .group_by(link::Column::FolderId)
            .into_tuple()
            .all(self.db.reader())
            .await?;
        let counts: HashMap<_, _> = counts.into_iter().collect();
        let counted = |row: link_folder::Model| {
            let links = counts.get(&Some(row.id.clone())).copied().unwrap_or(0);
            (from_row(row), links.max(0) as u64)
        };
        Ok(rows.into_iter().map(counted).collect())
    }

    /// The folder with this id, of any organization.
    pub async fn folder(&self, id: &str) -> Result<Option<Folder>, LinkError> {
        let row = entities::find::<link_folder::Entity>(self.db.reader(), id).await?;
        Ok(row.map(from_row))
    }
}

pub(super) fn check_name(text: &str) -> Result<String, LinkError> {
    let name = text.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(invalid("name", "`name` has 1 to 80 characters"));
    }
    Ok(name.to_owned())
}

pub(super) fn check_slug(slug: &str) -> Result<String, LinkError> {
    let known = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_'
    };
    if slug.is_empty() || slug.len() > MAX_SLUG || !slug.bytes().all(known) {
        let message = "`slug` has 1 to 64 lower-case letters, digits, `-` or `_`";
        return Err(invalid("slug", message));
    }
    Ok(slug.to_owned())
}

fn invalid(field: &'static str, message: &'static str) -> LinkError {
    vec![Issue::new("invalid", field, message)].into()
}

fn slugify(name: &str) -> String {
    let mut slug = String::new();
    for c in name.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' | '_' | '-' => slug.push(c),
            c if c.is_whitespace() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
    }
    let slug = slug.trim_matches('-');
    let slug: String = slug.chars().take(MAX_SLUG - SUFFIX - 1).collect();
    if slug.is_empty() {
        return "folder".to_owned();
    }
    slug
}

/// A slug for this name that no folder of the organization has.
pub(super) async fn find_free_slug(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    name: &str,
) -> Result<String, LinkError> {
    let base = slugify(name);
    let mut slug = base.clone();
    while is_taken(db, organization, &slug).await? {
        slug = format!("{base}-{}", random::base62(SUFFIX)?.to_lowercase());
    }
    Ok(slug)
}

async fn is_taken(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    slug: &str,
) -> Result<bool, LinkError> {
    let found = link_folder::Entity::within(organization)
        .filter(link_folder::COLUMN.slug.eq(slug))
        .count(db)
        .await?;
    Ok(found > 0)
}

pub(super) async fn find(
    db: &impl ConnectionTrait,
    organization: &OrganizationId,
    id: &FolderId,
) -> Result<Folder, LinkError> {
    let row = link_folder::Entity::within(organization)
        .filter(link_folder::COLUMN.id.eq(id.as_str()))
        .one(db)
        .await?;
    row.map(from_row)
        .ok_or_else(|| LinkError::NoFolder(id.clone()))
}

pub(super) async fn insert(db: &impl ConnectionTrait, folder: &Folder) -> Result<(), LinkError> {
    let inserted = entities::insert(db, to_row(folder)).await;
    inserted.map_err(|error| slug_error(error, folder))
}

pub(super) async fn update(db: &impl ConnectionTrait, folder: &Folder) -> Result<(), LinkError> {
    let updated = entities::update(db, folder.id.as_str(), to_row(folder)).await;
    updated.map_err(|error| slug_error(error, folder)).map(drop)
}

fn slug_error(error: DbErr, folder: &Folder) -> LinkError {
    write_error(error, LinkError::FolderTaken(folder.slug.clone()))
}

fn to_row(folder: &Folder) -> link_folder::ActiveModel {
    link_folder::ActiveModel {
        id: Set(folder.id.to_string()),
        organization_id: Set(folder.organization.to_string()),
        created_by: Set(folder.created_by.as_ref().map(ToString::to_string)),
        name: Set(folder.name.clone()),
        slug: Set(folder.slug.clone()),
        created_at: Set(from_ms(folder.created_ms)),
        updated_at: Set(from_ms(folder.updated_ms)),
    }
}

fn from_row(row: link_folder::Model) -> Folder {
    Folder {
        id: row.id.into(),
        organization: row.organization_id.into(),
        created_by: row.created_by.map(UserId::from),
        name: row.name,
        slug: row.slug,
        created_ms: row.created_at.timestamp_millis(),
        updated_ms: row.updated_at.timestamp_millis(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_makes_a_slug() {
        for (name, slug) in [
            ("Spring Sale 2026", "spring-sale-2026"),
            ("  ÄÖ!  ", "folder"),
            ("a  b\tc", "a-b-c"),
            ("Été", "t"),
            ("-", "folder"),
        ] {
            assert_eq!(slugify(name), slug, "{name:?}");
        }
        assert!(slugify(&"a".repeat(200)).len() + 1 + SUFFIX <= MAX_SLUG);
    }
}
