//! Upkeep: the tail becomes segments, small segments become large ones.
//!
//! Each step is *write, commit, adopt*: this module writes files and shows the outcome, the ingest domain commits the
//! manifest in between. A crash before the commit leaves strays that the next start sets aside; one after it finds
//! everything in place.

use std::{
    fs, io,
    sync::{Arc, PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use tokio::sync::oneshot;

use super::{EventStore, compatibility, remote::Engine, worker::Worker};
use crate::events::{
    disk::Room,
    engine::load,
    error::EngineError,
    log::recovery::write_durably,
    segments::{self, Choice, Look, Manifest, SealOutput, Segment, SegmentRow},
    snapshot::WARM,
    spool::writer::Command,
    tail::Generation,
    tenant::Tenant,
};

/// How long closing waits for upkeep without a deadline. It looks up between two row groups, but a sync takes
/// what it takes.
pub(super) const LAST: Duration = Duration::from_secs(8);

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

/// Merged segments that await their commit.
#[derive(Debug)]
pub struct Merged {
    /// The new rows of the manifest.
    pub segments: Vec<SegmentRow>,
    /// Ids of the rows it replaces.
    pub replaced: Vec<String>,
}

impl EventStore {
    /// Resolves when the open generation is due for sealing.
    pub async fn seal_due(&self) {
        self.0.seal_due.notified().await;
    }

    /// Closes the open generation, so [`Self::seal`] finds everything that was acknowledged until now.
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
        let worker = if closed.len() > WARM {
            &self.0.workers.catching_up
        } else {
            &self.0.workers.sealing
        };
        let (store, from) = (self.clone(), snapshot.cursor);
        drop(snapshot);
        self.run_upkeep(worker, move || store.write(&generation, from))
            .await
            .map(Some)
    }

    fn write(&self, generation: &Generation, from: u64) -> Result<Sealed, EngineError> {
        let points = &self.0.options.failpoints;
        points.pass("seal", || self.is_stopping())?;
        let cursor = generation.last_lsn();
        let lsns = (from + 1, cursor);
        let begun = Instant::now();
        let SealOutput { segment, read } = segments::seal(&self.0.segments, generation, lsns)?;
        self.0.health.upkeep.note("seal", begun.elapsed());
        let kept = if read < generation.rows() {
            self.keep_unreadable(generation)
        } else {
            Ok(())
        };
        match kept.and_then(|()| self.0.index.confirm(generation.id)) {
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
    pub(super) fn keep_unreadable(&self, generation: &Generation) -> io::Result<()> {
        let directory = self.0.options.data_dir.join("spool").join("quarantine");
        fs::create_dir_all(&directory)?;
        for frame in generation.unreadable()? {
            let path = directory.join(format!("{:020}.frame", frame.lsn));
            write_durably(&path, &frame.payload)?;
            tracing::error!(file = %path.display(), "events that cannot be read were set aside");
        }
        Ok(())
    }

    /// Deletes segments whose commit was refused.
    pub fn discard<'a>(&self, segments: impl IntoIterator<Item = &'a SegmentRow>) {
        for row in segments {
            for file in row.files() {
                let path = self.0.segments.join(file);
                if let Err(error) = fs::remove_file(&path) {
                    tracing::warn!(%error, file = %path.display(), "cannot delete a segment that was not committed");
                }
            }
        }
    }

    /// Refuses more upkeep and ends what is under way as soon as possible: the program is stopping, and what is not sealed
    /// is in the log. [`Self::close`] waits for the end `until` then; the first call decides.
    pub fn stop_upkeep(&self, until: Instant) {
        self.0.stopping.get_or_init(|| until);
    }

    /// Waits for what was under way when upkeep was stopped: cut off, it would leave half of a file behind.
    pub(super) fn finish_upkeep(&self) {
        let until = *self.0.stopping.get_or_init(|| Instant::now() + LAST);
        for worker in self.0.workers.all() {
            if !worker.settled(until) {
                tracing::warn!(
                    "upkeep of segments does not end; the next start clears away what it leaves behind"
                );
            }
        }
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.0.stopping.get().is_some()
    }

    /// Runs upkeep on one of its threads, unless the program is stopping or hardly any disk is left.
    pub(super) async fn run_upkeep<T: Send + 'static>(
        &self,
        worker: &Worker,
        work: impl FnOnce() -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        if self.0.disk.look() == Room::Scarce {
            return Err(EngineError::Disk(io::ErrorKind::StorageFull.into()));
        }
        let store = self.clone();
        let answer = worker.run(move || {
            if store.is_stopping() {
                return Err(interrupted());
            }
            work()
        });
        answer.await.unwrap_or_else(|_| Err(interrupted()))
    }

    /// Resolves when there may be something to merge.
    pub async fn merge_due(&self) {
        self.0.merge_due.notified().await;
    }

    /// Merges segments if enough have gathered, or, `at_rest`, if that makes them fewer. The caller commits the exchange, then calls [`Self::adopt`]; until
    /// then nothing else may exchange segments.
    pub async fn compact(&self, at_rest: bool) -> Result<Option<Merged>, EngineError> {
        let Some(chosen) = segments::choose(&self.snapshot().segments, at_rest) else {
            return Ok(None);
        };
        let Choice { sources, cut } = chosen;
        let replaced = sources
            .iter()
            .map(|segment| segment.row.id.clone())
            .collect();
        let store = self.clone();
        let segments = self
            .run_upkeep(&self.0.workers.tidying, move || {
                // What is wrong would be in the merged file for good, under a checksum that is right.
                if store.inspect(&sources, Look::Again) {
                    return Err(io::Error::from(io::ErrorKind::InvalidData).into());
                }
                let points = &store.0.options.failpoints;
                let stopped = || {
                    let passed = points.pass("merge", || store.is_stopping());
                    passed.is_err() || store.is_stopping()
                };
                let begun = Instant::now();
                let merged = segments::merge(&store.0.segments, &sources, cut, stopped)?;
                store.0.health.upkeep.note("merge", begun.elapsed());
                Ok(merged)
            })
            .await?;
        Ok(Some(Merged { segments, replaced }))
    }

    /// Writes a committed manifest into the data directory's journal, so no older one can take its place; before it is
    /// adopted. A disk that refuses does not block the commit: the next note has all of it.
    pub async fn note(&self, manifest: &Manifest) {
        let (store, manifest) = (self.clone(), manifest.clone());
        let noted = tokio::task::spawn_blocking(move || {
            let held = store.0.journal.lock();
            let mut held = held.unwrap_or_else(PoisonError::into_inner);
            held.as_mut()
                .map_or(Ok(()), |journal| journal.note(&manifest))
        });
        if let Ok(Err(error)) = noted.await {
            tracing::error!(%error, "the manifest's journal cannot be written");
        }
    }

    /// Whether a manifest is at least as new as the one that is shown. The state database may have been rolled back under the
    /// running program.
    ///
    /// # Errors
    /// It is older: to adopt it would take events away.
    pub fn ensure_current(&self, manifest: &Manifest) -> anyhow::Result<()> {
        let shown = self.snapshot().version;
        anyhow::ensure!(
            self.is_remote() || manifest.version >= shown,
            compatibility::explain_older(&self.0.segments, manifest.version, shown)
        );
        Ok(())
    }

    /// Makes the committed manifest the truth: segments appear, sealed generations go, and replaced files are set aside.
    pub fn adopt(&self, manifest: &Manifest) {
        let (mut sealed, mut gone, mut lost, mut erased) = (0, 0, false, false);
        let now = self.0.clock.now_ms();
        let keeps = !self.0.options.keep_replaced.is_zero();
        self.0.current.update(|snapshot| {
            let old = std::mem::take(&mut snapshot.segments);
            // Rows that are gone must not stay in files that held them, nor come back from there.
            erased = !segments::keeps_rows(&old, snapshot.cursor, manifest);
            lost = erased || !segments::same_damage(&old, snapshot.cursor, manifest);
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
                    segment.drop_file((keeps && !erased).then_some(now));
                    gone += 1;
                }
            }
            snapshot.cursor = manifest.cursor;
            snapshot.version = manifest.version;
            let open = snapshot.generations.last().map(|generation| generation.id);
            let held = snapshot.generations.len();
            snapshot.generations.retain(|generation| {
                Some(generation.id) == open || generation.last_lsn() > manifest.cursor
            });
            sealed = (held - snapshot.generations.len()) as u64;
        });
        if lost {
            self.0.current.positions.lost();
        }
        if erased {
            self.0.erased.store(now, Ordering::Relaxed);
            self.expire_replaced();
        }
        self.0.health.seals.fetch_add(sealed, Ordering::Relaxed);
        let _ = self.0.commands.send(Command::Sealed(manifest.cursor));
        self.0.index.sealed(manifest.cursor);
        self.0.merge_due.notify_one();
        let Engine::Embedded(queries) = &self.0.engine else {
            return;
        };
        if gone > 0 {
            queries.forget(gone);
        }
        if let Some(open) = self.snapshot().generations.last().cloned() {
            // The answer does not matter: what is not dropped now is dropped before the next table is made.
            drop(
                queries.submit(Tenant::default(), Arc::default(), move |connection, _| {
                    load::drop_retired(connection, &open)
                }),
            );
        }
    }
}

fn interrupted() -> EngineError {
    EngineError::Disk(io::Error::new(
        io::ErrorKind::Interrupted,
        "the engine was interrupted",
    ))
}
