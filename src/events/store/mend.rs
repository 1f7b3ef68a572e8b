//! Damaged segments: left out at once, moved out of the way when the manifest says so, and back when there is a
//! sound copy.
//!
//! A query verifies a segment before it reads it ([`EventStore::verify`]); a thread checks all of them from time to time. What is
//! found is marked in memory, so answers go on; the storekeeper then asks [`EventStore::examine`], commits, and calls
//! [`EventStore::set_aside`].

use std::{
    fs, io,
    sync::{Arc, atomic::Ordering},
};

use super::EventStore;
use crate::events::{
    engine::in_scope,
    error::EngineError,
    log::file::sync_directory,
    segments::{Look, QUARANTINE, Segment, file_name},
    snapshot::Snapshot,
    statement::Statement,
};

/// Bytes that a query reads at most to verify files that were not verified since the start.
const MAX_VERIFIED: u64 = 2 << 30;

/// What the manifest does not say yet.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Ids of segments whose files are damaged.
    pub damaged: Vec<String>,
    /// Ids of segments whose files are sound again.
    pub restored: Vec<String>,
}

impl EventStore {
    /// Resolves when [`Self::examine`] may find something.
    pub async fn mend_due(&self) {
        self.0.mend_due.notified().await;
    }

    /// Compares the files with the manifest.
    pub async fn examine(&self) -> Result<Findings, EngineError> {
        let store = self.clone();
        self.run_upkeep(&self.0.workers.tidying, move || {
            let mut found = Findings::default();
            for segment in &store.snapshot().segments {
                let id = segment.row.id.clone();
                if !segment.row.quarantined {
                    found.damaged.extend(segment.is_damaged().then_some(id));
                } else if segment.path.exists() {
                    if segment.is_whole()? {
                        found.restored.push(id);
                    } else {
                        tracing::error!(file = %segment.path.display(), "this copy of a damaged segment is damaged too; it is in `quarantine` now");
                        store.set_aside([&id]);
                    }
                }
            }
            Ok(found)
        })
        .await
    }

    /// Moves damaged files to where nothing reads them.
    pub fn set_aside<'a>(&self, ids: impl IntoIterator<Item = &'a String>) {
        for id in ids {
            let moved = self.shelter(&file_name(id));
            if let Err(error) = moved
                && error.kind() != io::ErrorKind::NotFound
            {
                tracing::error!(%error, segment = id, "a damaged segment cannot be moved to `quarantine`");
            }
        }
    }

    fn shelter(&self, file: &str) -> io::Result<()> {
        let shelter = self.0.segments.join(QUARANTINE);
        fs::create_dir_all(&shelter)?;
        fs::rename(self.0.segments.join(file), shelter.join(file))?;
        sync_directory(&shelter)?;
        sync_directory(&self.0.segments)
    }

    /// Looks for damage; whether some was found that was not known before.
    pub(super) fn inspect(&self, segments: &[Arc<Segment>], look: Look) -> bool {
        let found = segments
            .iter()
            .filter(|segment| !segment.is_damaged() && segment.inspect(look))
            .count();
        if found > 0 {
            let total = &self.0.health.quarantined;
            total.fetch_add(found as u64, Ordering::Relaxed);
            self.0.current.positions.lost();
            self.0.mend_due.notify_one();
        }
        found > 0
    }

    /// Verifies the files that a statement will read: those that were touched, and those that were not verified
    /// since the start.
    pub(super) fn verify(&self, snapshot: &Snapshot, statement: &Statement) {
        let mut left = MAX_VERIFIED;
        for segment in in_scope(snapshot, statement) {
            let Some(rest) = left.checked_sub(segment.row.bytes) else {
                return;
            };
            if segment.is_unverified() {
                left = rest;
            }
            self.inspect(std::slice::from_ref(segment), Look::IfTouched);
        }
    }

    /// Names of damaged segments that answers leave out.
    pub fn damaged_segments(&self) -> Vec<String> {
        let snapshot = self.snapshot();
        let damaged = snapshot.segments.iter().filter(|held| held.is_damaged());
        damaged.map(|segment| file_name(&segment.row.id)).collect()
    }
}
