//! Taking a backup.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::Context;
use serde::Serialize;

use super::{
    BackupFile, Pruned, Record, files, open, prune,
    record::{FORM, PARTIAL},
};
use crate::{
    actors::ingest::load_manifest,
    clock::{Clock, iso_ms},
    config::{Settings, sections::EventStore as EventStoreKind},
    events::{
        backup::{self as events, PLACES},
        log::file::sync_directory,
        segments::Manifest,
        store::EventStore,
    },
    platform::{
        CommandError, Stores,
        offline::{block_on, with_state},
        progress::Progress,
    },
    store::{data_dir::DataDir, secret, state},
};

/// Below the data directory: files that a backup holds while it copies them.
const STAGING: &str = "backup.tmp";
/// How often the stores are looked at until everything that belongs together is held.
const TRIES: u32 = 8;

/// What a backup came to.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupReport {
    /// Its name below the directory.
    pub name: String,
    /// What it says of itself.
    #[serde(flatten)]
    pub record: Record,
    /// Size of everything in it.
    pub bytes: u64,
    /// Bytes that no earlier backup had.
    pub new_bytes: u64,
    /// How long it took, milliseconds.
    pub took_ms: u64,
    /// What was deleted afterwards.
    pub pruned: Pruned,
}

/// Backs the embedded stores up into `directory`, beside a running server or without one. `keep` is how many backups stay;
/// `None` = all of them.
///
/// # Errors
/// A [`CommandError`] where the operator can help it, or what the disk says.
pub fn backup(
    settings: &Settings,
    directory: &Path,
    keep: Option<usize>,
) -> anyhow::Result<BackupReport> {
    if settings.events.store == EventStoreKind::Clickhouse {
        return CommandError::refuse(
            "events are in ClickHouse, which `pharos backup` does not reach",
            "back up the database in ClickHouse (`BACKUP DATABASE`), the state database with its own tools, and `instance.key`",
        );
    }
    let data_dir = PathBuf::from(&settings.storage.data_dir);
    let begun = Instant::now();
    ensure_apart(&data_dir, directory)?;
    let staging = data_dir.join(STAGING);
    // Says so when there is nothing to back up, before anything is made.
    with_state(settings, async |_| Ok(()))?;
    let busy = |error| {
        CommandError::new(
            format!("another backup is being taken: {error}"),
            "wait for it; a backup that was killed leaves nothing in the way",
        )
    };
    let _there = DataDir::take(directory).map_err(busy)?;
    let lock = DataDir::take(&staging).map_err(busy)?;
    clear(&staging)?;
    let taken = block_on(hold(settings, &data_dir, &staging))
        .and_then(|held| write(&staging, directory, &held));
    let cleared = files::remove(&staging);
    drop(lock);
    let (name, record, new_bytes) = taken?;
    cleared?;
    let pruned = keep.map_or(Ok(Pruned::default()), |keep| prune::keep(directory, keep))?;
    Ok(BackupReport {
        name,
        bytes: record.bytes(),
        record,
        new_bytes,
        took_ms: begun.elapsed().as_millis() as u64,
        pruned,
    })
}

/// A backup inside of what it backs up would go with it.
fn ensure_apart(data_dir: &Path, directory: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot make `{}`", directory.display()))?;
    let inside = match data_dir.canonicalize() {
        Ok(data_dir) => directory.canonicalize()?.starts_with(data_dir),
        Err(_) => false,
    };
    if inside {
        return CommandError::refuse(
            format!("`{}` is inside of the data directory", directory.display()),
            "name a directory elsewhere, on another disk if there is one",
        );
    }
    Ok(())
}

/// What a backup that was killed left behind.
fn clear(staging: &Path) -> io::Result<()> {
    for place in PLACES.iter().chain(&[state::FILE]) {
        files::remove(&staging.join(place))?;
    }
    Ok(())
}

/// Everything that belongs together.
struct Contents {
    manifest: Manifest,
    tables: std::collections::BTreeMap<String, u64>,
    missing: Vec<String>,
}

