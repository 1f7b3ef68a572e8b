//! `pharos import` of definitions: asks a running server, whose procedures know the rules and the caller's rights.
//!
//! A database is read here, so it may be of any size: the server gets its tables of definitions.

use std::{fmt, fs, io, path::PathBuf, time::Duration};

use anyhow::Context as _;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{CommandError, offline::block_on};
use crate::{
    config::{self, Settings},
    importers::{Format, monitors::MonitorFormat},
    store::foreign_tables,
};

/// Names the key with which the server is asked.
const KEY: &str = "PHAROS_API_KEY";
/// How long a server may take for all definitions of a file.
const PATIENCE: Duration = Duration::from_mins(10);
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
    let Some(key) = config::variable(KEY).filter(|key| !key.is_empty()) else {
        return CommandError::refuse(
            format!("there is no API key in {KEY}"),
            "create a key in the console and set the variable to it",
        );
    };
    let base = options.server.clone();
    let base = base.unwrap_or_else(|| settings.server.urls().base);
    let verb = if options.plan { "plan" } else { "apply" };
    let url = format!(
        "{}/imports/{verb}{}",
        base.trim_end_matches('/'),
        family(options.format)
    );
    block_on(async {
        let body = body(options).await?;
        let client = reqwest::Client::builder().timeout(PATIENCE).build()?;
        let answer = client
            .post(&url)
            .header("x-api-key", key)
            .json(&body)
            .send()
            .await;
        let answer = answer.map_err(|error| CommandError {
            what: format!("the server cannot be reached: {error}"),
            hint: "start it, and name its address with --server".to_owned(),
        })?;
        let status = answer.status();
        let text = answer.text().await?;
        if status.is_success() {
            return serde_json::from_str(&text).context("the server's answer can't be read");
        }
        let hint = match status.as_u16() {
            401 | 403 => {
                "the key needs the scope of what is imported: write:links, write:monitors, write:status_pages or manage:flags"
            }
            413 => "split the file, or raise limits.body_bytes",
            _ => "the message says what to change",
        };
        CommandError::refuse(Refusal(&text).to_string(), hint)
    })
}

/// The message in the body of an answer.
struct Refusal<'a>(&'a str);

impl fmt::Display for Refusal<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body: Value = serde_json::from_str(self.0).unwrap_or_default();
        let messages = [
            "/data/issues/0/message",
            "/message",
            "/details/0/message",
            "/error",
        ];
        let mut messages = messages
            .iter()
            .filter_map(|path| body.pointer(path)?.as_str());
        write!(
            formatter,
            "the server refuses: {}",
            messages.next().unwrap_or(self.0)
        )
    }
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
