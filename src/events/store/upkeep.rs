//! Upkeep: the tail becomes segments, small segments become large ones.
//!
//! Each step is *write, commit, adopt*: this module writes files and shows the outcome, the ingest domain commits the
//! manifest in between. A crash before the commit leaves strays that the next start deletes; one after it finds
//! everything in place.

use std::{
    fs, io,
    sync::{Arc, MutexGuard, PoisonError, atomic::Ordering},
};

use tokio::sync::oneshot;

use super::EventStore;
use crate::events::{
    disk::Room,
    engine::{Cancel, EngineError, load},
    segments::{self, Manifest, Segment, SegmentRow, Written},
    spool::{recovery::write_durably, writer::Command},
    tail::Generation,
};

/// A generation that was written and awaits its commit.
#[derive(Debug)]
pub struct Sealed {
    /// The new row of the manifest; `None` when none of the generation's rows could be read.
    pub segment: Option<SegmentRow>,
    /// The cursor that the manifest must have for this seal to count.
    pub from: u64,
    /// The manifest's new cursor.
    pub cursor: u64,
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

    /// Writes the oldest closed generation as a segment; its keys are on disk when it returns. The caller commits the returned row together
    /// with the cursor, then calls [`Self::adopt`] or [`Self::discard`]. `None` when nothing is closed.
    pub async fn seal(&self) -> Result<Option<Sealed>, EngineError> {
        let snapshot = self.snapshot();
        let Some((_, closed)) = snapshot.generations.split_last() else {
            return Ok(None);
        };
        let Some(generation) = closed.first().cloned() else {
            return Ok(None);
        };
        let (store, from) = (self.clone(), snapshot.cursor);
        drop(snapshot);
        self.keep(move || store.write(&generation, from))
            .await
            .map(Some)
    }

    fn write(&self, generation: &Generation, from: u64) -> Result<Sealed, EngineError> {
        let cursor = generation.last_lsn();
        let lsns = (from + 1, cursor);
        let Written { segment, read } = segments::seal(&self.0.segments, generation, lsns)?;
        let kept = if read < generation.rows() {
            self.keep_unreadable(generation)
        } else {
            Ok(())
        };
        match kept.and_then(|()| self.0.keeper.confirm(generation.id)) {
            Ok(()) => Ok(Sealed {
                segment,
                from,
                cursor,
            }),
            Err(error) => {
                self.discard(segment.as_ref());
                Err(error.into())
            }
        }
    }

    /// Keeps the frames that could not be read: their log file goes with the seal.
    fn keep_unreadable(&self, generation: &Generation) -> io::Result<()> {
        let directory = self.0.options.data_dir.join("spool").join("quarantine");
        fs::create_dir_all(&directory)?;
        for frame in generation.unreadable() {
            let path = directory.join(format!("{:020}.frame", frame.lsn));
            write_durably(&path, &frame.payload)?;
            tracing::error!(file = %path.display(), "events that cannot be read were set aside");
        }
        Ok(())
    }

    /// Deletes segments whose commit was refused.
    pub fn discard<'a>(&self, segments: impl IntoIterator<Item = &'a SegmentRow>) {
        for row in segments {
            let path = self.0.segments.join(segments::file_name(&row.id));
            if let Err(error) = fs::remove_file(&path) {
                tracing::warn!(%error, file = %path.display(), "cannot delete a segment that was not committed");
            }
        }
    }

    /// Looks for damage; whether some was found that was not known before.
    pub(super) fn inspect(&self, segments: &[Arc<Segment>], deep: bool) -> bool {
        let found = segments
            .iter()
            .filter(|segment| !segment.is_damaged() && segment.inspect(deep))
            .count();
        let total = &self.0.health.quarantined;
        total.fetch_add(found as u64, Ordering::Relaxed);
        found > 0
    }

    /// Interrupts upkeep and refuses more of it: the program is stopping, and what is not sealed is in the log.
    pub fn stop_upkeep(&self) {
        let job = self.upkeep_job();
        self.0.stopping.store(true, Ordering::Relaxed);
        self.0.upkeep.cancel(Arc::clone(&job));
    }

    fn upkeep_job(&self) -> MutexGuard<'_, Arc<Cancel>> {
        let job = &self.0.upkeep_job;
        job.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs upkeep on its thread, unless the program is stopping or hardly any disk is left.
    async fn keep<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        if self.0.disk.look() == Room::Scarce {
            return Err(EngineError::Disk(io::ErrorKind::StorageFull.into()));
        }
        let answer = {
            let mut job = self.upkeep_job();
            if self.0.stopping.load(Ordering::Relaxed) {
                return Err(interrupted());
            }
            *job = Arc::default();
            self.0.upkeep.submit(Arc::clone(&job), |_, _| work())
        };
        answer.await.unwrap_or_else(|_| Err(interrupted()))
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
        let store = self.clone();
        let segment = self
            .keep(move || {
                let stopped = || store.0.stopping.load(Ordering::Relaxed);
                let merged = segments::merge(&store.0.segments, &chosen, stopped);
                if merged.as_ref().is_err_and(EngineError::may_be_a_file) {
                    store.inspect(&chosen, true);
                }
                merged
            })
            .await?;
        Ok(Some(Merged { segment, replaced }))
    }

    /// Makes the committed manifest the truth: segments appear, sealed generations and replaced files go.
    pub fn adopt(&self, manifest: &Manifest) {
        let mut sealed = 0;
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
            let held = snapshot.generations.len();
            snapshot.generations.retain(|generation| {
                Some(generation.id) == open || generation.last_lsn() > manifest.cursor
            });
            sealed = (held - snapshot.generations.len()) as u64;
        });
        self.0.health.seals.fetch_add(sealed, Ordering::Relaxed);
        let _ = self.0.commands.send(Command::Sealed(manifest.cursor));
        // The answer does not matter: what is not dropped now is dropped before the next table is made.
        if let Some(open) = self.snapshot().generations.last().cloned() {
            drop(self.0.upkeep.submit(Arc::default(), move |connection, _| {
                load::drop_retired(connection, &open)
            }));
        }
    }
}

fn interrupted() -> EngineError {
    EngineError::Disk(io::Error::new(
        io::ErrorKind::Interrupted,
        "the engine was interrupted",
    ))
}
