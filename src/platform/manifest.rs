//! `pharos restore-manifest`: a state database that was rolled back learns of the newest event files again.

use std::path::Path;

use serde::Serialize;

use super::{
    CommandError,
    offline::block_on,
    stores::{open_state, take_data_dir, upgrade},
};
use crate::{
    actors::ingest::{load_manifest, replace_manifest},
    clock::Clock,
    config::{Settings, sections::EventStore as EventStoreKind},
    events::{
        segments::{Manifest, aside, journal::Journal},
        store::EventStore,
    },
};

/// What a restored manifest names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoredManifest {
    pub segments: usize,
    /// Events (rows of every kind) in them.
    pub events: u64,
    /// Segments that the state database named before.
    pub before: usize,
    /// Files that it names and that are not there.
    pub missing: Vec<String>,
}

/// Writes the data directory's own copy of the manifest into a state database that has an older one. The server has to be
/// stopped. Nothing else of the database is changed.
///
/// # Errors
/// A [`CommandError`] when the database is not older or the directory is in use, or what the database or the disk says.
pub fn restore_manifest(settings: &Settings) -> anyhow::Result<RestoredManifest> {
    if settings.events.store == EventStoreKind::Clickhouse {
        return CommandError::refuse(
            "events are in ClickHouse, which needs no manifest",
            "start the server",
        );
    }
    let data_dir = Path::new(&settings.storage.data_dir);
    let _lock = take_data_dir(data_dir)?;
    block_on(restore(settings, data_dir))
}

async fn restore(settings: &Settings, data_dir: &Path) -> anyhow::Result<RestoredManifest> {
    let node = EventStore::node_id(data_dir)?;
    let segments = data_dir.join("segments");
    let newest = Journal::read(&segments)?;
    let state = open_state(settings, data_dir).await?;
    // An old dump may be of an earlier version.
    upgrade(&state, data_dir).await?;
    let before = load_manifest(state.writer(), &node).await?;
    let Some(newest) = newest.filter(|newest| newest.version > before.version) else {
        state.close().await?;
        return CommandError::refuse(
            "the state database is not older than the event files",
            "nothing has to be done: start the server",
        );
    };
    aside::take_back(&segments, &newest)?;
    replace_manifest(&state, &Clock::system(), &node, &newest).await?;
    state.close().await?;
    Ok(RestoredManifest {
        segments: newest.segments.len(),
        events: newest.segments.iter().map(|row| row.rows).sum(),
        before: before.segments.len(),
        missing: missing(&segments, &newest),
    })
}

fn missing(segments: &Path, manifest: &Manifest) -> Vec<String> {
    let sound = manifest.segments.iter().filter(|row| !row.quarantined);
    let files = sound.flat_map(|row| row.files().collect::<Vec<_>>());
    files.filter(|file| !segments.join(file).exists()).collect()
}
