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

/// Segments that were written and await their commit.
#[derive(Debug)]
pub struct Sealed {
    /// Rows for the manifest.
    pub segments: Vec<SegmentRow>,
    /// The manifest's new cursor.
    pub cursor: u64,
    /// Key files of the sealed generations, for [`EventStore::adopt`].
    pub keys: Vec<(u64, Option<KeyFile>)>,
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

    /// Closes the open generation and writes every closed one as a segment. The caller commits the returned rows
    /// together with the cursor, then calls [`Self::adopt`]. `None` when there is nothing to seal.
    pub async fn seal(&self) -> Result<Option<Sealed>, EngineError> {
        let (reply, frozen) = oneshot::channel();
        if self.0.commands.send(Command::Freeze(reply)).is_err() || frozen.await.is_err() {
            return Ok(None);
        }
        let snapshot = self.snapshot();
        let Some((_, closed)) = snapshot.generations.split_last() else {
            return Ok(None);
        };
        let closed: Vec<Arc<Generation>> = closed
            .iter()
            .filter(|generation| generation.rows() > 0)
            .cloned()
            .collect();
        if closed.is_empty() {
            return Ok(None);
        }
        let (directory, keys) = (self.0.segments.clone(), self.0.keys.clone());
        let mut first = snapshot.cursor + 1;
        let written = self
            .0
            .upkeep
            .submit(Arc::default(), move |connection, epoch| {
                let mut sealed = Sealed {
                    segments: Vec::new(),
                    cursor: 0,
                    keys: Vec::new(),
                };
                for generation in closed {
                    let last = generation.last_lsn();
                    sealed.segments.push(segments::seal(
                        connection,
                        epoch,
                        &directory,
                        &generation,
                        (first, last),
                    )?);
                    sealed
                        .keys
                        .push((generation.id, key_file(&keys, &generation)?));
                    sealed.cursor = last;
                    first = last + 1;
                }
                Ok(sealed)
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
