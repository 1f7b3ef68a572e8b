//! `pharos import` of events into a running server: the file is uploaded, planned and stored there.
//!
//! The server knows a file by its checksum. So a command that was cut off goes on when it runs again, wherever it was.

use std::{
    io::{self, SeekFrom},
    time::{Duration, Instant},
};

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    fs::File,
    io::{AsyncReadExt as _, AsyncSeekExt as _},
};

use super::{
    CommandError, ImportOptions, Imported,
    api_client::{ApiClient, ApiError, read},
    offline::block_on,
    progress::Progress,
};
use crate::{
    actors::imports::Status,
    config::Settings,
    events::import::{Prefix, Report},
};

/// Bytes of one request.
const PART: usize = 8 << 20;
/// How often progress is asked for.
const POLL: Duration = Duration::from_millis(500);
/// For how long a server is waited for that was there.
const RETURN: Duration = Duration::from_mins(1);

/// What the server says of an import.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RemoteImport {
    id: String,
    format: String,
    digest: Option<String>,
    status: Status,
    uploaded: u64,
    read: u64,
    plan: Option<Report>,
    result: Option<Report>,
    earlier: u64,
    failure: Option<String>,
}

/// Imports a file into a running server, or goes on with it.
///
/// # Errors
/// A [`CommandError`] where the operator can help it.
pub fn import_events(
    settings: &Settings,
    options: &ImportOptions,
    server: &str,
) -> anyhow::Result<Imported> {
    let client = ApiClient::new(settings, Some(server), "manage:websites")?;
    block_on(async {
        let mut session = Session::begin(client, options).await?;
        session.upload(options).await?;
        // One that was found may be further already.
        if session.import.status == Status::Uploading {
            session.call("plan").await?;
        }
        session.wait("planning", Status::Planning).await?;
        if !options.dry {
            session.call("apply").await?;
            session.wait("importing", Status::Importing).await?;
        }
        let import = session.import;
        let report = if options.dry {
            import.plan
        } else {
            import.result
        };
        Ok(Imported {
            website_id: options.website.clone(),
            earlier: import.earlier,
            report: report.unwrap_or_default(),
        })
    })
}

struct Session {
    client: ApiClient,
    length: u64,
    import: RemoteImport,
}

impl Session {
    /// The import of this file that has not ended, else a new one.
    async fn begin(client: ApiClient, options: &ImportOptions) -> anyhow::Result<Self> {
        let path = options.file.clone();
        let hash = tokio::task::spawn_blocking(move || {
            let mut whole = Prefix::open(&path)?;
            let length = whole.length();
            Ok::<_, io::Error>((length, whole.digest(length)?))
        });
        let (length, digest) = hash.await?.map_err(|error| unreadable(options, &error))?;
        let website = json!({ "websiteId": options.website });
        let known = client
            .call("/imports/list", &website)
            .await
            .map_err(CommandError::from)?;
        let known: Vec<RemoteImport> = read(known)?;
        let is_open = |import: &RemoteImport| match import.status {
            Status::Done | Status::Cancelled => false,
            Status::Failed => import.plan.is_some(),
            _ => true,
        };
        let same = |import: &RemoteImport| {
            import.format == options.format.name() && import.digest.as_ref() == Some(&digest)
        };
        let found = known
            .into_iter()
            .find(|import| same(import) && is_open(import));
        let import = if let Some(found) = found {
            found
        } else {
            let name = options
                .file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy();
            let name: String = name.chars().take(200).collect();
            let body = json!({
                "websiteId": options.website, "format": options.format, "filename": name,
                "size": length, "digest": digest,
            });
            read(
                client
                    .call("/imports/create", &body)
                    .await
                    .map_err(CommandError::from)?,
            )?
        };
        Ok(Self {
            client,
            length,
            import,
        })
    }

    /// Uploads what is not there yet.
    async fn upload(&mut self, options: &ImportOptions) -> anyhow::Result<()> {
        if self.import.status != Status::Uploading {
            return Ok(());
        }
        let mut file = File::open(&options.file)
            .await
            .map_err(|error| unreadable(options, &error))?;
        let mut progress = Progress::new(self.length, "bytes uploaded");
        progress.advance(self.import.uploaded);
        let mut away = None;
        while self.import.uploaded < self.length {
            let offset = self.import.uploaded;
            file.seek(SeekFrom::Start(offset)).await?;
            let mut part = Vec::with_capacity(PART);
            (&mut file).take(PART as u64).read_to_end(&mut part).await?;
            let path = format!("/v1/imports/{}/content?offset={offset}", self.import.id);
            match self.client.put(&path, Bytes::from(part)).await {
                Ok(answer) => {
                    away = None;
                    self.import.uploaded = answer["uploaded"].as_u64().unwrap_or(offset);
                }
                // It says how much it has.
                Err(error) => self.find_again(error, &mut away).await?,
            }
            progress.advance(self.import.uploaded.saturating_sub(offset));
        }
        progress.finish();
        Ok(())
    }

    async fn call(&mut self, procedure: &str) -> anyhow::Result<()> {
        let answer = self.ask(procedure).await.map_err(CommandError::from)?;
        self.import = read(answer)?;
        Ok(())
    }

    async fn ask(&self, procedure: &str) -> Result<Value, ApiError> {
        let body = json!({ "importId": self.import.id });
        self.client
            .call(&format!("/imports/{procedure}"), &body)
            .await
    }

    /// Waits until the server has done something.
    async fn wait(&mut self, what: &str, status: Status) -> anyhow::Result<()> {
        let mut progress = Progress::new(self.length, &format!("bytes, {what}"));
        let (mut shown, mut away) = (0, None);
        while self.import.status == status {
            tokio::time::sleep(POLL).await;
            match self.ask("get").await {
                Ok(answer) => {
                    away = None;
                    self.import = read(answer)?;
                }
                Err(error) => self.find_again(error, &mut away).await?,
            }
            progress.advance(self.import.read.saturating_sub(shown));
            shown = shown.max(self.import.read);
        }
        progress.finish();
        match self.import.status {
            Status::Failed => CommandError::refuse(
                format!(
                    "the import has failed: {}",
                    self.import.failure.as_deref().unwrap_or_default()
                ),
                "run the command again when that is mended: it resumes",
            ),
            Status::Cancelled => CommandError::refuse(
                "the import was cancelled",
                "run the command again to resume it; events that are stored stay",
            ),
            _ => Ok(()),
        }
    }

    /// Looks at the import after an error. A server that is away for a moment is waited for.
    async fn find_again(
        &mut self,
        error: ApiError,
        away: &mut Option<Instant>,
    ) -> anyhow::Result<()> {
        let since = *away.get_or_insert_with(Instant::now);
        if since.elapsed() > RETURN {
            return Err(CommandError::from(error).into());
        }
        let is_conflict = matches!(&error, ApiError::Refused(status, ..) if status.as_u16() == 409);
        let is_busy = matches!(&error, ApiError::Refused(status, ..) if [429, 503].contains(&status.as_u16()));
        if !matches!(error, ApiError::Away(_)) && !is_conflict && !is_busy {
            return Err(CommandError::from(error).into());
        }
        tokio::time::sleep(POLL).await;
        if let Ok(answer) = self.ask("get").await {
            self.import = read(answer)?;
        }
        Ok(())
    }
}

fn unreadable(options: &ImportOptions, error: &io::Error) -> CommandError {
    CommandError::new(
        format!("{} can't be read: {error}", options.file.display()),
        "name a file that this user may read",
    )
}
