//! `pharos backup`, `restore` and `restore-manifest`: arguments and reports.

use std::{fmt::Write as _, path::Path};

use super::{
    arguments::{BackupArguments, RestoreArguments},
    failure::{CommandResult, Failure},
    output::print_report,
};
use crate::{
    cli::start::begin,
    platform::{self, Record},
};

pub(super) fn backup(file: Option<&Path>, arguments: &BackupArguments) -> CommandResult {
    let settings = begin(file)?;
    let keep = arguments.keep.map(usize::from);
    let taken = platform::backup(&settings, &arguments.directory, keep)?;
    print_report(arguments.json, &taken, |taken| {
        let mut text = format!(
            "{}: {}; {} in {} ms, {} of them new",
            arguments.directory.join(&taken.name).display(),
            inside(&taken.record),
            size(taken.bytes),
            taken.took_ms,
            size(taken.new_bytes),
        );
        if taken.pruned.backups > 0 {
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "\nolder backups deleted: {}; files that only they had: {}",
                taken.pruned.backups, taken.pruned.segments
            );
        }
        text
    })?;
    Failure::ensure_none(
        taken.record.left_out.iter().map(|name| {
            format!("the installation has lost or damaged `{name}`; the backup is without it")
        }),
        "restore a sound copy of the file from an earlier backup; the server picks it up automatically",
    )
}

pub(super) fn restore(file: Option<&Path>, arguments: &RestoreArguments) -> CommandResult {
    let settings = begin(file)?;
    let at = arguments.at.as_deref();
    let restored = platform::restore(&settings, &arguments.directory, at, arguments.verify)?;
    if arguments.json || restored.wrong.is_empty() {
        print_report(arguments.json, &restored, |restored| {
            let compared = if restored.verified {
                "checksums and counts"
            } else {
                "checksums"
            };
            let inside = inside(&restored.record);
            format!("restored {}: {inside}; {compared} agree", restored.name)
        })?;
    }
    Failure::ensure_none(
        restored.wrong,
        "nothing was restored; choose an earlier backup with `--at`",
    )
}

pub(super) fn restore_manifest(file: Option<&Path>, json: bool) -> CommandResult {
    let settings = begin(file)?;
    let restored = platform::restore_manifest(&settings)?;
    print_report(json, &restored, |restored| {
        format!(
            "the state database knows {} segments with {} events again; before, it knew {} segments",
            restored.segments, restored.events, restored.before
        )
    })?;
    let missing = restored.missing.iter();
    Failure::ensure_none(
        missing.map(|name| format!("`segments/{name}` is missing")),
        "copy the files back from a backup",
    )
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