/// Holds files and database of one moment.
async fn hold(settings: &Settings, data_dir: &Path, staging: &Path) -> anyhow::Result<Contents> {
    let node = EventStore::node_id(data_dir)?;
    let live = Stores::state_beside(settings).await?;
    let copy = staging.join(state::FILE);
    events::hold(data_dir, staging)?;
    let mut tries = 0;
    let held = loop {
        tries += 1;
        files::remove(&copy)?;
        live.copy_to(&copy).await?;
        events::hold(data_dir, staging)?;
        let copied = open(staging).await?;
        let manifest = load_manifest(copied.reader(), &node).await?;
        let tables = copied.rows_of_tables().await?;
        copied.close().await?;
        let missing = events::missing(staging, &manifest);
        // Nothing leaves the log while the cursor is unchanged.
        let stands = load_manifest(live.reader(), &node).await?.cursor == manifest.cursor;
        let whole = stands || events::log_is_whole(staging, manifest.cursor)?;
        if whole && (missing.is_empty() || tries == TRIES) {
            break Contents {
                manifest,
                tables,
                missing,
            };
        }
        anyhow::ensure!(
            tries < TRIES,
            "the server seals events faster than they can be held; try again when it has less to do"
        );
    };
    fs::copy(data_dir.join(secret::FILE), staging.join(secret::FILE))?;
    live.close().await?;
    Ok(held)
}

/// Copies what is held into a backup of its own; its name, what it is, and how many bytes are new.
fn write(
    staging: &Path,
    directory: &Path,
    held: &Contents,
) -> anyhow::Result<(String, Record, u64)> {
    let taken_at = iso_ms(Clock::system().now_ms());
    let name = taken_at.replace(':', "-");
    let partial = directory.join(format!("{name}{PARTIAL}"));
    discard_partials(directory)?;
    DirBuilder::new().mode(0o700).create(&partial)?;
    let segments = directory.join("segments");
    DirBuilder::new()
        .mode(0o700)
        .recursive(true)
        .create(&segments)?;

    let names = names(staging, &held.manifest)?;
    let mut progress = Progress::new(size(staging, &names)?, "bytes");
    let mut record = Record {
        form: FORM,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        taken_at,
        cursor: held.manifest.cursor,
        events: 0,
        requests: 0,
        tables: held.tables.clone(),
        files: Vec::new(),
        left_out: held.missing.clone(),
    };
    let known: std::collections::HashMap<_, _> = events::checksums(&held.manifest).collect();
    let mut new_bytes = 0;
    for file in names {
        let from = staging.join(&file);
        let kept = if file.starts_with("segments") {
            let to = directory.join(&file);
            let there = to.exists();
            let kept = files::share(&from, &to, &file, &mut progress)?;
            let stem = file.file_name().unwrap_or_default().to_string_lossy();
            if known.get(&*stem).is_some_and(|sum| *sum != kept.blake3) {
                record.left_out.push(stem.into_owned());
                files::remove(&to)?;
                continue;
            }
            new_bytes += if there { 0 } else { kept.bytes };
            kept
        } else {
            let kept = files::copy(&from, &partial.join(&file), &file, &mut progress)?;
            new_bytes += kept.bytes;
            kept
        };
        record.files.push(kept);
    }
    progress.finish();
    record.requests = events::requests_behind(&partial.join("spool"), record.cursor)?;
    record.events = counted(&held.manifest, &record.files);
    record.write(&partial)?;
    for place in ["spool", "dedup", ""] {
        sync_directory(&partial.join(place))?;
    }
    fs::rename(&partial, directory.join(&name))?;
    sync_directory(directory)?;
    Ok((name, record, new_bytes))
}

/// What belongs to the backup, by its name below the data directory.
fn names(staging: &Path, manifest: &Manifest) -> io::Result<Vec<PathBuf>> {
    let segments = events::files(manifest).map(|name| events::segment_path(&name));
    let mut names: Vec<PathBuf> = segments
        .filter(|name| staging.join(name).exists())
        .collect();
    names.extend(files::below(staging, "spool")?);
    names.extend(files::below(staging, "dedup")?);
    names.extend([state::FILE, secret::FILE].map(PathBuf::from));
    Ok(names)
}

fn size(staging: &Path, names: &[PathBuf]) -> io::Result<u64> {
    let mut size = 0;
    for name in names {
        size += fs::metadata(staging.join(name))?.len();
    }
    Ok(size)
}

/// Rows of the segments that are in the backup.
fn counted(manifest: &Manifest, files: &[BackupFile]) -> u64 {
    let names: std::collections::HashSet<_> = files.iter().map(|file| file.path.clone()).collect();
    let there = manifest.segments.iter().filter(|row| {
        let file = crate::events::segments::file_name(&row.id);
        names.contains(&events::segment_path(&file))
    });
    there.map(|row| row.rows).sum()
}

/// What backups that were cut off left behind.
fn discard_partials(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(PARTIAL) {
            files::remove(&entry.path())?;
        }
    }
    Ok(())
}
