//! Backups, told.

use std::path::Path;

use super::{
    arguments::{BackupArguments, RestoreArguments},
    failure::Failure,
    output::print,
};
use crate::{
    cli::start::{Done, load, start_log},
    platform::{self, Record},
};

pub(super) fn backup(file: Option<&Path>, arguments: &BackupArguments) -> Done {
    let settings = load(file)?;
    start_log(&settings)?;
    let keep = arguments.keep.map(usize::from);
    let taken = platform::backup(&settings, &arguments.directory, keep)?;
    if arguments.json {
        print(&serde_json::to_string(&taken).map_err(anyhow::Error::from)?)?;
    } else {
        let place = arguments.directory.join(&taken.name);
        print(&format!(
            "{}: {}; {} in {} ms, {} of them new",
            place.display(),
            inside(&taken.record),
            size(taken.bytes),
            taken.took_ms,
            size(taken.new_bytes),
        ))?;
        if taken.pruned.backups > 0 {
            print(&format!(
                "older backups deleted: {}; files that only they had: {}",
                taken.pruned.backups, taken.pruned.segments
            ))?;
        }
    }
    if taken.record.left_out.is_empty() {
        return Ok(());
    }
    Err(Failure::of_copies(
        taken.record.left_out.iter().map(|name| {
            format!("the installation has lost or damaged `{name}`; the backup is without it")
        }),
        "put a sound copy of the file back from an earlier backup: the server takes it up by itself",
    ))
}

pub(super) fn restore(file: Option<&Path>, arguments: &RestoreArguments) -> Done {
    let settings = load(file)?;
    start_log(&settings)?;
    let at = arguments.at.as_deref();
    let restored = platform::restore(&settings, &arguments.directory, at, arguments.verify)?;
    if arguments.json {
        print(&serde_json::to_string(&restored).map_err(anyhow::Error::from)?)?;
    } else if restored.wrong.is_empty() {
        let compared = if restored.verified {
            "checksums and counts"
        } else {
            "checksums"
        };
        let inside = inside(&restored.record);
        print(&format!(
            "restored {}: {inside}; {compared} agree",
            restored.name
        ))?;
    }
    if restored.wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::of_copies(
        restored.wrong.into_iter(),
        "nothing was restored; choose an earlier backup with `--at`",
    ))
}

pub(super) fn restore_manifest(file: Option<&Path>, json: bool) -> Done {
    let settings = load(file)?;
    start_log(&settings)?;
    let restored = platform::restore_manifest(&settings)?;
    if json {
        print(&serde_json::to_string(&restored).map_err(anyhow::Error::from)?)?;
    } else {
        print(&format!(
            "the state database knows {} segments with {} events again; before, it knew {} segments",
            restored.segments, restored.events, restored.before
        ))?;
    }
    if restored.missing.is_empty() {
        return Ok(());
    }
    Err(Failure::of_copies(
        restored
            .missing
            .iter()
            .map(|name| format!("`segments/{name}` is missing")),
        "copy the files back from a backup",
    ))
}

fn inside(record: &Record) -> String {
    let rows: u64 = record.tables.values().sum();
    format!(
        "{} events in segments, {} requests behind them, {rows} rows of state",
        record.events, record.requests
    )
}

/// Bytes as people read them.
fn size(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}
