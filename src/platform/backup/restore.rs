//! Restoring a backup.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context;
use serde::Serialize;

use super::{Record, files, open, record};
use crate::{
    config::Settings,
    events::{
        backup::{self as events, PLACES},
        log::file::sync_directory,
    },
    platform::{
        CommandError,
        offline::block_on,
        progress::Progress,
        stores::{open_state, take_data_dir},
    },
    store::{Schema, secret, state},
};

/// Below the data directory: what is restored until all of it is there and right.
const STAGING: &str = "restore.tmp";

/// What a restore came to.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    /// Which backup it was.
    pub name: String,
    /// What it says of itself.
    #[serde(flatten)]
    pub record: Record,
    /// Whether counts were compared as well as checksums.
    pub verified: bool,
    /// What is wrong; nothing was restored if there is anything.
    pub wrong: Vec<String>,
}

/// Restores a backup of `directory` (`at` names it; else the last one) into the empty data directory of the settings. Every
/// file's checksum is compared before anything is in its place; `verify` also compares what is in the files with what the
/// backup says, and looks through the state database.
///
/// # Errors
/// A [`CommandError`] where the operator can help it, or what the disk says. A damaged backup is no error but in what is found.
pub fn restore(
    settings: &Settings,
    directory: &Path,
    at: Option<&str>,
    verify: bool,
) -> anyhow::Result<Restored> {
    let data_dir = Path::new(&settings.storage.data_dir);
    let name = choose(directory, at)?;
    let record = Record::read(directory, &name)?;
    let _lock = take_data_dir(data_dir)?;
    ensure_empty(data_dir)?;
    let shared = !settings.database.is_embedded();
    if shared {
        block_on(ensure_unused(settings))?;
    }
    let staging = data_dir.join(STAGING);
    files::remove(&staging)?;
    let mut wrong = fetch(&record, directory, &name, &staging)?;
    if wrong.is_empty() && verify {
        wrong = differences(&record, &staging)?;
    }
    if wrong.is_empty() {
        settle(&staging, data_dir).context("cannot move the files into their places")?;
        if shared {
            block_on(hand_over(settings, &staging))
                .context("the state database was not restored")?;
        } else {
            settle_state(&staging, data_dir)
                .context("cannot move the state database into its place")?;
        }
    }
    files::remove(&staging)?;
    Ok(Restored {
        name,
        record,
        verified: verify,
        wrong,
    })
}

/// The backup that is meant.
fn choose(directory: &Path, at: Option<&str>) -> anyhow::Result<String> {
    let names = record::all(directory).unwrap_or_default();
    let none = || {
        CommandError::new(
            format!("there is no complete backup in `{}`", directory.display()),
            "name the directory that `pharos backup` was given",
        )
    };
    let last = names.last().ok_or_else(none)?;
    let Some(at) = at else {
        return Ok(last.clone());
    };
    let found = names.iter().find(|name| *name == at).ok_or_else(|| {
        CommandError::new(
            format!("there is no backup `{at}`"),
            format!("there are {}", names.join(", ")),
        )
    });
    Ok(found?.clone())
}

/// Nothing that exists is overwritten.
fn ensure_empty(data_dir: &Path) -> anyhow::Result<()> {
    let mut taken = [state::FILE, secret::FILE].iter().chain(&PLACES);
    let Some(there) = taken.find(|name| data_dir.join(name).exists()) else {
        return Ok(());
    };
    CommandError::refuse(
        format!("`{}` is not empty: it has `{there}`", data_dir.display()),
        "move it away, or set `storage.data_dir` to an empty directory",
    )
}

