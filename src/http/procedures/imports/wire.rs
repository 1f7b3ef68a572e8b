//! What imports are asked with, and what they answer.

use std::borrow::Cow;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    fault::{Fault, Issue},
    http::procedures::flags::ScopeBody,
    importers::{
        ImportError, Omission, flags::FlagFormat, links::LinkFormat, monitors::MonitorFormat,
    },
    store::foreign_tables,
};

/// A file within a body.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct FileBody {
    /// The file: its text, or its bytes in base64. At most 4 MiB, and 10,000 definitions.
    pub content: String,
    /// How `content` is written; `text` by default.
    #[serde(default)]
    pub encoding: Encoding,
}

/// How a file is written in a body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ImportEncoding")]
pub enum Encoding {
    /// As it is.
    #[default]
    Text,
    /// In base64, for files that aren't text.
    Base64,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "LinkImportFile")]
#[serde(rename_all = "camelCase")]
pub struct LinksBody {
    /// The owner; by default the key's organization, or the session's active one.
    pub organization_id: Option<String>,
    /// The product that the file is of.
    pub format: LinkFormat,
    #[serde(flatten)]
    pub file: FileBody,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "MonitorImportFile")]
#[serde(rename_all = "camelCase")]
pub struct MonitorsBody {
    /// The owner; by default the key's organization, or the session's active one.
    pub organization_id: Option<String>,
    /// The product that the file is of.
    pub format: MonitorFormat,
    #[serde(flatten)]
    pub file: FileBody,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "FlagImportFile")]
#[serde(rename_all = "camelCase")]
pub struct FlagsBody {
    #[serde(flatten)]
    pub scope: ScopeBody,
    /// The product that the file is of.
    pub format: FlagFormat,
    /// The environment of the file whose flags are imported; `production` by default.
    pub environment: Option<String>,
    #[serde(flatten)]
    pub file: FileBody,
}

/// What a file would create, or what it has created.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "ImportPlan")]
#[serde(rename_all = "camelCase")]
pub struct PlanOut {
    /// Definitions that would be created, or are.
    pub create: usize,
    /// Definitions that exist already.
    pub exist: usize,
    /// Definitions that can't be created.
    pub refused: usize,
    /// Every definition of the file.
    pub items: Vec<ItemOut>,
    /// What the file has and pharos has no place for.
    pub omitted: Vec<OmissionOut>,
}

/// A definition of a file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ImportItem")]
pub struct ItemOut {
    /// Its place in the file.
    pub at: String,
    /// `link`, `monitor`, `status page`, `incident` or `flag`.
    pub kind: &'static str,
    pub name: String,
    pub outcome: Outcome,
    /// Why it is refused.
    pub reason: Option<String>,
    /// The id of what is created or exists.
    pub id: Option<String>,
}

/// What becomes of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ImportOutcome")]
pub enum Outcome {
    /// It would be created.
    Create,
    /// It is created.
    Created,
    /// It exists already.
    Exists,
    /// It can't be created.
    Refused,
}

/// Something of a file that isn't imported.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ImportOmission")]
pub struct OmissionOut {
    /// Its place in the file; empty = the whole file.
    pub at: String,
    pub what: String,
    pub reason: String,
}

impl From<Omission> for OmissionOut {
    fn from(omission: Omission) -> Self {
        Self {
            at: omission.at,
            what: omission.what,
            reason: omission.reason,
        }
    }
}

impl FileBody {
    /// The bytes of the file.
    pub(super) fn bytes(&self) -> Result<Cow<'_, [u8]>, Fault> {
        match self.encoding {
            Encoding::Text => Ok(self.content.as_bytes().into()),
            Encoding::Base64 => {
                let bytes = STANDARD.decode(self.content.trim_end());
                let bytes = bytes.map_err(|_| {
                    let message = "`content` isn't base64";
                    Fault::issues(message, vec![Issue::new("invalid", "content", message)])
                })?;
                Ok(bytes.into())
            }
        }
    }
}

/// The text of a file: of a SQLite database, its tables of definitions as JSON.
pub(super) async fn definitions(bytes: Cow<'_, [u8]>) -> Result<Cow<'_, [u8]>, Fault> {
    if !foreign_tables::is_database(&bytes) {
        return Ok(bytes);
    }
    let tables = foreign_tables::read_bytes(&bytes, MonitorFormat::TABLES).await;
    let tables = tables.map_err(|error| invalid(error.to_string()))?;
    let text = serde_json::to_vec(&tables).map_err(Fault::internal)?;
    Ok(text.into())
}

fn invalid(message: String) -> Fault {
    Fault::issues(
        message.clone(),
        vec![Issue::new("invalid_file", "content", message)],
    )
}

/// A file that cannot be read.
pub(super) fn refuse(error: ImportError) -> Fault {
    invalid(error.to_string())
}
