//! What anyone may read: rows from storage, with what files and workers know.

use std::sync::Arc;

use sea_orm::EntityTrait as _;

use super::{
    Import, ImportsError, Status,
    live::LiveImports,
    repo,
    uploads::{Upload, Uploads},
};
use crate::{
    entities::event_import,
    ids::{ImportId, WebsiteId},
    store::StateDb,
};

#[derive(Debug, Clone)]
pub struct ImportsView {
    pub(super) db: StateDb,
    pub(super) uploads: Arc<Uploads>,
    pub(super) live: Arc<LiveImports>,
    /// Bytes of a file.
    pub(super) max_bytes: u64,
    pub(super) node: String,
}

impl ImportsView {
    /// Bytes that a file may have.
    pub const fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// The imports of a website, newest first.
    pub async fn list(&self, website: &WebsiteId) -> Result<Vec<Import>, ImportsError> {
        let rows = repo::list(self.db.reader(), website).await?;
        let mut all = Vec::with_capacity(rows.len());
        for row in rows {
            all.push(self.complete(row).await?);
        }
        Ok(all)
    }

    pub async fn by_id(&self, id: &ImportId) -> Result<Option<Import>, ImportsError> {
        let row = event_import::Entity::find_by_id(id.to_string());
        match row.one(self.db.reader()).await? {
            Some(row) => Ok(Some(self.complete(row).await?)),
            None => Ok(None),
        }
    }

    pub(super) async fn complete(&self, row: event_import::Model) -> Result<Import, ImportsError> {
        let stored = repo::stored(self.db.reader(), &row).await?;
        let mut import = repo::import(row)?;
        import.uploaded = match import.status {
            Status::Uploading => self.uploads.length(&import.id).await,
            _ => import.size.unwrap_or_default(),
        };
        import.read = match import.status {
            Status::Done => import.size.unwrap_or_default(),
            _ => self.live.read(&import.id),
        };
        let own = import.result.as_ref().map_or(0, |result| result.events);
        import.earlier = stored.saturating_sub(own);
        Ok(import)
    }

    /// Opens the file of an import to write on at this offset.
    ///
    /// # Errors
    /// The import is not being uploaded, not here, or not at this offset.
    pub async fn open_upload(&self, id: &ImportId, offset: u64) -> Result<Upload, ImportsError> {
        let row = repo::find(self.db.writer(), id).await?;
        let is_here = row.node == self.node;
        let import = repo::import(row)?;
        if import.status != Status::Uploading {
            let message = format!(
                "The import is {}: nothing more can be uploaded",
                import.status.as_str()
            );
            return Err(ImportsError::Conflict(id.clone(), message));
        }
        if !is_here {
            let message = "The import was created on another server: upload the file there";
            return Err(ImportsError::Conflict(id.clone(), message.to_owned()));
        }
        let most = import.size.unwrap_or(self.max_bytes);
        self.uploads.open(id, offset, most).await
    }
}
