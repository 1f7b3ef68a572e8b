//! Progress of imports of files: an interrupted import resumes, and a finished one is not repeated.
//!
//! Owns the table `imports`. No actor: the command that writes it holds the data directory alone.

use sea_orm::{ActiveValue::Set, QueryOrder as _, prelude::*};

use super::{error::CommonError, hex, random};
use crate::{
    clock::Clock,
    entities::{self, import},
    ids::WebsiteId,
    store::StateDb,
};

#[derive(Debug, Clone)]
pub struct Progress {
    pub id: String,
    /// Bytes of the file that are done.
    pub position: u64,
    /// BLAKE3 of these bytes, hexadecimal.
    pub digest: String,
    pub events: u64,
    /// The salt of visitor hashes.
    pub salt: [u8; 32],
}

/// Every import of such a file into a website, those that came farthest first.
pub async fn list(
    db: &StateDb,
    website: &WebsiteId,
    format: &str,
) -> Result<Vec<Progress>, CommonError> {
    let rows = import::Entity::find()
        .filter(import::COLUMN.website_id.eq(website.as_str()))
        .filter(import::COLUMN.format.eq(format))
        .order_by_desc(import::COLUMN.position)
        .all(db.writer())
        .await?;
    rows.into_iter().map(progress).collect()
}

fn progress(row: import::Model) -> Result<Progress, CommonError> {
    let kept = row.salt.as_deref().and_then(hex::decode::<32>);
    Ok(Progress {
        id: row.id,
        position: u64::try_from(row.position).unwrap_or_default(),
        digest: row.digest,
        events: u64::try_from(row.events).unwrap_or_default(),
        // The file has grown since: visitors of its new part are new visitors.
        salt: kept.map_or_else(random::bytes::<32>, Ok)?,
    })
}

/// Begins an import of nothing yet.
pub async fn begin(
    db: &StateDb,
    clock: &Clock,
    website: &WebsiteId,
    format: &str,
) -> Result<Progress, CommonError> {
    let salt = random::bytes::<32>()?;
    let row = import::Model {
        id: uuid::Uuid::now_v7().to_string(),
        website_id: website.to_string(),
        format: format.to_owned(),
        position: 0,
        digest: String::new(),
        events: 0,
        salt: Some(hex::encode(&salt)),
        started_at: clock.now(),
        finished_at: None,
    };
    let write = db.begin().await?;
    entities::insert(&*write, import::ActiveModel::from(row.clone())).await?;
    write.commit().await?;
    progress(row)
}

/// Records the progress of an import. Once it is `done`, the salt of its visitors is deleted.
pub async fn note(
    db: &StateDb,
    clock: &Clock,
    progress: &Progress,
    done: bool,
) -> Result<(), CommonError> {
    let row = import::ActiveModel {
        id: Set(progress.id.clone()),
        position: Set(i64::try_from(progress.position).unwrap_or(i64::MAX)),
        digest: Set(progress.digest.clone()),
        events: Set(i64::try_from(progress.events).unwrap_or(i64::MAX)),
        salt: Set((!done).then(|| hex::encode(&progress.salt))),
        finished_at: Set(done.then(|| clock.now())),
        ..Default::default()
    };
    let write = db.begin().await?;
    row.update(&*write).await?;
    write.commit().await?;
    if done {
        db.forget().await?;
    }
    Ok(())
}
