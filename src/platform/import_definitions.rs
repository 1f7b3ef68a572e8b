//! `pharos import` of definitions: asks a running server, whose procedures know the rules and the caller's rights.
//!
//! A database is read here, so it may be of any size: the server gets its tables of definitions.

use std::{fs, io, path::PathBuf};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    CommandError,
    api_client::{ApiClient, read},
    offline::block_on,
};
use crate::{
    config::Settings,
    importers::{Format, monitors::MonitorFormat},
    store::foreign_tables,
};

/// Bytes of a file that is sent.
const MAX_BYTES: u64 = crate::importers::MAX_BYTES as u64;

/// What is imported.
#[derive(Debug, Clone)]
pub struct DefinitionImport {
    pub format: Format,
    pub file: PathBuf,
    /// The server's address; by default `server.base_url`.
    pub server: Option<String>,
    pub organization: Option<String>,
    /// The website that flags are for.
    pub website: Option<String>,
    /// The environment whose flags are imported.
    pub environment: Option<String>,
    /// Only say what would be created.
    pub plan: bool,
}

const fn family(format: Format) -> &'static str {
    match format {
        Format::Links(_) => "Links",
        Format::Monitors(_) => "Monitors",
        Format::Flags(_) => "Flags",
    }
}

/// What a file would create, or has created.
#[derive(Debug, Serialize, Deserialize)]
pub struct ImportedDefinitions {
    pub create: usize,
    pub exist: usize,
    pub refused: usize,
    pub items: Vec<ImportedItem>,
    pub omitted: Vec<OmittedPart>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ImportedItem {
    pub at: String,
    pub kind: String,
    pub name: String,
    pub outcome: String,
    pub reason: Option<String>,
    pub id: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct OmittedPart {
    pub at: String,
    pub what: String,
    pub reason: String,
}

/// Asks the server to plan what is in a file, or to create it.
///
/// # Errors
/// A [`CommandError`] where the operator can help it.
pub fn import_definitions(
    settings: &Settings,
    options: &DefinitionImport,
) -> anyhow::Result<ImportedDefinitions> {
    let scopes = "write:links, write:monitors, write:status_pages or manage:flags";
    let client = ApiClient::new(settings, options.server.as_deref(), scopes)?;
    let verb = if options.plan { "plan" } else { "apply" };
    let path = format!("/imports/{verb}{}", family(options.format));
    block_on(async {
        let body = body(options).await?;
        let answer = client.call(&path, &body).await;
        read(answer.map_err(CommandError::from)?)
    })
}

/// The input of the procedure.
async fn body(options: &DefinitionImport) -> anyhow::Result<Value> {
    let (content, encoding) = content(options).await?;
    let mut body = Map::new();
    let fields = [
        ("format", Some(options.format.name().to_owned())),
        ("organizationId", options.organization.clone()),
        ("content", Some(content)),
        ("encoding", Some(encoding.to_owned())),
    ];
    let of_flags = [
        ("websiteId", options.website.clone()),
        ("environment", options.environment.clone()),
    ];
    let is_flags = matches!(options.format, Format::Flags(_));
    let fields = fields
        .into_iter()
        .chain(of_flags.into_iter().filter(|_| is_flags));
    body.extend(fields.filter_map(|(name, value)| Some((name.to_owned(), json!(value?)))));
    Ok(body.into())
}

/// The file as it is sent, and how it is written there.
async fn content(options: &DefinitionImport) -> anyhow::Result<(String, &'static str)> {
    let unreadable = |error: &io::Error| CommandError {
        what: format!("{} can't be read: {error}", options.file.display()),
        hint: "name a file that this user may read".to_owned(),
    };
    let is_database = {
        use io::Read as _;
        let file = fs::File::open(&options.file).map_err(|error| unreadable(&error))?;
        let mut head = Vec::new();
        file.take(16)
            .read_to_end(&mut head)
            .map_err(|error| unreadable(&error))?;
        foreign_tables::is_database(&head)
    };
    if is_database && matches!(options.format, Format::Monitors(_)) {
        let tables = foreign_tables::read_file(&options.file, MonitorFormat::TABLES).await?;
        return Ok((tables.to_string(), "text"));
    }
    let length = fs::metadata(&options.file)
        .map_err(|error| unreadable(&error))?
        .len();
    if length > MAX_BYTES {
        return CommandError::refuse(
            format!("the file has {length} bytes; at most {MAX_BYTES} are imported at once"),
            "split the file",
        );
    }
    let bytes = fs::read(&options.file).map_err(|error| unreadable(&error))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok((text, "text")),
        Err(error) => Ok((STANDARD.encode(error.as_bytes()), "base64")),
    }
}
