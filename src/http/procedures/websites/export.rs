//! `/websites/exportDownload`: a file in one answer. `GET /v1/export` streams what is too long for that.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{super::Call, GROUP, find};
use crate::{access::Permission, clock::iso_ms, fault::Fault, http::v1::export::open_export};

/// Events of a file in one answer.
const MAX: u64 = 100_000;

procedures! { GROUP;
    EXPORT_DOWNLOAD = "exportDownload", reads(WebsiteRead), export(ExportBody) -> FileOut:
        "Get the events of a website as a file of at most 100,000 rows; `GET /v1/export` streams longer ones";
}

/// How the file is written.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ExportFormat")]
pub enum FormatIn {
    /// Comma-separated values; what a spreadsheet would take for a formula begins with an apostrophe.
    Csv,
    /// One array of objects.
    #[default]
    Json,
    /// An object on each line.
    Ndjson,
    /// Values separated by tabs.
    Txt,
    Parquet,
    /// The same as `json`.
    Proto,
}

impl FormatIn {
    const fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Txt => "txt",
            Self::Parquet => "parquet",
            Self::Proto => "proto",
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "WebsiteExport")]
#[serde(rename_all = "camelCase")]
pub struct ExportBody {
    pub website_id: String,
    /// How the file is written; `json` by default.
    #[serde(default)]
    pub format: FormatIn,
    /// First day (UTC), by default the first of all.
    pub start_date: Option<String>,
    /// Last day (UTC), by default today.
    pub end_date: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebsiteExportFile")]
pub struct FileOut {
    pub filename: String,
    /// The file in Base64.
    pub data: String,
    pub metadata: MetadataOut,
}

/// What is in a file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebsiteExportMetadata")]
#[serde(rename_all = "camelCase")]
pub struct MetadataOut {
    pub website_id: String,
    /// How the file is written.
    pub format: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// How many events are in it.
    pub rows: u64,
    pub created_at: String,
}

async fn export(call: Call, body: ExportBody) -> Result<FileOut, Fault> {
    find(&call, Permission::WebsiteRead, &body.website_id)?;
    let dates = (body.start_date.as_deref(), body.end_date.as_deref());
    let format = body.format.name();
    let mut export =
        open_export(&call.shared, &call.caller, &body.website_id, format, dates).await?;
    let mut data = export.file.begin().map_err(Fault::internal)?;
    while let Some(rows) = export.next().await? {
        if export.file.rows() + rows.len() as u64 > MAX {
            return Err(Fault::invalid(format!(
                "These are more than {MAX} events: name a shorter range, or use GET /v1/export, which streams them"
            )));
        }
        data.extend(export.file.page(&rows).map_err(Fault::internal)?);
    }
    let (rows, format) = (export.file.rows(), export.format);
    data.extend(export.file.end().map_err(Fault::internal)?);
    Ok(FileOut {
        filename: export.filename,
        data: STANDARD.encode(data),
        metadata: MetadataOut {
            website_id: body.website_id,
            format: format.ending(),
            media_type: format.media(),
            rows,
            created_at: iso_ms(call.shared.clock.now_ms()),
        },
    })
}
