//! Upkeep: the tail becomes segments, small segments become large ones.
//!
//! Each step is *write, commit, adopt*: this module writes files and shows the outcome, the ingest domain commits the
//! manifest in between. A crash before the commit leaves strays that the next start deletes; one after it finds
//! everything in place.

use std::{io, path::Path, sync::Arc};

use tokio::sync::oneshot;

use super::EventStore;
use crate::events::{
    dedup::KeyFile,
    engine::EngineError,
    segments::{self, Manifest, Segment, SegmentRow},
    spool::writer::Command,
    tail::Generation,
};

/// A segment that was written and awaits its commit.
#[derive(Debug)]
pub struct Sealed {
    /// The new row of the manifest.
    pub segment: SegmentRow,
    /// The manifest's new cursor.
    pub cursor: u64,
    /// The generation whose rows are in it, and its key file, for [`EventStore::adopt`].
    pub generation: u64,
    /// See `generation`.
    pub keys: Option<KeyFile>,
}

/// A merged segment that awaits its commit.
#[derive(Debug)]
pub struct Merged {
    /// The new row of the manifest.
    pub segment: SegmentRow,
    /// Ids of the rows it replaces.
    pub replaced: Vec<String>,
}

impl EventStore {
    /// Resolves when the open generation is due for sealing.
    pub async fn seal_due(&self) {
        self.0.seal_due.notified().await;
    }

    /// Closes the open generation, so that [`Self::seal`] finds everything that was acknowledged until now.
    pub async fn freeze(&self) {
        let (reply, frozen) = oneshot::channel();
        if self.0.commands.send(Command::Freeze(reply)).is_ok() {
            let _ = frozen.await;
        }
    }

    /// Writes the oldest closed generation as a segment. The caller commits the returned row together with the
    /// cursor, then calls [`Self::adopt`]. `None` when nothing is closed.
    pub async fn seal(&self) -> Result<Option<Sealed>, EngineError> {
        let snapshot = self.snapshot();
        let Some((_, closed)) = snapshot.generations.split_last() else {
            return Ok(None);
        };
        let Some(generation) = closed.first().cloned() else {
            return Ok(None);
        };
        let (directory, keys) = (self.0.segments.clone(), self.0.keys.clone());
        let lsns = (snapshot.cursor + 1, generation.last_lsn());
        let written = self
            .0
            .upkeep
            .submit(Arc::default(), move |connection, epoch| {
                let segment = segments::seal(connection, epoch, &directory, &generation, lsns)?;
                let keys = key_file(&keys, &generation)?;
                Ok(Sealed {
                    segment,
                    cursor: lsns.1,
                    generation: generation.id,
                    keys,
                })
            });
        written
            .await
            .unwrap_or_else(|_| Err(interrupted()))
            .map(Some)
    }

    /// Merges small segments if enough have gathered. The caller commits the exchange, then calls [`Self::adopt`].
    pub async fn compact(&self) -> Result<Option<Merged>, EngineError> {
        let Some(chosen) = segments::choose(&self.snapshot().segments) else {
            return Ok(None);
        };
        let replaced = chosen
            .iter()
            .map(|segment| segment.row.id.clone())
            .collect();
        let directory = self.0.segments.clone();
        let written = self.0.upkeep.submit(Arc::default(), move |connection, _| {
            segments::merge(connection, &directory, &chosen)
        });
        let segment = written.await.unwrap_or_else(|_| Err(interrupted()))?;
        Ok(Some(Merged { segment, replaced }))
    }

    /// Makes the committed manifest the truth: segments appear, sealed generations and replaced files go.
    pub fn adopt(&self, manifest: &Manifest, mut keys: Vec<(u64, Option<KeyFile>)>) {
        let mut sealed = Vec::new();
        self.0.current.update(|snapshot| {
            let old = std::mem::take(&mut snapshot.segments);
            snapshot.segments = manifest
                .segments
                .iter()
                .map(|row| {
                    let known = old.iter().find(|segment| segment.row == *row);
                    known
                        .cloned()
                        .unwrap_or_else(|| Arc::new(Segment::new(&self.0.segments, row.clone())))
                })
                .collect();
            for segment in old {
                if !manifest.segments.iter().any(|row| row.id == segment.row.id) {
                    segment.drop_file();
                }
            }
            snapshot.cursor = manifest.cursor;
            let open = snapshot.generations.last().map(|generation| generation.id);
            snapshot.generations.retain(|generation| {
                let done = Some(generation.id) != open && generation.last_lsn() <= manifest.cursor;
                if done {
                    sealed.push(generation.id);
                }
                !done
            });
        });
        let generations = sealed
            .into_iter()
            .map(|id| {
                let at = keys.iter().position(|(generation, _)| *generation == id);
                (id, at.and_then(|at| keys.swap_remove(at).1))
            })
            .collect();
        let _ = self.0.commands.send(Command::Sealed {
            cursor: manifest.cursor,
            generations,
        });
    }
}

fn key_file(directory: &Path, generation: &Generation) -> io::Result<Option<KeyFile>> {
    let keys = generation.keys();
    if keys.is_empty() {
        return Ok(None);
    }
    KeyFile::write(directory, generation.last_lsn(), generation.newest(), keys).map(Some)
}

fn interrupted() -> EngineError {
    EngineError::Disk(io::Error::new(
        io::ErrorKind::Interrupted,
        "the engine was interrupted",
    ))
}
