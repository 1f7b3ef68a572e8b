//! Everything is there and the same: what was copied takes its place, and what was left goes aside.
//!
//! Every step finds nothing to do when it is done again.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{ASIDE, pass, state::open};
use crate::{
    actors::ingest::replace_manifest,
    clock::Clock,
    events::{
        log::file::sync_directory, segments::Manifest, store::shipper::journal::FILE as SHIPPER,
    },
    platform::{
        backup::files::{ignore_missing, remove},
        migration_journal::{Journal, Plan, STAGING, Stage},
    },
    store::state::FILE as STATE,
};

/// Where segments lie.
const SEGMENTS: &str = "segments";

/// Makes the new stores those of the data directory.
pub(super) async fn switch(
    plan: &Plan<'_>,
    journal: &mut Journal,
    node: &str,
) -> anyhow::Result<()> {
    let data_dir = &plan.data_dir;
    let staging = data_dir.join(STAGING);
    let (sqlite, embedded) = journal.to.kinds();
    let aside = leave(plan, journal)?;
    pass("move-switch")?;
    if plan.events && embedded {
        let to = data_dir.join(SEGMENTS);
        fs::create_dir_all(&to)?;
        shift_all(&staging.join(SEGMENTS), &to)?;
        sync_directory(&to)?;
    }
    if plan.state && sqlite {
        shift_state(&staging, data_dir)?;
        sync_directory(data_dir)?;
    }
    if plan.events {
        let state = open(plan.to, data_dir).await?;
        let manifest = Manifest {
            segments: journal.written.clone(),
            cursor: journal.cursor,
            version: 0,
        };
        replace_manifest(&state, &Clock::system(), node, &manifest).await?;
        state.close().await?;
        if embedded {
            remove(&data_dir.join(SHIPPER))?;
        }
    }
    sync_directory(data_dir)?;
    journal.written = Vec::new();
    if let Some(found) = &mut journal.found {
        found.aside = aside;
    }
    journal.stage = Stage::Done;
    journal.write(data_dir)?;
    Ok(remove(&staging)?)
}

/// Puts the embedded stores aside that are left; where.
fn leave(plan: &Plan<'_>, journal: &Journal) -> io::Result<Option<PathBuf>> {
    let (sqlite, embedded) = journal.from.kinds();
    let (state, events) = (plan.state && sqlite, plan.events && embedded);
    if !state && !events {
        return Ok(None);
    }
    let aside = plan.data_dir.join(ASIDE).join(&journal.name);
    fs::create_dir_all(&aside)?;
    if events {
        shift(&plan.data_dir.join(SEGMENTS), &aside.join(SEGMENTS))?;
    }
    if state {
        shift_state(&plan.data_dir, &aside)?;
    }
    sync_directory(&aside)?;
    sync_directory(&plan.data_dir)?;
    Ok(Some(aside))
}

fn shift_state(from: &Path, to: &Path) -> io::Result<()> {
    for part in ["-wal", "-shm", ""] {
        let name = format!("{STATE}{part}");
        shift(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}

fn shift_all(from: &Path, to: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(from) {
        Ok(entries) => entries,
        Err(error) => return ignore_missing(error),
    };
    for entry in entries {
        let name = entry?.file_name();
        shift(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}

/// Renames something that may have been renamed before.
fn shift(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to).or_else(ignore_missing)
}
