//! What of a file is done: an interrupted import resumes, and a finished one is not repeated.
//!
//! Owns the table `imports`.

use std::{io, path::PathBuf};

use sea_orm::{ActiveValue::Set, ConnectionTrait, QueryOrder as _, prelude::*};

use crate::{
    actors::{error::CommonError, hex, random},
    clock::Clock,
    entities::{self, import},
    events::import::{Format, Prefix},
    ids::WebsiteId,
    store::StateDb,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProgress {
    pub id: String,
    /// Bytes of the file that are done.
    pub position: u64,
    /// BLAKE3 of these bytes, hexadecimal.
    pub digest: String,
    pub events: u64,
    /// The salt of visitor hashes.
    pub salt: [u8; 32],
}

impl FileProgress {
    /// Of a file that is only looked at.
    pub fn dry() -> Self {
        Self {
            id: "dry".to_owned(),
            position: 0,
            digest: String::new(),
            events: 0,
            salt: [0; 32],
        }
    }
}

/// Every import of such a file into a website, those that came farthest first.
pub async fn list(
    db: &StateDb,
    website: &WebsiteId,
    format: Format,
) -> Result<Vec<FileProgress>, CommonError> {
    let rows = import::Entity::find()
        .filter(import::COLUMN.website_id.eq(website.as_str()))
        .filter(import::COLUMN.format.eq(format.name()))
        .order_by_desc(import::COLUMN.position)
        .all(db.writer())
        .await?;
    rows.into_iter().map(read).collect()
}

/// The one of these that came farthest with the same bytes.
///
/// # Errors
/// The file cannot be read.
pub async fn find(mut known: Vec<FileProgress>, path: PathBuf) -> io::Result<Option<FileProgress>> {
    let search = move || {
        let mut prefix = Prefix::open(&path)?;
        known.retain(|one| one.position <= prefix.length());
        // Each is compared at its own place, the nearest first: the file is read once.
        known.sort_by_key(|one| one.position);
        let mut found = None;
        for one in known {
            // One that was cut off before anything was noted is gone on with, too: something may be stored.
            if one.digest.is_empty() || prefix.digest(one.position)? == one.digest {
                found = Some(one);
            }
        }
        Ok(found)
    };
    tokio::task::spawn_blocking(search)
        .await
        .map_err(io::Error::other)?
}

pub(super) fn read(row: import::Model) -> Result<FileProgress, CommonError> {
    let kept = row.salt.as_deref().and_then(hex::decode::<32>);
    Ok(FileProgress {
        id: row.id,
        position: u64::try_from(row.position).unwrap_or_default(),
        digest: row.digest,
        events: u64::try_from(row.events).unwrap_or_default(),
        // The file has grown since: visitors of its new part are new visitors.
        salt: kept.map_or_else(random::bytes::<32>, Ok)?,
    })
}

/// Begins an import of nothing yet.
pub(super) async fn begin(
    db: &impl ConnectionTrait,
    clock: &Clock,
    website: &WebsiteId,
    format: Format,
) -> Result<FileProgress, CommonError> {
    let salt = random::bytes::<32>()?;
    let row = import::Model {
        id: uuid::Uuid::now_v7().to_string(),
        website_id: website.to_string(),
        format: format.name().to_owned(),
        position: 0,
        digest: String::new(),
        events: 0,
        salt: Some(hex::encode(&salt)),
        started_at: clock.now(),
        finished_at: None,
    };
    entities::insert(db, import::ActiveModel::from(row.clone())).await?;
    read(row)
}

/// Records the progress of an import. Once it is `done`, the salt of its visitors is deleted.
pub(super) async fn note(
    db: &impl ConnectionTrait,
    clock: &Clock,
    progress: &FileProgress,
    done: bool,
) -> Result<(), DbErr> {
    let row = import::ActiveModel {
        position: Set(i64::try_from(progress.position).unwrap_or(i64::MAX)),
        digest: Set(progress.digest.clone()),
        events: Set(i64::try_from(progress.events).unwrap_or(i64::MAX)),
        salt: Set((!done).then(|| hex::encode(&progress.salt))),
        finished_at: Set(done.then(|| clock.now())),
        ..Default::default()
    };
    entities::update(db, &progress.id, row).await.map(drop)
}
