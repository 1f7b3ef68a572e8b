//! The messages of this domain. Callers are authorized before they send one.

use actix::Message;

use super::{Import, ImportsError, ledger::FileProgress};
use crate::{
    events::import::{Format, Report},
    ids::{ImportId, UserId, WebsiteId},
};

/// Begins an import, whose file is uploaded next.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Import, ImportsError>")]
pub struct CreateImport {
    pub website: WebsiteId,
    pub format: Format,
    /// What the file is called, 1 to 200 characters.
    pub filename: String,
    /// Bytes of the file, if they are known.
    pub size: Option<u64>,
    /// BLAKE3 of the file, hexadecimal, if it is known.
    pub digest: Option<String>,
    pub created_by: Option<UserId>,
}

/// Reads a file that is uploaded, and stores nothing.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Import, ImportsError>")]
pub struct PlanImport(pub ImportId);

/// Stores the events of a file that was planned, or goes on with one that has failed.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Import, ImportsError>")]
pub struct ApplyImport(pub ImportId);

/// Ends an import. What was stored stays.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Import, ImportsError>")]
pub struct CancelImport(pub ImportId);

/// Begins to store a file in a website.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<FileProgress, ImportsError>")]
pub struct BeginFile {
    pub website: WebsiteId,
    pub format: Format,
}

/// Notes what of a file is durable; the answer says whether the import goes on.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<bool, ImportsError>")]
pub struct NoteFile {
    pub file: FileProgress,
    /// Whether all of it is.
    pub is_done: bool,
    /// The import whose file it is, and what it has come to.
    pub import: Option<(ImportId, Report)>,
}

/// Notes what a file holds.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), ImportsError>")]
pub(super) struct NotePlan {
    pub(super) id: ImportId,
    pub(super) plan: Report,
}

/// Notes which file an import stores.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), ImportsError>")]
pub(super) struct NoteFileId {
    pub(super) id: ImportId,
    pub(super) file: String,
}

/// Notes that an import cannot go on.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), ImportsError>")]
pub(super) struct FailImport {
    pub(super) id: ImportId,
    pub(super) failure: String,
}

/// Ends imports that were left alone, and deletes files that belong to none.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "Result<(), ImportsError>")]
pub(super) struct Tidy;