/// Copies the backup's files; those that are not what they were, each with a word.
fn fetch(
    record: &Record,
    directory: &Path,
    name: &str,
    staging: &Path,
) -> anyhow::Result<Vec<String>> {
    for place in PLACES {
        fs::create_dir_all(staging.join(place))?;
    }
    let mut progress = Progress::new(record.bytes(), "bytes");
    let mut wrong = Vec::new();
    for file in &record.files {
        let from = file.place(directory, name);
        match files::copy(&from, &staging.join(&file.path), &file.path, &mut progress) {
            Ok(kept) if kept == *file => {}
            Ok(_) => wrong.push(format!(
                "`{}` is damaged: its checksum is another",
                from.display()
            )),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                wrong.push(format!("`{}` is missing", from.display()));
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot restore `{}`", from.display()));
            }
        }
    }
    progress.finish();
    Ok(wrong)
}

/// Where what was restored differs from what the backup says it has.
fn differences(record: &Record, staging: &Path) -> anyhow::Result<Vec<String>> {
    let mut wrong = Vec::new();
    let mut compare = |what: &str, is: u64, said: u64| {
        if is != said {
            wrong.push(format!("{what}: {is} instead of {said}"));
        }
    };
    let mut events = 0;
    for file in record.files.iter().filter(|file| is_of_events(&file.path)) {
        events += events::rows(&staging.join(&file.path))?;
    }
    compare("events in segments", events, record.events);
    let requests = events::requests_behind(&staging.join("spool"), record.cursor)?;
    compare("requests in the log", requests, record.requests);
    let (tables, damage) = block_on(async {
        let state = open(staging).await?;
        let found = (state.rows_of_tables().await?, state.damage().await?);
        state.close().await?;
        Ok::<(BTreeMap<_, _>, Vec<_>), anyhow::Error>(found)
    })?;
    let names: std::collections::BTreeSet<_> = tables.keys().chain(record.tables.keys()).collect();
    for name in names {
        let rows = |tables: &BTreeMap<String, u64>| tables.get(name).copied().unwrap_or_default();
        compare(
            &format!("rows of `{name}`"),
            rows(&tables),
            rows(&record.tables),
        );
    }
    wrong.extend(damage);
    Ok(wrong)
}

/// Whether it is a segment's own file and not one of its extracts.
fn is_of_events(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default();
    path.starts_with("segments") && Path::new(stem).extension().is_none()
}

/// Nothing that exists in `PostgreSQL` is overwritten.
pub(in crate::platform) async fn ensure_unused(settings: &Settings) -> anyhow::Result<()> {
    let state = open_state(settings, settings.storage.data_dir.as_ref()).await?;
    let unused = match state.schema().await? {
        Schema::Empty => true,
        Schema::Current => state.is_unused().await?,
        Schema::Older(_) | Schema::Newer(_) => false,
    };
    state.close().await?;
    if unused {
        return Ok(());
    }
    CommandError::refuse(
        "there is an installation in the state database already",
        "name an empty database in `database.url`",
    )
}

/// Writes the restored state into `PostgreSQL`.
async fn hand_over(settings: &Settings, staging: &Path) -> anyhow::Result<()> {
    let restored = open(staging).await?;
    // It may be of an older version.
    restored.migrate().await?;
    let state = open_state(settings, settings.storage.data_dir.as_ref()).await?;
    state.upgrade(staging).await?;
    restored.copy_into(&state).await?;
    restored.close().await?;
    Ok(state.close().await?)
}

/// Moves everything into its place but the state database, which comes last: without it there is no installation.
fn settle(staging: &Path, data_dir: &Path) -> io::Result<()> {
    let places = PLACES.iter().chain(&[secret::FILE]).map(PathBuf::from);
    for place in places {
        let from = staging.join(&place);
        if from.exists() {
            fs::rename(from, data_dir.join(place))?;
        }
    }
    for place in PLACES {
        sync_directory(&data_dir.join(place))?;
    }
    sync_directory(data_dir)
}

fn settle_state(staging: &Path, data_dir: &Path) -> io::Result<()> {
    fs::rename(staging.join(state::FILE), data_dir.join(state::FILE))?;
    sync_directory(data_dir)
}
