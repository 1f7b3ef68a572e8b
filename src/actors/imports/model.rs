//! An import as it is shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    actors::text_enum::text_enums,
    events::import::{Format, Report},
    ids::{ImportId, WebsiteId},
};

/// How far an import is.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
    strum::EnumString,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", const_into_str)]
#[schemars(rename = "EventImportStatus")]
pub enum Status {
    /// The file isn't there, or only a part of it.
    Uploading,
    /// The file is being read, and nothing is stored.
    Planning,
    /// The plan is there to be accepted.
    Planned,
    /// Events are being stored.
    Importing,
    /// Every event of the file is stored that could be.
    Done,
    /// It can't go on. What was stored stays.
    Failed,
    /// Canceled by a member, or abandoned for a day. Stored events stay.
    Cancelled,
}

text_enums!(Status);

impl Status {
    /// Those that something can still happen to.
    pub(super) const OPEN: [Self; 4] = [
        Self::Uploading,
        Self::Planning,
        Self::Planned,
        Self::Importing,
    ];
}

/// A file whose events are imported into a website.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    pub id: ImportId,
    pub website: WebsiteId,
    pub format: Format,
    pub filename: String,
    /// Bytes of the whole file; unknown while a form sends it.
    pub size: Option<u64>,
    /// BLAKE3 of the whole file, as its owner says.
    pub digest: Option<String>,
    pub status: Status,
    /// Bytes that are uploaded.
    pub uploaded: u64,
    /// Bytes that were read, of what is being done now.
    pub read: u64,
    /// What the file holds.
    pub plan: Option<Report>,
    /// What of it is stored.
    pub result: Option<Report>,
    /// Events of the same file that earlier imports have stored.
    pub earlier: u64,
    /// Why it has failed.
    pub failure: Option<String>,
    pub created_ms: i64,
    pub updated_ms: i64,
    pub finished_ms: Option<i64>,
}

impl Import {
    /// Whether something is going on that will end by itself.
    pub const fn is_working(&self) -> bool {
        matches!(self.status, Status::Planning | Status::Importing)
    }
}
