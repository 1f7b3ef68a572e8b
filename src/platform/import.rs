//! `pharos import` without the server: files of other tools become events of a website.
//!
//! It stores what [`run`](crate::actors::imports::run) reads, as the server does, and shows its progress.

use std::{io, path::PathBuf};

use serde::Serialize;

use super::{
    CommandError, Stores,
    commands::website,
    offline::{offline, tidy},
    progress::Progress,
    wiring,
};
use crate::{
    actors::{
        Domains,
        imports::{
            BeginFile, ImportsError, NoteFile,
            ledger::{self, FileProgress},
            run::{Run, RunError, Step},
        },
        websites::Website,
    },
    config::Settings,
    events::import::{Format, Prefix, Report},
};

/// What an import came to.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    pub website_id: String,
    /// Events of the same file that earlier imports have stored.
    pub earlier: u64,
    #[serde(flatten)]
    pub report: Report,
}

#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// What kind of file it is.
    pub format: Format,
    pub file: PathBuf,
    pub website: String,
    /// Whether to look only.
    pub dry: bool,
}

/// Imports a file, or goes on with it. The server has to be stopped.
///
/// # Errors
/// A [`CommandError`] where the operator can help it, or what the stores say. What was stored until then stays, and the next
/// call goes on behind it.
pub fn import(settings: &Settings, options: &ImportOptions) -> anyhow::Result<Imported> {
    offline(settings, async |stores, domains| {
        let website = website(&domains, &options.website)?;
        let length = Prefix::open(&options.file)
            .map_err(|error| unreadable(options, &error))?
            .length();
        let file = find_file(stores, &domains, &website, options).await?;
        let mut imported = Imported {
            website_id: options.website.clone(),
            earlier: file.events,
            report: Report::default(),
        };
        let run = Run {
            events: stores.events.clone(),
            profiles: domains.profiles.clone(),
            clock: stores.clock.clone(),
            website,
            format: options.format,
            path: options.file.clone(),
            geo_database: wiring::geo_database(settings),
            file,
            report: Report::default(),
            is_dry: options.dry,
        };
        let mut progress = Progress::new(length, "bytes");
        let mut read = 0;
        let stored = run.run(async |step: Step| {
            progress.advance(step.read.saturating_sub(read));
            read = step.read;
            imported.report = step.report;
            if !options.dry {
                let note = NoteFile {
                    file: step.file,
                    is_done: step.is_last,
                    import: None,
                };
                domains.imports.ask(note).await?;
            }
            Ok::<_, ImportsError>(true)
        });
        stored.await.map_err(|error| match error {
            RunError::File(error) => unreadable(options, &error).into(),
            error => anyhow::Error::from(error),
        })?;
        progress.finish();
        if !options.dry && imported.report.events > 0 {
            tidy(&domains.ingest).await?;
        }
        Ok(imported)
    })
}

fn unreadable(options: &ImportOptions, error: &io::Error) -> CommandError {
    CommandError::new(
        format!("`{}` cannot be imported: {error}", options.file.display()),
        "name a file that is not packed; `pharos import --help` says which formats there are",
    )
}

/// The import of the same bytes that came farthest, else a new one.
async fn find_file(
    stores: &Stores,
    domains: &Domains,
    website: &Website,
    options: &ImportOptions,
) -> anyhow::Result<FileProgress> {
    let known = ledger::list(&stores.state, &website.id, options.format).await?;
    let found = ledger::find(known, options.file.clone()).await;
    match found.map_err(|error| unreadable(options, &error))? {
        Some(found) => Ok(found),
        None if options.dry => Ok(FileProgress::dry()),
        None => {
            let begin = BeginFile {
                website: website.id.clone(),
                format: options.format,
            };
            Ok(domains.imports.ask(begin).await?)
        }
    }
}
